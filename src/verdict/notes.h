// The notes beside every verdict: how hard the run tested the limiter, and how exact the clock was.
// Sentences without a final stop. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verdict/algorithm/clock_offset.h"
#include "verdict/algorithm/log_facts.h"
#include "verdict/verdict.h"

namespace rlctl {

std::vector<std::string> notes_on(const KnownLog& known, const Rules& rules,
                                  const ClockOffset& offset, const JudgeOptions& options);

// "the log has no durations", or "some lines of the log have no duration".
std::string what_lacks_durations(const Log& log);

// Of a log that lacks durations; empty: it has them. It is the first of the notes.
std::string slow_requests_note(const Log& log);

// The most operations in flight at once. 1: no race was tested.
std::int64_t most_in_flight(const Log& log);

// Why something cannot be decided, and what would decide it. Both empty: it can be decided.
struct Doubt {
  std::string reason;
  std::string remedy;
};

// Why the run as a whole cannot pass: nothing was denied, or a budget is exceeded.
Doubt doubt_about(const KnownLog& known, const Rules& rules, const JudgeOptions& options);

// More requests were sent late than the budget allows: the figures also depend on this machine.
bool sent_too_late(const Log& log, const Budgets& budgets);

// What a remedy calls an option: "--fresh", or, in a scenario, its member "fresh".
std::string setting(std::string_view option, const JudgeOptions& options);

// What would decide whether the rule was kept, if judge() found neither a proof nor a witness.
std::string what_would_decide(const LogFacts& facts, const Rule& rule, const ClockOffset& offset,
                              const JudgeOptions& options);

}  // namespace rlctl
