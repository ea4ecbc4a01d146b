#include "scenario/pattern.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "arrivals/attack.h"
#include "arrivals/identity_set.h"
#include "arrivals/phase_traffic.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/object_fields.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/units.h"
#include "scenario/playable.h"

namespace rlctl {

namespace {

constexpr std::int64_t kSecond = 1'000'000;

// What a pattern multiplies may be too large for an integer. So large a number is never sent: far
// fewer requests are too many (check_planned), and sums of a few such numbers still fit.
std::int64_t counted_product(std::initializer_list<double> factors) {
  constexpr double kUncountable = 1e17;
  double product = 1;
  for (const double factor : factors) product *= factor;
  return static_cast<std::int64_t>(std::min(product, kUncountable));
}
double real(std::int64_t number) { return static_cast<double>(number); }

}  // namespace

// The one or two phases of a pattern.
struct PatternDraft {
  Scenario scenario;
  const PatternOptions& options;

  // In requests: the limit of a window, or the refill of a bucket meanwhile.
  std::int64_t limit() const { return in_requests(policy().limit); }
  // What fits at one instant, or may be held.
  std::int64_t most_at_once() const { return in_requests(policy().bucket_capacity()); }
  // A bucket admits what it holds, and what is refilled in that time.
  std::int64_t refilled_in(std::int64_t time_us) const {
    return is_bucket() ? counted_product({real(limit()), real(time_us) / real(window_us())}) : 0;
  }
  std::int64_t most_in_window() const { return most_at_once() + refilled_in(window_us()); }
  // Until what is in use is free again: a window, or the time that an admission is held.
  std::int64_t window_us() const {
    const std::int64_t told_us = is_held() ? held_us() : policy().window_us;
    return told_us > 0 ? told_us : 60 * kSecond;
  }
  // Until one more request fits.
  std::int64_t until_next_us() const { return is_bucket() ? window_us() / limit() : window_us(); }
  // Whoever gives its place back at once never fills a limit in flight, and must do so before its
  // lease ends. Without a finish there is nothing to give back.
  std::int64_t hold_us() const {
    if (options.hold_us) return *options.hold_us;
    const bool holds = options.has_finish && any_in_flight(policy().rules);
    return holds ? std::min(policy().window_us / 2, 2 * kSecond) : 0;
  }
  bool is_held() const { return any_in_flight({policy().rules.front()}); }
  // Of whom each can use more than its limit, which takes a user for each admission that is held.
  std::int64_t clients(std::int64_t otherwise) const {
    const auto holders = static_cast<std::int64_t>(kMostOpenLoopUsers) / (4 * limit());
    const std::int64_t most = is_held() ? std::max<std::int64_t>(holders, 1) : otherwise;
    return options.users.value_or(std::min(otherwise, most));
  }
  // In real time: a window and a quarter, so that it is seen to end. The virtual clock is fast.
  std::int64_t duration_us(std::int64_t virtual_windows) const {
    return options.duration_us.value_or(options.real_time ? window_us() / 4 * 5
                                                          : virtual_windows * window_us());
  }
  // So many tenths of what is admitted for each client in a window, or in the whole phase if that
  // is shorter.
  Rate rate(std::int64_t tenths, std::int64_t clients, std::int64_t phase_us) const {
    return options.rate.value_or(
        Rate{counted_product({real(tenths), real(most_in_window()), real(clients)}),
             10 * std::min(phase_us, window_us())});
  }

 private:
  const Policy& policy() const { return scenario.policies[0].policy; }
  bool is_bucket() const { return policy().capacity > 0; }
  // Over HTTP the service holds.
  std::int64_t held_us() const {
    return std::max(hold_us(), scenario.policies[0].held_at_least_us);
  }
  std::int64_t in_requests(std::int64_t units) const {
    return std::max<std::int64_t>(units / options.cost, 1);
  }
};

namespace {

// Addresses for documentation (RFC 5737), which nobody uses.
IdentitySpec one_client(const char* name, int number = 7) {
  IdentitySpec one;
  one.name = name;
  one.ip = "203.0.113." + std::to_string(number);
  one.user = "u" + std::to_string(number);
  return one;
}

// Beside many clients: it has the name of none of them.
IdentitySpec other_client(const char* name) {
  IdentitySpec one = one_client(name);
  one.user = name;
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
  phase.cost = always(draft.options.cost);
  phase.hold_us = always(draft.hold_us());
  phase.vanishing_share = draft.options.vanishing_share;
  phase.on_deny = draft.options.on_deny.value_or(OnDeny::drop);
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
  phase.duration_us = draft.duration_us(5);
  // One and a half times its limit; in real time three times, so that it is denied sooner.
  const std::int64_t tenths = draft.options.real_time ? 30 : 15;
  phase.stages = {even_stage(draft.rate(tenths, 1, phase.duration_us), phase.duration_us)};
}

// One burst just before the edge and one just after it. One more request follows, so that a limiter
// that admits both bursts has at least one request to deny. What a bucket gets back between the
// bursts is part of them.
void add_edge(PatternDraft& draft, const char* name, Anchor anchor) {
  Phase& phase = add_phase_alone(draft, name, TrafficModel::bursts);
  phase.anchor = anchor;
  const EdgeDistance edge = distance_of(draft.window_us(), kPatternEdge);
  const std::int64_t all = draft.most_at_once() + draft.refilled_in(edge.before_us + edge.after_us);
  // The user of a first hit sends again when it has given back what it held.
  const std::int64_t edge_us = (draft.is_held() ? 2 : 1) * draft.window_us();
  phase.bursts = {{edge_us - edge.before_us, all, 0},
                  {edge_us + edge.after_us, all, 0},
                  {edge_us + std::min(draft.window_us() / 10, kSecond / 5), 1, 0}};
}

void boundary(PatternDraft& draft) {
  const EdgeChoice choice = draft.options.anchor.value_or(EdgeChoice::both);
  if (choice != EdgeChoice::first_hit) add_edge(draft, "edge", Anchor::window_edge);
  if (choice != EdgeChoice::clock) add_edge(draft, "first-hit", Anchor::first_hit);
}

// The first requests leave room for one of the two clicks, which come before there is room for
// another.
void double_click(PatternDraft& draft) {
  const std::int64_t before = draft.most_at_once() - 1;
  const std::int64_t at_us = before == 0 ? 0 : std::min(draft.until_next_us() / 4, kSecond / 2);
  const auto add = [&](const char* name, std::int64_t gap_us) {
    std::vector<Burst>& bursts = add_phase_alone(draft, name, TrafficModel::bursts).bursts;
    if (before > 0) bursts.push_back({0, before, 0});
    bursts.push_back({at_us, 2, gap_us});
  };
  add("apart", std::min<std::int64_t>(draft.until_next_us() / 2, 120'000));
  add("at-once", 0);
}

void drain(PatternDraft& draft) {
  draft.scenario.identities.push_back(one_client("seller"));
  Phase& phase = add_phase(draft, "drain", TrafficModel::consumers);
  // What is in flight is held by a consumer each.
  const std::int64_t holders = draft.is_held() ? 2 * draft.limit() : 0;
  phase.consumers = draft.options.users.value_or(std::max<std::int64_t>(holders, 16));
  // In real time there is one window to wait for.
  const std::int64_t halves = draft.options.real_time ? 1 : 8;
  const std::int64_t enough =
      std::max<std::int64_t>(draft.most_at_once() + halves * draft.limit() / 2, 2);
  phase.items = draft.options.items.value_or(enough);
  phase.on_deny = draft.options.on_deny.value_or(OnDeny::retry_after);
}

void flood(PatternDraft& draft) {
  constexpr std::int64_t kSlowService = 2'000;  // answers a second
  const std::int64_t users = draft.options.users.value_or(3'000);
  const std::int64_t requests = draft.options.requests.value_or(0);
  const std::int64_t length_us =
      draft.options.duration_us.value_or(requests > 0 ? 0 : 10 * kSecond);
  // Several users share a client, so that also a slow service gets three times each client's limit,
  // and so that they can hold more than is allowed.
  const std::int64_t answers = requests > 0 ? requests : length_us * kSlowService / kSecond;
  const std::int64_t allowed = draft.most_at_once() + draft.refilled_in(length_us);
  const std::int64_t most = draft.is_held() ? users / (2 * draft.limit()) : users;
  const std::int64_t clients =
      std::clamp<std::int64_t>(answers / (3 * allowed), 1, std::max<std::int64_t>(most, 1));
  draft.scenario.identities.push_back(many_clients("users", clients));
  Phase& phase = add_phase(draft, "flood", TrafficModel::users);
  phase.users = users;
  phase.requests = requests;
  phase.duration_us = length_us;
}

void ramp(PatternDraft& draft) {
  const std::int64_t clients = draft.clients(draft.options.real_time ? 10 : 100);
  draft.scenario.identities.push_back(many_clients("users", clients));
  Phase& phase = add_phase(draft, "ramp", TrafficModel::rate);
  phase.duration_us = draft.options.duration_us.value_or(std::min(draft.window_us(), 30 * kSecond));
  // It ends at four times the limit, so that it sends twice the limit on the way.
  phase.stages = {
      {Rate{0, kSecond}, draft.rate(40, clients, phase.duration_us), phase.duration_us}};
}

void poisson(PatternDraft& draft) {
  const std::int64_t clients = draft.clients(draft.options.real_time ? 10 : 100);
  IdentitySpec users = many_clients("users", clients);
  users.pick = Pick::uniform;
  draft.scenario.identities.push_back(users);
  Phase& phase = add_phase(draft, "poisson", TrafficModel::rate);
  phase.arrivals = ArrivalPattern::poisson;
  phase.duration_us = draft.duration_us(2);
  const std::int64_t tenths = draft.options.real_time ? 20 : 12;
  phase.stages = {even_stage(draft.rate(tenths, clients, phase.duration_us), phase.duration_us)};
}

// Each good client stays below the limit; the bad client sends ten times as much, or twice what
// fits.
void mix(PatternDraft& draft) {
  const std::int64_t good = draft.clients(100);
  const std::int64_t each = std::max<std::int64_t>(draft.limit() / 2, 1);
  const std::int64_t twice = (2 * draft.most_in_window() + each - 1) / each;
  const std::int64_t bad = draft.is_held() ? twice : std::max<std::int64_t>(20, twice);
  draft.scenario.identities = {many_clients("good", good), other_client("bad")};
  Phase& phase = add_phase(draft, "mix", TrafficModel::rate);
  phase.arrivals = ArrivalPattern::poisson;
  phase.mix = {{0, good}, {1, bad}};
  phase.duration_us = draft.duration_us(3);
  const Rate half{counted_product({real(good + bad), real(each)}), draft.window_us()};
  phase.stages = {even_stage(draft.options.rate.value_or(half), phase.duration_us)};
}

constexpr PatternInfo kPatterns[] = {
    {"bot",
     "one client sends more than its limit, for several windows",
     20,
     60 * kSecond,
     {.rate = true, .duration = true, .on_deny = true},
     bot},
    {"boundary",
     "bursts of the limit just before and just after a window edge",
     100,
     60 * kSecond,
     {.on_deny = true, .anchor = true},
     boundary},
    {"double-click",
     "two requests 120 ms apart, and two at the same instant, where one is left",
     1,
     5 * kSecond,
     {.on_deny = true},
     double_click},
    {"drain",
     "16 consumers process more items than one window allows, and wait",
     100,
     60 * kSecond,
     {.users = true, .items = true, .on_deny = true},
     drain},
    {"flood",
     "3,000 users for 10 s, each sends again after every answer",
     100,
     60 * kSecond,
     {.duration = true, .requests = true, .users = true, .on_deny = true},
     flood,
     true},
    {"ramp",
     "many clients, the rate grows from 0 to four times the limit",
     100,
     60 * kSecond,
     {.rate = true, .duration = true, .users = true, .on_deny = true},
     ramp},
    {"poisson",
     "independent clients at random times, a little above their limit",
     100,
     60 * kSecond,
     {.rate = true, .duration = true, .users = true, .on_deny = true},
     poisson},
    {"mix",
     "100 good clients and 1 bad client at the same time",
     20,
     60 * kSecond,
     {.rate = true, .duration = true, .users = true, .on_deny = true},
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
      {"items", options.items.has_value(), takes.items},
      {"on-deny", options.on_deny.has_value(), takes.on_deny},
      {"anchor", options.anchor.has_value(), takes.anchor},
  };
  if (options.requests && options.duration_us)
    throw Error(Exit::usage, "--requests and --for: each of them ends the flood",
                "remove one of them");
  for (const auto& use : uses)
    if (use.given && !use.taken) refuse(use.name, pattern);
  if (options.users.value_or(0) > kMostIdentities)
    throw Error(Exit::usage, "--users: " + format_count(*options.users) + " is too large",
                "the maximum is " + format_count(kMostIdentities));
}

void check_users(const PatternInfo& pattern, const Scenario& scenario) {
  for (const Phase& phase : scenario.phases)
    if (const std::int64_t users = std::max(phase.users, phase.consumers); users > kMostUsers)
      throw Error(Exit::usage,
                  std::string(pattern.name) + " has " + format_count(users) +
                      " users at once; the maximum is " + format_count(kMostUsers),
                  "use fewer --users, or a lower limit");
}

// A limiter with a flaw may admit it all the same: who expects that can see it, if the traffic
// ends.
void check_cost(const Scenario& scenario, const Rules& promise) {
  const Rules& rules = scenario.policies.front().policy.rules;
  const Phase& phase = scenario.phases.front();
  const std::string above = above_limit(rules, phase.cost.from);
  const bool ends = !retries_without_end(phase);
  if (above.empty() || (ends && scenario.verdict == VerdictKind::violated)) return;
  const bool is_promised = !promise.empty() && promise != rules;
  const std::string of_promise = is_promised && !above_limit(promise, phase.cost.from).empty()
                                     ? " --expect-contract violated"
                                     : "";
  throw Error(
      Exit::usage, above + ": a limiter that keeps the policy admits none",
      "use --cost " + std::to_string(most_at_once(rules)) +
          " or less, or a policy that admits more" +
          (ends ? "; --expect violated" + of_promise + " tests if the limiter admits it" : ""));
}

// Random gaps may be longer than a phase. Where many requests are expected, there are some.
bool sends(const Scenario& scenario, std::uint32_t index) {
  constexpr double kSurelySome = 100;
  const Phase& phase = scenario.phases[index];
  if (phase.model != TrafficModel::rate || planned_requests(phase) > kSurelySome) return true;
  return !plan_stages(phase.stages, phase.arrivals, phase_seed(scenario.seed, index)).empty();
}

void check_sends(const Scenario& scenario) {
  for (std::uint32_t i = 0; i < scenario.phases.size(); ++i)
    if (sends(scenario, i)) return;
  throw Error(
      Exit::usage,
      "this rate plans no request in " + format_duration(scenario.phases.front().duration_us),
      "use a higher --rate, a longer --for or another --seed");
}

}  // namespace

void check_pattern(const Scenario& scenario, const Rules& promise) {
  check_cost(scenario, promise);
  check_sends(scenario);
}

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
  check_users(pattern, draft.scenario);
  draft.scenario.name = pattern.name;
  draft.scenario.verdict = VerdictKind::holds;
  return std::move(draft.scenario);
}

}  // namespace rlctl
