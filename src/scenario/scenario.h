// A scenario: the contents of a scenario file, checked, as plain values
// (scenario/read/scenario_reader.h reads the text). Times are µs, names are resolved to indexes,
// paths are absolute. Owns only values; the code that plays it only reads.
//
// The room scenario: the plan of a run, what is expected of it, and what came of it.
// - It includes arrivals, verdict, log, policy and base. It is pure, apart from
//   read/scenario_file, which reads files.
// - It must not play anything: run does that, and fills a ScenarioResult.
// - scenario/read turns a file into these values and collects all mistakes, each with its line and
//   column. `simulate` makes the same values from a pattern (pattern.h).
//
// Begin with this file and arrivals/phase.h. Then: pattern.h, expectation.h (what `expect` means),
// scenario_result.h, read/scenario_reader.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrivals/phase.h"
#include "arrivals/shard.h"
#include "base/source_text.h"
#include "base/words.h"
#include "policy/judging_terms.h"
#include "policy/policy.h"
#include "policy/target.h"
#include "scenario/fault.h"
#include "verdict/condition/condition.h"
#include "verdict/verdict.h"

namespace rlctl {

enum class ScenarioClock : std::uint8_t { wall, virtual_time };
inline constexpr Word<ScenarioClock> kClockWords[] = {{"wall", ScenarioClock::wall},
                                                      {"virtual", ScenarioClock::virtual_time}};
constexpr std::span<const Word<ScenarioClock>> words_of(ScenarioClock) { return kClockWords; }

// `run`: where the script runs; as_manifest: the script's manifest decides.
enum class RunChoice : std::uint8_t { as_manifest, server, client };
inline constexpr Word<RunChoice> kRunChoiceWords[] = {{"server", RunChoice::server},
                                                      {"client", RunChoice::client}};
constexpr std::span<const Word<RunChoice>> words_of(RunChoice) { return kRunChoiceWords; }

struct PolicySpec {
  std::string name;
  std::string algorithm;    // of lua/ or its specimens; empty: `script`, a command, or HTTP
  std::string script;       // an absolute path, resolved and under the scenario's folder
  std::string manifest;     // more manifest lines, `name = value`
  bool is_command = false;  // the manifest is that of a Redis command
  RunChoice run = RunChoice::as_manifest;
  Policy policy;
  std::optional<Rules> contract;             // the limiter's own; empty: the manifest's, if any
  std::optional<std::int64_t> tolerance_us;  // empty: derived from the limiter's clock
  std::optional<std::int64_t>
      max_inflight_us;                // an unanswered request is decided by then, or never
  double allowed_false_denials = 0;   // share of the denials, 0 to 1
  std::int64_t held_at_least_us = 0;  // over HTTP: the work on a request takes that long
  std::vector<std::string> targets;  // over HTTP: URLs of services that decide together; empty: the
                                     // scenario's target
  TargetSpread spread = TargetSpread::round;  // how requests are spread over them
  std::optional<TargetSpec> route;  // over HTTP: the request of this policy, complete; empty: the
                                    // scenario's target
  ReplicaWait wait;                 // of a script in Redis
  bool fresh = false;  // over HTTP: no key was used before; keys in Redis are the run's own
  SourcePlace place;

  // The limiter is told the numbers of the contract, or else of the policy (not empty).
  void tell_limiter() {
    policy.tell((contract && !contract->empty() ? *contract : policy.rules).front());
  }
};

// The part of the run that an expectation checks; everything if all members are empty.
struct Selection {
  std::optional<std::uint32_t> phase;  // indexes
  std::optional<std::uint32_t> who;
  std::optional<std::uint32_t> policy;
  std::optional<std::string> key;  // as it is in Redis, filled in
  std::optional<FaultKind> fault;  // the worst of all faults of this kind
};

struct Expectation {
  std::string text;  // as written
  std::string why;   // the author's explanation; may be empty
  const MetricRow* metric = nullptr;
  Selection selection;
  Comparison comparison = Comparison::equal;
  ConditionValue value;
  SourcePlace place;
};

struct Scenario {
  std::string file;  // as the user named it
  std::string name;
  std::string description;
  std::uint64_t seed = 1;
  ScenarioClock clock = ScenarioClock::wall;
  std::int64_t speed = 1;  // windows, TTLs and schedules are divided by it; embedded, wall clock
  // The verdict expected for every policy; empty: "any", only the expectations count.
  std::optional<VerdictKind> verdict = VerdictKind::holds;
  // The verdict expected for the limiters' own contracts; empty: they are part of `verdict`.
  std::optional<VerdictKind> own_contract;
  TargetSpec target;
  std::vector<PolicySpec> policies;
  std::vector<IdentitySpec> identities;
  std::vector<Phase> phases;
  std::vector<Fault> faults;
  std::vector<Expectation> expectations;
  Budgets budgets = kUsualBudgets;
  std::int64_t wall_us = 600'000'000;  // after this the scenario is stopped, and inconclusive
  // Set for a run, not in the file: the part of it that this machine plays, and when it begins (µs
  // since 1970; empty: at once).
  Shard shard = {};
  std::optional<std::int64_t> start_at_us;

  bool needs_proxy() const {
    return std::ranges::any_of(faults, [](const Fault& fault) { return fault.row().by_proxy; });
  }
};

// Of a closed-loop phase: each has a connection.
inline constexpr std::int64_t kMostUsers = 100'000;
// Of an open-loop phase that does not say how many, on one thread.
inline constexpr std::size_t kMostOpenLoopUsers = 1'000;

}  // namespace rlctl
