#include "scenario/pattern.h"

#include <algorithm>
#include <vector>

#include "arrivals/attack.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/object_fields.h"
#include "base/suggest.h"
#include "base/text.h"

namespace rlctl {

// The one or two phases of a pattern.
struct PatternDraft {
  Scenario scenario;
  const PatternOptions& options;

  std::int64_t limit() const { return scenario.policies[0].policy.limit; }
  std::int64_t window_us() const { return scenario.policies[0].policy.window_us; }
  std::int64_t clients(std::int64_t otherwise) const { return options.users.value_or(otherwise); }
};

namespace {

constexpr std::int64_t kSecond = 1'000'000;

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

Phase& add_phase(PatternDraft& draft, const char* name, TrafficModel model) {
  Phase phase;
  phase.name = name;
  phase.model = model;
  phase.lockstep = draft.options.lockstep;
  phase.hold_us = always(draft.options.hold_us);
  phase.vanishing_share = draft.options.vanishing_share;
  for (std::uint32_t i = 0; i < draft.scenario.identities.size(); ++i) phase.mix.push_back({i, 1});
  draft.scenario.phases.push_back(std::move(phase));
  return draft.scenario.phases.back();
}

// Gives the phase its own client, because over HTTP a phase can have its own keys only in this way.
Phase& add_phase_alone(PatternDraft& draft, const char* name, TrafficModel model) {
  const auto number = static_cast<int>(draft.scenario.identities.size()) + 7;
  draft.scenario.identities.push_back(one_client(name, number));
  Phase& phase = add_phase(draft, name, model);
  phase.mix = {{static_cast<std::uint32_t>(draft.scenario.identities.size()) - 1, 1}};
  return phase;
}

void bot(PatternDraft& draft) {
  draft.scenario.identities.push_back(one_client("bot"));
  Phase& phase = add_phase(draft, "bot", TrafficModel::rate);
  phase.duration_us = draft.options.duration_us.value_or(300 * kSecond);
  phase.stages = {
      even_stage(draft.options.rate.value_or(Rate{30, 60 * kSecond}), phase.duration_us)};
}

// One burst just before the edge and one just after it. One more request follows, so that a limiter
// that admits both bursts has at least one request to deny.
void add_edge(PatternDraft& draft, const char* name, Anchor anchor) {
  Phase& phase = add_phase_alone(draft, name, TrafficModel::bursts);
  phase.anchor = anchor;
  const EdgeDistance edge = distance_of(draft.window_us(), kPatternEdge);
  phase.bursts = {{draft.window_us() - edge.before_us, draft.limit(), 0},
                  {draft.window_us() + edge.after_us, draft.limit(), 0},
                  {draft.window_us() + std::min(draft.window_us() / 10, kSecond / 5), 1, 0}};
}

void boundary(PatternDraft& draft) {
  const EdgeChoice choice = draft.options.anchor.value_or(EdgeChoice::both);
  if (choice != EdgeChoice::first_hit) add_edge(draft, "edge", Anchor::window_edge);
  if (choice != EdgeChoice::clock) add_edge(draft, "first-hit", Anchor::first_hit);
}

void double_click(PatternDraft& draft) {
  add_phase_alone(draft, "apart", TrafficModel::bursts).bursts = {{0, 2, 120'000}};
  add_phase_alone(draft, "at-once", TrafficModel::bursts).bursts = {{0, 2, 0}};
}

void drain(PatternDraft& draft) {
  draft.scenario.identities.push_back(one_client("seller"));
  Phase& phase = add_phase(draft, "drain", TrafficModel::consumers);
  phase.consumers = draft.options.consumers.value_or(16);
  phase.items = draft.options.items.value_or(500);
  phase.on_deny = draft.options.on_deny.value_or(OnDeny::retry_after);
}

void flood(PatternDraft& draft) {
  const std::int64_t users = draft.clients(3'000);
  draft.scenario.identities.push_back(many_clients("users", users));
  Phase& phase = add_phase(draft, "flood", TrafficModel::users);
  phase.users = users;
  phase.requests = draft.options.requests.value_or(0);
  phase.duration_us = draft.options.duration_us.value_or(phase.requests > 0 ? 0 : 10 * kSecond);
}

void ramp(PatternDraft& draft) {
  draft.scenario.identities.push_back(many_clients("users", draft.clients(100)));
  Phase& phase = add_phase(draft, "ramp", TrafficModel::rate);
  phase.duration_us = draft.options.duration_us.value_or(30 * kSecond);
  phase.stages = {
      {Rate{0, kSecond}, draft.options.rate.value_or(Rate{500, kSecond}), phase.duration_us}};
}

void poisson(PatternDraft& draft) {
  IdentitySpec users = many_clients("users", draft.clients(100));
  users.pick = Pick::uniform;
  draft.scenario.identities.push_back(users);
  Phase& phase = add_phase(draft, "poisson", TrafficModel::rate);
  phase.arrivals = ArrivalPattern::poisson;
  phase.duration_us = draft.options.duration_us.value_or(120 * kSecond);
  phase.stages = {even_stage(draft.options.rate.value_or(Rate{200, kSecond}), phase.duration_us)};
}

// Each good client stays below the limit; the bad client sends ten times as much.
void mix(PatternDraft& draft) {
  const std::int64_t good = draft.clients(100);
  draft.scenario.identities = {many_clients("good", good), one_client("bad")};
  Phase& phase = add_phase(draft, "mix", TrafficModel::rate);
  phase.arrivals = ArrivalPattern::poisson;
  phase.mix = {{0, good}, {1, 20}};
  phase.duration_us = draft.options.duration_us.value_or(3 * draft.window_us());
  const Rate half{(good + 20) * std::max<std::int64_t>(draft.limit() / 2, 1), draft.window_us()};
  phase.stages = {even_stage(draft.options.rate.value_or(half), phase.duration_us)};
}

constexpr PatternInfo kPatterns[] = {
    {"bot",
     "one client sends 30 requests per minute for 5 minutes",
     20,
     60 * kSecond,
     {.rate = true, .duration = true},
     bot},
    {"boundary",
     "bursts of the limit just before and just after a window edge",
     100,
     60 * kSecond,
     {.anchor = true},
     boundary},
    {"double-click",
     "two requests 120 ms apart, and two at the same instant",
     1,
     5 * kSecond,
     {},
     double_click},
    {"drain",
     "16 consumers process 500 items and wait after a denial",
     100,
     60 * kSecond,
     {.consumers = true, .items = true, .on_deny = true},
     drain},
    {"flood",
     "3,000 users for 10 s, each sends again after every answer",
     100,
     60 * kSecond,
     {.duration = true, .requests = true, .users = true},
     flood,
     true},
    {"ramp",
     "100 clients, the rate grows from 0",
     100,
     60 * kSecond,
     {.rate = true, .duration = true, .users = true},
     ramp},
    {"poisson",
     "independent clients at random times, 200 requests per second",
     100,
     60 * kSecond,
     {.rate = true, .duration = true, .users = true},
     poisson},
    {"mix",
     "100 good clients and 1 bad client at the same time",
     20,
     60 * kSecond,
     {.rate = true, .duration = true, .users = true},
     mix},
};

[[noreturn]] void refuse(const char* option, const PatternInfo& pattern) {
  throw Error(Exit::usage,
              std::string("--") + option + " does not apply to the pattern " + pattern.name,
              "see rlctl simulate --help");
}

void check(const PatternInfo& pattern, const PatternOptions& options) {
  const PatternTakes& takes = pattern.takes;
  const struct {
    const char* name;
    bool given;
    bool taken;
  } uses[] = {
      {"rate", options.rate.has_value(), takes.rate},
      {"for", options.duration_us.has_value(), takes.duration},
      {"requests", options.requests.has_value(), takes.requests},
      {"users", options.users.has_value(), takes.users},
      {"consumers", options.consumers.has_value(), takes.consumers},
      {"items", options.items.has_value(), takes.items},
      {"on-deny", options.on_deny.has_value(), takes.on_deny},
      {"anchor", options.anchor.has_value(), takes.anchor},
  };
  for (const auto& use : uses)
    if (use.given && !use.taken) refuse(use.name, pattern);
}

}  // namespace

std::span<const PatternInfo> patterns() { return kPatterns; }

std::string patterns_with(bool PatternTakes::*option) {
  std::vector<std::string> names;
  for (const PatternInfo& pattern : kPatterns)
    if (pattern.takes.*option) names.emplace_back(pattern.name);
  return joined(names);
}

const PatternInfo& find_pattern(const std::string& name) {
  std::vector<std::string> names;
  for (const PatternInfo& pattern : kPatterns) {
    if (name == pattern.name) return pattern;
    names.emplace_back(pattern.name);
  }
  const std::string guess = did_you_mean(name, names);
  throw Error(Exit::usage, "there is no pattern " + in_quotes(name),
              (guess.empty() ? "" : guess + " ") + one_of(names));
}

Scenario make_pattern(const PatternInfo& pattern, const PolicySpec& policy,
                      const PatternOptions& options) {
  check(pattern, options);
  PatternDraft draft{{}, options};
  draft.scenario.policies.push_back(policy);
  pattern.make(draft);
  draft.scenario.name = pattern.name;
  draft.scenario.verdict = VerdictKind::holds;
  return std::move(draft.scenario);
}

}  // namespace rlctl
