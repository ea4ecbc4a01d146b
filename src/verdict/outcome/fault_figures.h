// What each fault of a run did, from the log alone: the decisions while it lasted and until they
// were right again, the run before its first fault, whether anything was admitted afterwards, and
// what other ways to answer the requests without a decision would have made of it. A request that
// was in flight when a fault began belongs to the fault. Pure; copies the log, and judges it some
// times more for each fault.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "log/record.h"
#include "verdict/verdict.h"

namespace rlctl {

struct FaultCounts {
  std::int64_t lasted_us = 0;
  std::int64_t allowed = 0;
  std::int64_t denied = 0;
  std::int64_t unknown = 0;
  std::int64_t failed = 0;
  std::int64_t over_admitted = 0;  // certainly; also by a window that was forgotten
};

// How a service answers a request on which its limiter did not decide.
enum class Fallback : std::uint8_t {
  fail_open,    // allowed
  fail_closed,  // denied
  local,        // by a counter of its own for each key, which is empty when the fault begins
  unwaited,     // as the limiter decided, though too few replicas confirmed it; others not at all
};
inline constexpr Word<Fallback> kFallbackWords[] = {{"fail-open", Fallback::fail_open},
                                                    {"fail-closed", Fallback::fail_closed},
                                                    {"local-fallback", Fallback::local},
                                                    {"without-wait", Fallback::unwaited}};
constexpr std::span<const Word<Fallback>> words_of(Fallback) { return kFallbackWords; }

// Computed: nobody was answered so.
struct FallbackFigures {
  Fallback fallback = Fallback::fail_open;
  std::int64_t admitted = 0;  // of the requests without a decision
  std::int64_t denied = 0;
  std::int64_t over_admitted = 0;  // of all requests until the next fault
};

struct FaultFigures {
  FaultCounts during;  // and until decisions were right again, or the next fault came
  FaultCounts before;  // the whole run before its first fault
  // After its beginning: the first answer of those that are all right, and the first admission
  // after its end. Empty: there was none.
  std::optional<std::int64_t> right_after_us;
  std::optional<std::int64_t> admits_after_us;
  std::int64_t asked_after = 0;  // requests after its end
  // Nothing was admitted after its end, though for so long requests got no decision, or were
  // certainly denied wrongly. 0: the limiter admits, or may deny them all.
  std::int64_t shut_us = 0;
  // Empty: every request was decided. `unwaited` only if replicas were waited for in vain.
  std::vector<FallbackFigures> fallbacks;
};

// The decisions under one policy. Borrows both.
struct FaultedLog {
  const Log& log;
  const Verdict& verdict;
  std::function<JudgeOptions(const Log&)> judged_with;
};

struct FaultTime {
  std::int64_t at_us = 0;
  std::int64_t ended_us = 0;
};

// In the order of the faults, which is that of their times.
std::vector<FaultFigures> fault_figures(std::span<const FaultedLog> logs,
                                        std::span<const FaultTime> faults);

}  // namespace rlctl
