// The figures of a judgement, and what the judge is told beside the log: its options.
// Plain values; times are µs. verdict/verdict.h says what "certain" and "possible" mean.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/words.h"
#include "base/work.h"
#include "policy/judging_terms.h"
#include "policy/rule.h"

namespace rlctl {

// Where people set what a remedy names: options of verify or of simulate, which has none for
// budgets, or members of a scenario file.
enum class SetBy : std::uint8_t { verify, simulate, scenario };

struct JudgeOptions : JudgingTerms {
  JudgeOptions() = default;
  explicit JudgeOptions(const JudgingTerms& terms) : JudgingTerms(terms) {}

  std::optional<std::int64_t>
      history_from_us;  // the log is complete from here; default: from its first record
  bool closed = false;  // an entry exactly one window old still counts (whole-µs clocks)
  std::int64_t offset_low_us = 0;   // limiter's clock minus ours, for fixed windows in a log
  std::int64_t offset_high_us = 0;  // without server stamps (stamps give the offset)
  // A decision without a duration may have been made this much earlier, or later, than the log
  // says.
  std::int64_t slow_before_us = 0;
  std::int64_t slow_after_us = 0;
  bool use_server_stamps = true;
  Budgets budgets;
  SetBy set_by = SetBy::verify;
  WorkWatcher watcher;  // called for every key; may be empty

  // The resolution of the stamps.
  std::int64_t grain_us() const { return std::max<std::int64_t>(1, tolerance_us); }
};

// From the best to the worst.
enum class OverAdmission : std::uint8_t { none, possible, certain };
inline constexpr Word<OverAdmission> kOverAdmissionWords[] = {{"none", OverAdmission::none},
                                                              {"possible", OverAdmission::possible},
                                                              {"certain", OverAdmission::certain}};
constexpr std::span<const Word<OverAdmission>> words_of(OverAdmission) {
  return kOverAdmissionWords;
}

// The reason for the value of over_admission, from the best to the worst.
enum class Proof : std::uint8_t {
  bound,         // none: no placement puts more than the limit into a window
  witness,       // possible: one placement that keeps the contract was found
  undetermined,  // possible: no proof and no witness was found
  schedule,      // certain: no placement keeps it, but no single window proves it
  containment,   // certain: these records lie in this window for every placement
  block          // certain: requests were admitted while a block was active
};
inline constexpr Word<Proof> kProofWords[] = {
    {"bound", Proof::bound},       {"containment", Proof::containment},
    {"block", Proof::block},       {"witness", Proof::witness},
    {"schedule", Proof::schedule}, {"undetermined", Proof::undetermined}};
constexpr std::span<const Word<Proof>> words_of(Proof) { return kProofWords; }

// Whether one placement explains all admissions and denials together, from the best to the worst.
enum class Together : std::uint8_t {
  explained,
  not_found,  // each decision can be explained by itself; no placement of all was found
  impossible  // there is none: at least one decision is wrong
};
inline constexpr Word<Together> kTogetherWords[] = {{"explained", Together::explained},
                                                    {"not_found", Together::not_found},
                                                    {"impossible", Together::impossible}};
constexpr std::span<const Word<Together>> words_of(Together) { return kTogetherWords; }

// From the best to the worst: of several verdicts, the largest is reported.
enum class VerdictKind : std::uint8_t { holds, inconclusive, violated };
inline constexpr ResultWord<VerdictKind> kVerdictKindWords[] = {
    {"holds", VerdictKind::holds, Exit::done},
    {"violated", VerdictKind::violated, Exit::violated},
    {"inconclusive", VerdictKind::inconclusive, Exit::inconclusive}};
constexpr std::span<const ResultWord<VerdictKind>> words_of(VerdictKind) {
  return kVerdictKindWords;
}

// The worst window and its records, for a check by hand. Indexes into Log::records, by time.
struct WorstWindow {
  std::int64_t from_us = 0;
  std::int64_t to_us = 0;
  std::vector<std::uint32_t> records;
};

// The peak as a multiple of what the rule allows in a window.
inline double burst_factor_of(std::int64_t peak, const Rule& rule) {
  const std::int64_t most = std::max<std::int64_t>(rule.most_in_window(), 1);
  return static_cast<double>(peak) / static_cast<double>(most);
}

struct Figures {
  std::int64_t operations = 0;  // allowed + denied + unknown
  std::int64_t allowed = 0;
  std::int64_t denied = 0;
  std::int64_t unknown = 0;
  std::int64_t failed = 0;
  std::int64_t max_certain = 0;
  std::int64_t max_possible = 0;
  OverAdmission over_admission = OverAdmission::none;
  Proof proof = Proof::bound;
  std::int64_t excess_certain = 0;
  std::vector<std::uint32_t> certain_false_denials;  // indexes into Log::records, ascending
  std::int64_t unverifiable_denials = 0;  // only requests before the log could explain them
  std::int64_t peak = 0;                  // max_certain of sliding windows of W, for any contract
  double burst_factor = 0;                // burst_factor_of(peak, rule)
  double overshoot = 0;                   // max_certain / what the rule allows in its worst window
  std::int64_t slack_us = 0;              // how much shorter W must be to leave no proof
  std::int64_t decisions = 0;             // N of the accuracy: allowed + denied
  std::int64_t right = 0;
  std::int64_t wrong = 0;
  std::int64_t undecided = 0;
  double accuracy_low = 0;     // percent: right / N
  double accuracy_high = 100;  // percent: (N - wrong) / N
  WorstWindow worst_window;
  // Of totals, if actual costs are known: the share of the worst window's sum that may have been in
  // flight at once. No limiter can know it beforehand.
  std::optional<double> in_flight_share;
  std::int64_t admitted_in_blocks = 0;  // while a block was certainly active
  Together together = Together::explained;
  std::int64_t contradictions = 0;     // keys of which it is impossible
  std::vector<std::uint32_t> against;  // decisions that stand against each other, by record
  std::uint32_t rule = 0;  // of several rules: the one that max_certain to slack_us describe
};

}  // namespace rlctl
