#include "scenario/read/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "arrivals/phase_traffic.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"
#include "scenario/playable.h"

namespace rlctl {
namespace {

class Checks {
 public:
  Checks(const JsonValue& root, ScenarioContext& context)
      : root_(root), context_(context), scenario_(context.scenario) {}

  void run() {
    check_time();
    check_speed();
    check_url();
    for (const PolicySpec& policy : scenario_.policies) check_policy(policy);
    for (std::size_t i = 0; i < scenario_.phases.size(); ++i) check_phase(i);
    // What is wrong with the phases would be told again, as a wrong length.
    const bool has_length = context_.problems.size() == 0;
    for (std::size_t i = 0; i < scenario_.faults.size(); ++i) check_fault(i, has_length);
    check_expectations();
  }

 private:
  // Reports a problem at the value that the steps of a pointer name, or at its nearest existing
  // parent.
  void report(std::initializer_list<std::string> steps, std::string what, std::string hint = {}) {
    const JsonValue* value = &root_;
    std::string pointer;
    for (const std::string& step : steps) {
      const JsonValue* inner = step_into(*value, step);
      if (inner == nullptr) break;
      value = inner;
      pointer = pointer_to(pointer, step);
    }
    SourceSpan span = value->span;
    if (value->kind == JsonKind::object || value->kind == JsonKind::array)
      span.end = span.begin + 1;
    context_.problems.add(span, pointer, std::move(what), std::move(hint));
  }

  static const JsonValue* step_into(const JsonValue& value, const std::string& step) {
    if (value.kind == JsonKind::object) return value.find(step);
    if (value.kind != JsonKind::array) return nullptr;
    // The file may have a list instead of an object: then the step is a name, not an index.
    std::size_t index = value.items.size();
    std::from_chars(step.data(), step.data() + step.size(), index);
    return index < value.items.size() ? &value.items[index] : nullptr;
  }

  bool is_virtual() const { return scenario_.clock == ScenarioClock::virtual_time; }
  bool over_http() const { return scenario_.target.kind == TargetKind::http; }
  // Also true if rlctl is the server.
  bool server_decides() const { return over_http() || scenario_.target.kind == TargetKind::serve; }

  void check_time() {
    if (!is_virtual()) return;
    if (server_decides())
      report({"target", "kind"}, "an HTTP target needs real time",
             R"(use "clock": "wall", or an embedded or redis target)");
    if (!scenario_.faults.empty())
      report({"faults"}, "faults need real time", R"(use "clock": "wall")");
  }

  void check_speed() {
    if (scenario_.speed == 1) return;
    if (is_virtual())
      report({"speed"}, "the virtual clock does not need speed", "remove speed");
    else if (scenario_.target.kind != TargetKind::embedded)
      report({"speed"}, "speed works only with an embedded Redis", "remove speed");
  }

  void check_url() {
    const auto has_url = [&](const PolicySpec& policy) {
      const TargetSpec& target = policy.route ? *policy.route : scenario_.target;
      return !policy.targets.empty() || !target.url.empty();
    };
    if (over_http() && !std::ranges::all_of(scenario_.policies, has_url))
      report({"target"}, "'url' is missing", R"(add "url": "http://127.0.0.1:8080/path")");
  }

  void check_policy(const PolicySpec& policy) {
    if (policy.route && !over_http())
      report({"policies", policy.name, "route"}, "only an HTTP target has routes",
             R"(use "target": {"kind": "http"})");
    if (!policy.targets.empty() && !over_http())
      report({"policies", policy.name, "targets"}, "only an HTTP target can be several services",
             R"(use "target": {"kind": "http"})");
    if (policy.wait.replicas > 0 && server_decides())
      report({"policies", policy.name, "wait"}, "only a Redis has replicas to wait for",
             R"(remove it, or use an embedded or redis target)");
    const bool decides =
        !policy.algorithm.empty() || policy.is_command || root_has_script(policy.name);
    if (over_http()) {
      for (const char* key : {"algo", "script", "command", "allowed", "as", "manifest", "run"})
        if (has({"policies", policy.name, key}))
          report({"policies", policy.name, key}, "over HTTP the target decides, not a script",
                 R"(remove it; set "contract" if you know what the target promises)");
      return;
    }
    if (!decides)
      report({"policies", policy.name}, "the policy has no limiter",
             R"(add "algo": "sliding-list" (list: `rlctl algos`), or "script": "mine.lua")");
  }

  bool root_has_script(const std::string& policy) const {
    return has({"policies", policy, "script"});
  }

  bool has(std::initializer_list<std::string> steps) const {
    const JsonValue* value = &root_;
    for (const std::string& step : steps) {
      value = step_into(*value, step);
      if (value == nullptr) return false;
    }
    return true;
  }

  void check_phase(std::size_t index) {
    const Phase& phase = scenario_.phases[index];
    const std::string at = std::to_string(index);
    if (phase.policy >= scenario_.policies.size()) return;
    const PolicySpec& policy = scenario_.policies[phase.policy];
    if (phase.lockstep && (policy.run == RunChoice::server || over_http()))
      report({"phases", at, "lockstep"}, "lockstep needs a script that the client runs",
             R"(add "run": "client" to the policy)");
    if (phase.clock_spread_us > 0 && server_decides())
      report({"phases", at, "clock_spread"}, kNoClientClock, kDecidingClients);
    const std::string above = above_limit(policy.policy.rules, phase.cost.to);
    if (!above.empty() && retries_without_end(phase) && !over_http())
      report({"phases", at, "cost"},
             above + ": a limiter that keeps the policy never lets the phase end",
             R"(use a lower cost, or limit its "retries")");
  }

  void check_fault(std::size_t index, bool has_length) {
    const std::string at = std::to_string(index);
    const Fault& fault = scenario_.faults[index];
    if (const auto problem = why_not_played(fault.row(), scenario_.target.kind))
      report({"faults", at, "do"}, problem->what(), problem->hint());
    if (!has_length) return;
    if (const auto problem = why_too_late(scenario_, fault.at))
      report({"faults", at, "at"}, problem->what(), problem->hint());
  }

  void check_expectations() {
    for (const Expectation& expectation : scenario_.expectations) {
      const auto complain = [&](const std::string& what, const std::string& hint = {}) {
        const SourceSpan span = span_of(expectation);
        context_.problems.add(span, "/expect", what, hint);
      };
      const MetricRow& metric = *expectation.metric;
      if (is_virtual() && metric.is(kOnWall))
        complain(fmt::format("{} needs real time", metric.name), R"(use "clock": "wall")");
      check_metric(expectation, complain);
      check_selection(expectation.selection, complain);
    }
  }

  SourceSpan span_of(const Expectation& expectation) const {
    const JsonValue* list = root_.find("expect");
    for (const JsonValue& item : list->items) {
      const JsonValue* text = item.kind == JsonKind::object ? item.find("that") : &item;
      if (text == nullptr) continue;
      const SourcePlace place = context_.place_of(text->span);
      if (place.line == expectation.place.line && place.column == expectation.place.column)
        return text->span;
    }
    return list->span;
  }

  template <typename Complain>
  void check_metric(const Expectation& expectation, Complain complain) const {
    const Selection& selection = expectation.selection;
    if (expectation.metric->metric == Metric::completed) {
      const auto drains = [](const Phase& phase) { return phase.model == TrafficModel::consumers; };
      const bool one = selection.phase && *selection.phase < scenario_.phases.size();
      if (one ? !drains(scenario_.phases[*selection.phase])
              : std::none_of(scenario_.phases.begin(), scenario_.phases.end(), drains))
        complain("completed counts items, but there are none",
                 R"(add a phase with "consumers" and "items")");
    }
    if (!selection.fault && !expectation.metric->is_only_of_faults()) return;
    const bool narrowed = selection.phase || selection.who || selection.policy || selection.key;
    if (narrowed && expectation.metric->metric != Metric::recovery)
      complain("a fault's figures are those of all its requests", "leave out the other selectors");
    const auto meant = [&](const Fault& fault) {
      return !selection.fault || fault.kind == *selection.fault;
    };
    if (std::none_of(scenario_.faults.begin(), scenario_.faults.end(), meant))
      complain("the scenario has no such fault", R"(add it to "faults")");
  }

  template <typename Complain>
  void check_selection(const Selection& selection, Complain complain) const {
    const auto sends = [&](const Phase& phase) {
      const auto is_meant = [&](const Share& share) { return share.who == *selection.who; };
      return !selection.who || phase.mix.empty() ||
             std::any_of(phase.mix.begin(), phase.mix.end(), is_meant);
    };
    const auto meant = [&](const Phase& phase) {
      return sends(phase) && (!selection.policy || phase.policy == *selection.policy);
    };
    if (!selection.who && !selection.policy) return;
    const bool one = selection.phase && *selection.phase < scenario_.phases.size();
    if (one ? !meant(scenario_.phases[*selection.phase])
            : std::none_of(scenario_.phases.begin(), scenario_.phases.end(), meant))
      complain("no phase sends the selected requests");
  }

  const JsonValue& root_;
  ScenarioContext& context_;
  const Scenario& scenario_;
};

}  // namespace

void check_scenario(const JsonValue& root, ScenarioContext& context) {
  Checks(root, context).run();
}

void check_planned(const Scenario& scenario) {
  constexpr std::int64_t kMostPlanned = 20'000'000;  // about 100 B each
  constexpr std::int64_t kMostTold = 1'000'000'000'000'000;
  double planned = 0;
  for (const Phase& phase : scenario.phases) planned += planned_requests(phase);
  if (planned > static_cast<double>(kMostPlanned))
    throw Error(
        Exit::usage,
        fmt::format("{} plans {} requests; the maximum is {}", escape_for_terminal(scenario.name),
                    planned < static_cast<double>(kMostTold)
                        ? format_count(static_cast<std::int64_t>(planned))
                        : "more than " + format_count(kMostTold),
                    format_count(kMostPlanned)),
        "use a lower rate or limit, fewer users or a shorter duration");
}

}  // namespace rlctl
