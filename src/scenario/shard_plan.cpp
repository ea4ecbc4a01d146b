#include "scenario/shard_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "policy/rule.h"

namespace rlctl {
namespace {

// Who plays the parts. Only those that tell each other can begin a phase when the last of them has
// ended the one before.
struct Players {
  const char* option;
  const char* one;
  bool tell_each_other;

  [[noreturn]] void refuse(const std::string& why, const std::string& hint) const {
    throw Error(Exit::usage, std::string(option) + ": " + why, hint);
  }
};
constexpr Players kMachines{"--shard", "machine", false};
constexpr Players kThreads{"--threads", "thread", true};

void check_phase(const Scenario& scenario, std::size_t index, const Players& players) {
  const Phase& phase = scenario.phases[index];
  const std::string name = "phase " + in_quotes(phase.name);
  if (phase.anchor == Anchor::first_hit)
    players.refuse(
        fmt::format("{} begins with an admission that only one {} sees", name, players.one),
        "use --anchor clock; in a scenario file: \"align\": \"window\"");
  if (phase.lockstep)
    players.refuse(
        fmt::format("{} uses lockstep, which does not work on several {}s", name, players.one),
        "remove lockstep");
  if (players.tell_each_other || index == 0 || phase.start) return;
  const Phase& before = scenario.phases[index - 1];
  if (!planned_length_us(before))
    players.refuse(fmt::format("{} begins when {} ends, but that time depends on the answers", name,
                               in_quotes(before.name)),
                   R"(add "start" to this phase, or "for" to the previous one)");
}

void check_parts(const Scenario& scenario, const Players& players) {
  if (scenario.clock == ScenarioClock::virtual_time)
    players.refuse(fmt::format("each {} would have its own virtual clock", players.one),
                   "use --clock wall; in a scenario file: \"clock\": \"wall\"");
  for (std::size_t i = 0; i < scenario.phases.size(); ++i) check_phase(scenario, i, players);
}

// What decides who sends what, and when; and what judges it.
class PlanText {
 public:
  template <class... Values>
  void add(const Values&... values) {
    ((text_ += fmt::format("{}\n", values)), ...);
  }
  void add_drawn(const DrawnNumber& number) { add(number.from, number.to, int(number.shape)); }
  void add_policy(const PolicySpec& policy) {
    add(policy.name, policy.algorithm, policy.manifest, int(policy.run), policy.policy.key);
    add(in_words(policy.policy.rules), policy.contract ? in_words(*policy.contract) : "");
    for (const std::string& url : policy.targets) add(without_secrets(url));
    add(int(policy.spread));
    if (policy.route) add_target(*policy.route);
  }
  // Not what belongs to a machine: its tokens, its addresses, its way to a Redis.
  void add_target(const TargetSpec& target) {
    add(int(target.kind), without_secrets(target.url), target.method, target.body, target.domain);
    for (const RlsDescriptor& descriptor : target.descriptors) add(descriptor_text(descriptor));
    add(joined(target.allowed), joined(target.denied), target.cost_from);
  }
  void add_phase(const Phase& phase) {
    add(phase.name, phase.policy, int(phase.anchor), phase.share_keys, phase.connections);
    add(int(phase.model), int(phase.arrivals), phase.users, phase.duration_us, phase.requests);
    add(phase.think_us, phase.consumers, phase.items, int(phase.on_deny), phase.retries);
    add_drawn(phase.cost);
    add_drawn(phase.hold_us);
    add_drawn(phase.actual_cost.value_or(always(0)));
    add(phase.vanishing_share, phase.clock_spread_us, phase.replay);
    if (phase.start) add(phase.start->phase, phase.start->after_us);
    for (const Share& share : phase.mix) add(share.who, share.weight);
    for (const RateStage& stage : phase.stages)
      add(stage.from.count, stage.from.per_us, stage.to.count, stage.to.per_us, stage.duration_us);
    for (const Burst& burst : phase.bursts) add(burst.at_us, burst.count, burst.gap_us);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string plan_of(const Scenario& scenario) {
  PlanText plan;
  plan.add(scenario.name, scenario.seed, scenario.start_at_us.value_or(0), scenario.shard.count);
  plan.add_target(scenario.target);
  for (const PolicySpec& policy : scenario.policies) plan.add_policy(policy);
  for (const IdentitySpec& one : scenario.identities)
    plan.add(one.name, one.ip, one.user, one.count, int(one.pick), one.skew);
  for (const Phase& phase : scenario.phases) plan.add_phase(phase);
  return plan.text();
}

}  // namespace

std::optional<std::int64_t> planned_length_us(const Phase& phase) {
  switch (phase.model) {
    case TrafficModel::rate:
      return phase.duration_us;
    case TrafficModel::bursts: {
      std::int64_t last_us = 0;
      for (const Burst& burst : phase.bursts)
        last_us = std::max(last_us, burst.at_us + (burst.count - 1) * burst.gap_us);
      return last_us;
    }
    case TrafficModel::users:
      if (phase.duration_us > 0) return phase.duration_us;
      return std::nullopt;
    case TrafficModel::consumers:
    case TrafficModel::replay:
      break;
  }
  return std::nullopt;
}

void check_shard(const Scenario& scenario) {
  if (scenario.shard.is_whole()) return;
  if (!scenario.start_at_us)
    kMachines.refuse("all parts must begin at the same time",
                     "add a start time: --start-at 2026-11-21T10:00:00Z");
  if (scenario.target.kind == TargetKind::embedded || scenario.target.kind == TargetKind::serve)
    kMachines.refuse("each machine would have its own Redis",
                     "name a shared one with --redis or --target");
  check_parts(scenario, kMachines);
}

void check_threads(const Scenario& scenario, std::int64_t threads) {
  if (threads == 1) return;
  if (!scenario.shard.is_whole())
    kThreads.refuse("a part of a run on several machines is played by one thread",
                    "remove --threads, or add machines");
  if (!scenario.faults.empty())
    kThreads.refuse("each thread would cause the fault", "remove --threads, or the fault");
  if (scenario.target.kind == TargetKind::serve)
    kThreads.refuse("each thread would have its own server", "remove --threads");
  check_parts(scenario, kThreads);
}

std::string shared_run_id(const Scenario& scenario) {
  std::uint32_t hash = 2'166'136'261;  // FNV-1a
  for (const char c : plan_of(scenario))
    hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  return fmt::format("{:08x}", hash);
}

}  // namespace rlctl
