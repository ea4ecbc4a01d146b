#include "scenario/pattern.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.h"
#include "base/escape.h"
#include "base/suggest.h"

namespace rlctl {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

constexpr std::array kPatterns{
    PatternInfo{"bot", "one client sends 30 requests per minute for 5 minutes", 20, 60 * kSecond},
    PatternInfo{"boundary", "bursts of the limit just before and just after a window edge", 100,
                60 * kSecond},
    PatternInfo{"double-click", "two requests 120 ms apart, and two at the same instant", 1,
                5 * kSecond},
    PatternInfo{"drain", "16 consumers process 500 items and wait after a denial", 100,
                60 * kSecond},
    PatternInfo{"flood", "3,000 users for 10 s, each sends again after every answer", 100,
                60 * kSecond},
    PatternInfo{"ramp", "100 clients, the rate grows from 0", 100, 60 * kSecond},
    PatternInfo{"poisson", "independent clients at random times, 200 requests per second", 100,
                60 * kSecond},
    PatternInfo{"mix", "100 good clients and 1 bad client at the same time", 20, 60 * kSecond},
};

// Addresses for documentation (RFC 5737), which nobody uses.
IdentitySpec one_client(const char* name, int number = 7) {
  IdentitySpec one;
  one.name = name;
  one.ip = "203.0.113." + std::to_string(number);
  one.user = "u" + std::to_string(number);
  return one;
}

IdentitySpec many_clients(const char* name, std::int64_t count) {
  IdentitySpec many;
  many.name = name;
  many.ip = "10.0.0.0/8";
  many.user = "u<n>";
  many.count = count;
  return many;
}

RateStage even_stage(const Rate& rate, std::int64_t duration_us) {
  return {rate, rate, duration_us};
}

// Builds the one or two phases of a pattern.
class Builder {
 public:
  Builder(const PolicySpec& policy, const PatternOptions& options) : options_(options) {
    scenario_.policies.push_back(policy);
  }

  Scenario bot();
  Scenario boundary();
  Scenario double_click();
  Scenario drain();
  Scenario flood();
  Scenario ramp();
  Scenario poisson();
  Scenario mix();

 private:
  std::int64_t limit() const { return scenario_.policies[0].policy.limit; }
  std::int64_t window_us() const { return scenario_.policies[0].policy.window_us; }
  Phase& add_phase(const char* name, TrafficModel model);
  Phase& add_phase_alone(const char* name, TrafficModel model);
  void add_edge(const char* name, Anchor anchor);
  std::int64_t clients(std::int64_t otherwise) const { return options_.users.value_or(otherwise); }

  const PatternOptions& options_;
  Scenario scenario_;
};

Phase& Builder::add_phase(const char* name, TrafficModel model) {
  Phase phase;
  phase.name = name;
  phase.model = model;
  phase.lockstep = options_.lockstep;
  for (std::uint32_t i = 0; i < scenario_.identities.size(); ++i) phase.mix.push_back({i, 1});
  scenario_.phases.push_back(std::move(phase));
  return scenario_.phases.back();
}

// Gives the phase its own client, because over HTTP a phase can have its own keys only in this way.
Phase& Builder::add_phase_alone(const char* name, TrafficModel model) {
  const auto number = static_cast<int>(scenario_.identities.size()) + 7;
  scenario_.identities.push_back(one_client(name, number));
  Phase& phase = add_phase(name, model);
  phase.mix = {{static_cast<std::uint32_t>(scenario_.identities.size()) - 1, 1}};
  return phase;
}

Scenario Builder::bot() {
  scenario_.identities.push_back(one_client("bot"));
  Phase& phase = add_phase("bot", TrafficModel::rate);
  phase.duration_us = options_.duration_us.value_or(300 * kSecond);
  phase.stages = {even_stage(options_.rate.value_or(Rate{30, 60 * kSecond}), phase.duration_us)};
  return std::move(scenario_);
}

// One burst just before the edge and one just after it: far enough from the edge that the server's
// clock agrees on the side, and near enough that both bursts lie well within one window. One more
// request follows, so that a limiter that admits both bursts has at least one request to deny.
void Builder::add_edge(const char* name, Anchor anchor) {
  Phase& phase = add_phase_alone(name, TrafficModel::bursts);
  phase.anchor = anchor;
  phase.bursts = {{window_us() - std::min(window_us() / 10, kSecond / 10), limit(), 0},
                  {window_us() + std::min(window_us() / 50, std::int64_t{2'000}), limit(), 0},
                  {window_us() + std::min(window_us() / 10, kSecond / 5), 1, 0}};
}

Scenario Builder::boundary() {
  const EdgeChoice choice = options_.anchor.value_or(EdgeChoice::both);
  if (choice != EdgeChoice::first_hit) add_edge("edge", Anchor::window_edge);
  if (choice != EdgeChoice::clock) add_edge("first-hit", Anchor::first_hit);
  return std::move(scenario_);
}

Scenario Builder::double_click() {
  add_phase_alone("apart", TrafficModel::bursts).bursts = {{0, 2, 120'000}};
  add_phase_alone("at-once", TrafficModel::bursts).bursts = {{0, 2, 0}};
  return std::move(scenario_);
}

Scenario Builder::drain() {
  scenario_.identities.push_back(one_client("seller"));
  Phase& phase = add_phase("drain", TrafficModel::consumers);
  phase.consumers = options_.consumers.value_or(16);
  phase.items = options_.items.value_or(500);
  phase.on_deny = options_.on_deny.value_or(OnDeny::retry_after);
  return std::move(scenario_);
}

Scenario Builder::flood() {
  const std::int64_t users = clients(3'000);
  scenario_.identities.push_back(many_clients("users", users));
  Phase& phase = add_phase("flood", TrafficModel::users);
  phase.users = users;
  phase.requests = options_.requests.value_or(0);
  phase.duration_us = options_.duration_us.value_or(phase.requests > 0 ? 0 : 10 * kSecond);
  return std::move(scenario_);
}

Scenario Builder::ramp() {
  scenario_.identities.push_back(many_clients("users", clients(100)));
  Phase& phase = add_phase("ramp", TrafficModel::rate);
  phase.duration_us = options_.duration_us.value_or(30 * kSecond);
  phase.stages = {
      {Rate{0, kSecond}, options_.rate.value_or(Rate{500, kSecond}), phase.duration_us}};
  return std::move(scenario_);
}

Scenario Builder::poisson() {
  IdentitySpec users = many_clients("users", clients(100));
  users.pick = Pick::uniform;
  scenario_.identities.push_back(users);
  Phase& phase = add_phase("poisson", TrafficModel::rate);
  phase.arrivals = ArrivalPattern::poisson;
  phase.duration_us = options_.duration_us.value_or(120 * kSecond);
  phase.stages = {even_stage(options_.rate.value_or(Rate{200, kSecond}), phase.duration_us)};
  return std::move(scenario_);
}

// Each good client stays below the limit; the bad client sends ten times as much.
Scenario Builder::mix() {
  const std::int64_t good = clients(100);
  scenario_.identities = {many_clients("good", good), one_client("bad")};
  Phase& phase = add_phase("mix", TrafficModel::rate);
  phase.arrivals = ArrivalPattern::poisson;
  phase.mix = {{0, good}, {1, 20}};
  phase.duration_us = options_.duration_us.value_or(3 * window_us());
  const Rate half{(good + 20) * std::max<std::int64_t>(limit() / 2, 1), window_us()};
  phase.stages = {even_stage(options_.rate.value_or(half), phase.duration_us)};
  return std::move(scenario_);
}

[[noreturn]] void refuse(const char* option, const PatternInfo& pattern) {
  throw Error(Exit::usage,
              std::string("--") + option + " does not apply to the pattern " + pattern.name,
              "see rlctl simulate --help");
}

void check(const PatternInfo& pattern, const PatternOptions& options) {
  const std::string name = pattern.name;
  const bool by_rate = name == "bot" || name == "ramp" || name == "poisson" || name == "mix";
  const bool many = name == "flood" || name == "ramp" || name == "poisson" || name == "mix";
  if (options.rate && !by_rate) refuse("rate", pattern);
  if (options.duration_us && !by_rate && name != "flood") refuse("for", pattern);
  if (options.requests && name != "flood") refuse("requests", pattern);
  if (options.users && !many) refuse("users", pattern);
  if (options.consumers && name != "drain") refuse("consumers", pattern);
  if (options.items && name != "drain") refuse("items", pattern);
  if (options.on_deny && name != "drain") refuse("on-deny", pattern);
  if (options.anchor && name != "boundary") refuse("anchor", pattern);
}

}  // namespace

std::span<const PatternInfo> patterns() { return kPatterns; }

const PatternInfo& find_pattern(const std::string& name) {
  std::vector<std::string> names;
  for (const PatternInfo& pattern : kPatterns) {
    if (name == pattern.name) return pattern;
    names.emplace_back(pattern.name);
  }
  std::string all;
  for (const std::string& known : names) all += (all.empty() ? "" : ", ") + known;
  const std::string guess = did_you_mean(name, names);
  throw Error(Exit::usage, "there is no pattern " + in_quotes(name),
              (guess.empty() ? "" : guess + " ") + "it is one of " + all);
}

Scenario make_pattern(const PatternInfo& pattern, const PolicySpec& policy,
                      const PatternOptions& options) {
  check(pattern, options);
  Builder builder(policy, options);
  using Make = Scenario (Builder::*)();
  constexpr Make kMakers[] = {&Builder::bot,     &Builder::boundary, &Builder::double_click,
                              &Builder::drain,   &Builder::flood,    &Builder::ramp,
                              &Builder::poisson, &Builder::mix};
  static_assert(std::size(kMakers) == std::size(kPatterns));
  Scenario scenario = (builder.*kMakers[&pattern - kPatterns.data()])();
  scenario.name = pattern.name;
  scenario.verdict = VerdictKind::holds;
  return scenario;
}

}  // namespace rlctl
