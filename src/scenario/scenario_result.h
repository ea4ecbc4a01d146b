// The result of a played scenario: the engine's findings (figures, verdicts, notes), and the
// outcome of the scenario (`conclude`). Reports read it. Plain values; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/source_text.h"
#include "base/words.h"
#include "log/record.h"
#include "scenario/scenario.h"
#include "verdict/outcome/fault_figures.h"
#include "verdict/verdict.h"

namespace rlctl {

// One policy's part of the log, with its verdict. Only for policies that a phase uses.
struct PolicyResult {
  std::uint32_t policy = 0;  // index into Scenario::policies
  Log log;
  Verdict verdict;
};

struct PhaseResult {
  std::uint32_t phase = 0;      // index into Scenario::phases
  std::int64_t started_us = 0;  // after the scenario's start
  std::int64_t ended_us = 0;
  std::int64_t offered = 0;  // planned, sent or not
  std::int64_t allowed = 0;
  std::int64_t denied = 0;
  std::int64_t unknown = 0;
  std::int64_t failed = 0;
  std::int64_t late = 0;
  std::int64_t dropped = 0;
  std::int64_t completed = 0;  // consumers: items done
};

struct PlayedFault {
  std::uint32_t fault = 0;    // index into Scenario::faults
  std::int64_t at_us = 0;     // when it was injected, on the records' clock
  std::int64_t ended_us = 0;  // when it was over; kNoTime: it still lasts
  FaultFigures figures;

  // So nobody knows what would have come of it later. What does its harm at its end was not seen at
  // all, even if decisions were right while it lasted.
  bool has_no_sequel(const FaultRow& row) const {
    return figures.asked_after == 0 && (!figures.right_after_us || row.harms_at_its_end());
  }
};

enum class ScenarioOutcome : std::uint8_t { passed, failed, inconclusive, could_not_run };
inline constexpr ResultWord<ScenarioOutcome> kScenarioOutcomeWords[] = {
    {"passed", ScenarioOutcome::passed, Exit::done},
    {"failed", ScenarioOutcome::failed, Exit::violated},
    {"inconclusive", ScenarioOutcome::inconclusive, Exit::inconclusive},
    {"could_not_run", ScenarioOutcome::could_not_run, Exit::target}};
constexpr std::span<const ResultWord<ScenarioOutcome>> words_of(ScenarioOutcome) {
  return kScenarioOutcomeWords;
}

// From the best to the worst: a broken expectation is a proof.
enum class Held : std::uint8_t { held, could_not_tell, broken };
struct HeldRow {
  const char* name;
  Held meaning;
  ScenarioOutcome outcome;  // of a scenario whose worst result it is
};
inline constexpr HeldRow kHeldRows[] = {
    {"held", Held::held, ScenarioOutcome::passed},
    {"broken", Held::broken, ScenarioOutcome::failed},
    {"could_not_tell", Held::could_not_tell, ScenarioOutcome::inconclusive}};
constexpr std::span<const HeldRow> words_of(Held) { return kHeldRows; }

struct ExpectationResult {
  std::uint32_t expectation = 0;  // index into Scenario::expectations
  Held held = Held::could_not_tell;
  std::string measured;  // "23", "23 of 1,000 (2.3 %)", "18.2 ms"; or why it is unknown
};

// Of a file that is no scenario, so that nothing is known of what it plays.
struct FileMistake {
  SourcePlace place;
  std::string pointer;  // RFC 6901, of the value; may be empty
  std::string what;     // escaped, as is the hint
  std::string hint;
};

struct ScenarioResult {
  // Filled by the engine.
  std::string command;
  std::string run_id;
  std::uint64_t seed = 0;        // the seed used; --seed replaces the file's
  std::int64_t threads = 1;      // that sent
  std::int64_t duration_us = 0;  // on the machine's clock, also with a virtual clock
  std::int64_t started_us = 0;   // on the records' clock
  std::vector<PolicyResult> policies;
  std::vector<PhaseResult> phases;
  std::vector<PlayedFault> faults;
  std::vector<ExpectationResult> expectations;  // scenario/expectation.h fills it
  std::vector<std::string> notes;               // sentences without a final stop
  std::vector<FileMistake> mistakes;
  std::optional<Error> problem;  // why it could not be played, or not to its end
  bool from_logs = false;
  bool lacks_counts = false;  // `offered` is what was sent; `dropped` and `completed` are not known
  bool interrupted = false;
  bool over_budget = false;  // stopped by the budget's wall time
  bool too_late = false;     // more requests sent late than the budget allows

  bool is_cut_short() const { return interrupted || over_budget; }

  // Filled by conclude().
  ScenarioOutcome outcome = ScenarioOutcome::could_not_run;
  std::string sentence;              // what was found, what failed before what was expected
  std::vector<std::string> reasons;  // why it did not pass, the worst first; without a final stop
};

// The faults for which the traffic ended too early, in words: what did not happen is no proof.
// Empty for a run that was cut short, and if the logs do not tell.
std::vector<std::string> unplayed_faults(const Scenario& scenario, const ScenarioResult& result);

// The verdicts of all policies as one: the worst.
struct VerdictFound {
  VerdictKind verdict = VerdictKind::inconclusive;
  std::optional<VerdictKind> own_contract;  // if the scenario has an expectation for it
  std::string reason;                       // of the worst verdict
  std::string remedy;                       // of the same
  std::string own_reason;                   // of the worst own contract
};
VerdictFound verdict_found(const Scenario& scenario, const ScenarioResult& result);

// Whether the verdict is the expected one.
Held verdict_held(const Scenario& scenario, const VerdictFound& found);

// The verdict against the expected one: "violated, as expected: 200 admissions within 100 ms, but
// the limit is 100 per 1m", or "expected holds, found violated: ...".
std::string verdict_sentence(const Scenario& scenario, const VerdictFound& found);

// Sets outcome, sentence and reasons: passed if the verdict is the expected one and every
// expectation holds. Failed has priority over inconclusive, because a broken expectation is a
// proof. If too many requests were sent late, it is not a proof and becomes `could_not_tell`; only
// the verdict's proofs remain valid.
void conclude(const Scenario& scenario, ScenarioResult& result);

// The expectations on a policy, or on the whole scenario, for its log.
std::vector<LoggedExpectation> expectations_on(const Scenario& scenario,
                                               const ScenarioResult& result, std::uint32_t policy);

// Exit codes (README): 0 passed, 1 failed, 3 (or the problem's own) could not run, 4 inconclusive,
// 130 interrupted.
Exit exit_of(const ScenarioResult& result);

}  // namespace rlctl
