// The results of `run` and `simulate` as they are published ("rlctl.run/1", "rlctl.simulate/1"):
// the verdicts in the form of verify, and what was played. Plain values.
#pragma once

#include <optional>
#include <vector>

#include "result/verify_document.h"

namespace rlctl {

// Times are since the scenario's start.
struct PhaseCountsDocument {
  Number started_us, ended_us, offered, allowed, denied, unknown, failed, late, dropped, completed;
};

struct RunPhaseDocument {
  static constexpr const char* kName = "phase";
  Text name, policy;
  PhaseCountsDocument counts;
};

struct RunPolicyDocument {
  static constexpr const char* kName = "policy";
  Text name;
  HistoryDocument judged;
};

struct ExpectationDocument {
  static constexpr const char* kName = "expectation";
  Text that, why, result, measured;
  Number line, column;
};

struct ExpectedDocument {
  static constexpr const char* kName = "expected";
  Text verdict, own_contract;
};

struct FoundDocument {
  static constexpr const char* kName = "found";
  Text verdict, own_contract, reason, own_contract_reason;
};

struct FaultCountsDocument {
  static constexpr const char* kName = "fault_counts";
  Number lasted_us, allowed, denied, unknown, failed, over_admitted;
};

struct FallbackDocument {
  static constexpr const char* kName = "fallback";
  Text fallback;
  Number admitted, denied, over_admitted;
};

struct FaultDocument {
  static constexpr const char* kName = "fault";
  Text kind;
  Number at_us, lasted_us, counted_us, allowed, denied, unknown, failed, over_admitted,
      right_after_us, admits_after_us;
  std::optional<FaultCountsDocument> before;
  std::optional<std::vector<FallbackDocument>> fallbacks;
};

struct MistakeDocument {
  static constexpr const char* kName = "mistake";
  Number line, column;
  Text pointer, what, hint;
};

struct ScenarioDocument {
  static constexpr const char* kName = "scenario";
  Text name, file, outcome, sentence;
  Number exit;
  Text command, clock;
  Number seed;
  Text run_id;
  Number duration_us;
  bool complete = true;
  bool interrupted = false;
  std::optional<ExpectedDocument> expected;
  std::optional<FoundDocument> found;
  Text problem;
  std::optional<std::vector<MistakeDocument>> mistakes;
  bool too_late = false;
  std::vector<Text> reasons, notes;
  std::vector<RunPolicyDocument> policies;
  std::vector<RunPhaseDocument> phases;
  std::optional<std::vector<FaultDocument>> faults;
  std::vector<ExpectationDocument> expectations;
};

struct RunDocument {
  static constexpr const char* kSchema = "rlctl.run/1";
  Text version;
  Number exit, passed, failed, inconclusive, could_not_run, duration_us;
  std::vector<ScenarioDocument> scenarios;
};

struct TimelineDocument {
  static constexpr const char* kName = "timeline";
  Number start_us, slice_us;
  std::vector<std::vector<Number>> slices;  // allowed, denied, other
};

struct SimulatePhaseDocument {
  static constexpr const char* kName = "phase";
  Text name;
  PhaseCountsDocument counts;
  std::optional<TimelineDocument> timeline;
};

struct SimulateDocument {
  static constexpr const char* kSchema = "rlctl.simulate/1";
  Text version;
  Text pattern, outcome, sentence, command, expected, expected_own_contract, clock;
  Number threads, seed;
  Text run_id;
  Number duration_us;
  bool interrupted = false;
  bool complete = true;
  JudgedLogsDocument judged;
  std::vector<SimulatePhaseDocument> phases;
  std::optional<std::vector<FaultDocument>> faults;
  std::vector<Text> answers;  // to what the pattern asks
};

void describe(Fields& fields, ScenarioDocument& scenario);
void describe(Fields& fields, RunDocument& document);
void describe(Fields& fields, SimulateDocument& document);

}  // namespace rlctl
