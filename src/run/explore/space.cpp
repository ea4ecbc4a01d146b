#include "run/explore/space.h"

#include <utility>

#include "base/sort.h"
#include "run/explore/known_instants.h"

namespace rlctl {
namespace {

// Bits in the second word of a key: events that have happened. The low byte counts time steps.
constexpr std::uint32_t kTimeSteps = 0xff;
constexpr std::uint32_t kCrashed = 1u << 8;
constexpr std::uint32_t kExpired = 1u << 9;
constexpr std::uint32_t kForgotten = 1u << 10;
constexpr std::uint32_t kBroken = 1u << 11;  // the contract was, also if it holds again
constexpr std::size_t kFirstSlot = 2;
constexpr int kMostTries = 10'000;

Choice client_choice(std::size_t client) {
  return {Choice::Kind::client, static_cast<std::uint8_t>(client)};
}

}  // namespace

std::size_t ExploreSpace::KeyHash::operator()(const Key& key) const {
  std::size_t hash = 0xcbf29ce484222325u;
  for (const std::uint32_t word : key) hash = (hash ^ word) * 0x9e3779b97f4a7c15u ^ hash >> 29;
  return hash;
}

ExploreSpace::ExploreSpace(ExploreRules rules, StepProgram& program, RedisModel redis)
    : rules_(std::move(rules)), locals_(program) {
  Key key{};
  key[0] = intern(std::move(redis));
  for (std::size_t i = 0; i < rules_.clients; ++i) key[kFirstSlot + i] = intern(Slot{});
  intern(key);
}

std::uint32_t ExploreSpace::intern(RedisModel model) {
  const auto [place, is_new] =
      model_ids_.try_emplace(model.fingerprint(), static_cast<std::uint32_t>(models_.size()));
  if (is_new) models_.push_back(std::move(model));
  return place->second;
}

std::uint32_t ExploreSpace::intern(const Slot& slot) {
  std::string bytes;
  put_number(bytes, static_cast<std::int64_t>(slot.phase));
  put_number(bytes, slot.local);
  put_number(bytes, static_cast<std::int64_t>(slot.outcome));
  put_number(bytes, static_cast<std::int64_t>(slot.ran_at_us.size()));
  for (const std::int64_t instant_us : slot.ran_at_us) put_number(bytes, instant_us);
  put_text(bytes, slot.problem);
  const auto [place, is_new] =
      slot_ids_.try_emplace(bytes, static_cast<std::uint32_t>(slots_.size()));
  if (is_new) slots_.push_back(slot);
  return place->second;
}

ExploreSpace::State ExploreSpace::intern(const Key& key) {
  const auto [place, is_new] = ids_.try_emplace(key, static_cast<State>(keys_.size()));
  if (is_new) {
    keys_.push_back(key);
    facts_.push_back(facts_of(key));
  }
  return place->second;
}

ExploreSpace::Facts ExploreSpace::facts_of(const Key& key) const {
  Facts facts;
  facts.is_final = facts.is_quiescent = true;
  for (std::size_t i = 0; i < rules_.clients; ++i) {
    const Slot& slot = slots_[key[kFirstSlot + i]];
    facts.is_final = facts.is_final && slot.phase >= Phase::ended;
    facts.is_quiescent = facts.is_quiescent && slot.phase != Phase::running;
    if (is_admitted(slot)) ++facts.admitted;
    if (is_holding(slot)) ++facts.held;
    if (slot.phase == Phase::crashed ||
        (slot.phase == Phase::ended && slot.outcome == Outcome::unknown))
      ++facts.in_doubt;
  }
  facts.over_admission = (key[1] & kBroken) != 0 || breaks_rules(key);
  return facts;
}

bool ExploreSpace::has_decided(const Slot& slot) const {
  if (slot.phase == Phase::running) return locals_.step(slot.local).has_decided();
  return slot.phase == Phase::ended;
}

bool ExploreSpace::is_admitted(const Slot& slot) const {
  if (slot.phase == Phase::ended) return slot.outcome == Outcome::allowed;
  return slot.phase == Phase::running && has_decided(slot);  // then it has a finish
}

bool ExploreSpace::is_holding(const Slot& slot) const {
  return slot.phase == Phase::running && locals_.step(slot.local).stage == ProgramStage::holding;
}

bool ExploreSpace::breaks_rules(const Key& key) const {
  Rules windows;
  for (const Rule& rule : rules_.contract) {
    if (rule.has_window())
      windows.push_back(rule);
    else if (breaks_flight(key, rule))
      return true;
  }
  return !windows.empty() && breaks_windows(key, windows);
}

// Who holds at this instant, for certain: alive, admitted, and its lease has not ended.
bool ExploreSpace::breaks_flight(const Key& key, const Rule& rule) const {
  const std::int64_t now_us = models_[key[0]].now_us();
  std::int64_t held = 0;
  for (std::size_t i = 0; i < rules_.clients; ++i) {
    const Slot& slot = slots_[key[kFirstSlot + i]];
    if (!is_holding(slot)) continue;
    if (rule.lease_us == 0 || now_us < slot.ran_at_us.front() + rule.lease_us) ++held;
  }
  return held > rule.limit;
}

// While the clock stands still, one comparison of numbers is enough for every contract. Otherwise
// the judge replays what happened: every instant is known.
bool ExploreSpace::breaks_windows(const Key& key, const Rules& rules) const {
  KnownInstants known;
  for (std::size_t i = 0; i < rules_.clients; ++i) {
    const Slot& slot = slots_[key[kFirstSlot + i]];
    known.hits.insert(known.hits.end(), slot.ran_at_us.begin(), slot.ran_at_us.end());
    if (is_admitted(slot)) known.admitted.push_back(slot.ran_at_us);
  }
  const std::int64_t most = most_at_once(rules);
  if (static_cast<std::int64_t>(known.admitted.size()) <= most) return false;
  sort_unique(known.hits);
  if (known.hits.size() == 1) return true;
  return over_admits(known, rules, rules_.tolerance_us);
}

Rules ExploreSpace::broken_rules(State state) const {
  const Key& key = keys_[state];
  Rules broken, windows;
  for (const Rule& rule : rules_.contract) {
    if (rule.has_window()) windows.push_back(rule);
    if (rule.has_window() ? breaks_windows(key, {rule}) : breaks_flight(key, rule))
      broken.push_back(rule);
  }
  return broken.empty() ? windows : broken;
}

const ExploreSpace::Slot& ExploreSpace::slot(State state, std::size_t client) const {
  return slots_[keys_[state][kFirstSlot + client]];
}

bool ExploreSpace::has_crash(State state) const { return (keys_[state][1] & kCrashed) != 0; }

std::vector<std::string> ExploreSpace::keys_without_expiry(State state) const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : redis(state).entries())
    if (entry.expires_ms == kNeverExpires) names.push_back(name);
  return names;
}

const ProgramStep* ExploreSpace::pending(State state, std::size_t client) const {
  const Slot& held = slot(state, client);
  return held.phase == Phase::running ? &locals_.step(held.local) : nullptr;
}

ExploreSpace::Key ExploreSpace::key_before_step(State state) const {
  Key key = keys_[state];
  if (facts_[state].over_admission) key[1] |= kBroken;
  return key;
}

std::vector<ExploreSpace::Edge> ExploreSpace::edges(State state) {
  std::vector<Edge> edges;
  if (is_final(state)) return edges;
  const Key key = key_before_step(state);
  const auto add = [&edges](const std::optional<Edge>& edge) {
    if (edge) edges.push_back(*edge);
  };
  for (std::size_t i = 0; i < rules_.clients; ++i) add(free_edge(key, i));
  if (!has_free_client(key))
    for (std::size_t i = 0; i < rules_.clients; ++i) add(waiter_edge(key, i));
  for (std::size_t i = 0; i < rules_.clients; ++i) add(crash_edge(key, i));
  add(time_edge(key));
  for (std::size_t i = 0; i < expirable(state); ++i) add(expiry_edge(key, i));
  add(forget_edge(key));
  return edges;
}

std::optional<ExploreSpace::Edge> ExploreSpace::edge(State state, const Choice& choice) {
  if (is_final(state)) return {};
  const Key key = key_before_step(state);
  switch (choice.kind) {
    case Choice::Kind::crash:
      return crash_edge(key, choice.index);
    case Choice::Kind::time:
      return time_edge(key);
    case Choice::Kind::expiry:
      return expiry_edge(key, choice.index);
    case Choice::Kind::forget:
      return forget_edge(key);
    default:
      if (auto edge = free_edge(key, choice.index)) return edge;
      return has_free_client(key) ? std::nullopt : waiter_edge(key, choice.index);
  }
}

// How many clients this client's next step represents; 0: it has no next step, or another client
// represents it.
std::uint8_t ExploreSpace::alike(const Key& key, std::size_t client) const {
  const Phase phase = slots_[key[kFirstSlot + client]].phase;
  if (phase >= Phase::ended) return 0;
  if (phase == Phase::running || !rules_.clients_alike) return 1;
  std::uint8_t idle = 0;
  for (std::size_t i = 0; i < rules_.clients; ++i) {
    if (slots_[key[kFirstSlot + i]].phase != Phase::idle) continue;
    if (i < client) return 0;
    ++idle;
  }
  return idle;
}

LocalStates::Id ExploreSpace::local_of(const Key& key, std::size_t client) {
  const Slot& slot = slots_[key[kFirstSlot + client]];
  if (slot.phase == Phase::running) return slot.local;
  return locals_.start({client, models_[key[0]].now_us()});
}

// The step of a client that does not wait.
std::optional<ExploreSpace::Edge> ExploreSpace::free_edge(const Key& key, std::size_t client) {
  const std::uint8_t same = alike(key, client);
  if (same == 0) return {};
  const Executed executed = execute(key[0], local_of(key, client), client);
  if (executed.waits) return {};
  return Edge{client_choice(client), intern(after(key, client, executed)), same};
}

bool ExploreSpace::has_free_client(const Key& key) {
  for (std::size_t i = 0; i < rules_.clients; ++i)
    if (alike(key, i) > 0 && !execute(key[0], local_of(key, i), i).waits) return true;
  return false;
}

// A client that waits in vain, until its retries are used up.
std::optional<ExploreSpace::Edge> ExploreSpace::waiter_edge(const Key& key, std::size_t client) {
  const std::uint8_t same = alike(key, client);
  if (same == 0) return {};
  const LocalStates::Id before = local_of(key, client);
  Executed executed = execute(key[0], before, client);
  const Words command = locals_.step(before).command;
  for (int i = 0; i < kMostTries && locals_.step(executed.local).command == command; ++i)
    executed = execute(key[0], executed.local, client);
  return Edge{client_choice(client), intern(after(key, client, executed)), same};
}

ExploreSpace::Executed ExploreSpace::execute(std::uint32_t model, LocalStates::Id local,
                                             std::size_t client) {
  const std::uint64_t both = std::uint64_t{model} << 32 | local;
  if (const auto known = executed_.find(both); known != executed_.end()) return known->second;
  const Words command = locals_.step(local).command;
  Executed executed{model, local, false};
  if (!command.empty()) {
    RedisModel redis = models_[model];
    const Reply reply = redis.execute(client, command);
    executed.local = locals_.after(local, reply);
    const bool repeats = locals_.step(executed.local).command == command;
    if (locals_.step(executed.local).has_ended()) redis.disconnect(client);
    executed.model = intern(std::move(redis));
    executed.waits = repeats && executed.model == model && locals_.waits_for_another(local, reply);
    if (executed.waits && waited_with_.empty()) waited_with_ = command;
  }
  return executed_[both] = executed;
}

ExploreSpace::Key ExploreSpace::after(const Key& key, std::size_t client,
                                      const Executed& executed) {
  const ProgramStep& step = locals_.step(executed.local);
  const std::int64_t now_us = models_[key[0]].now_us();
  const Slot& before = slots_[key[kFirstSlot + client]];
  Slot slot;
  slot.ran_at_us = before.ran_at_us;
  const bool again = !slot.ran_at_us.empty() && slot.ran_at_us.back() == now_us;
  if (!again && !has_decided(before)) slot.ran_at_us.push_back(now_us);
  slot.phase = step.has_ended() ? Phase::ended : Phase::running;
  if (step.has_ended()) {
    slot.outcome = step.outcome;
    slot.problem = step.problem;
  } else {
    slot.local = executed.local;
  }
  Key next = key;
  next[0] = executed.model;
  next[kFirstSlot + client] = intern(slot);
  return next;
}

std::optional<ExploreSpace::Edge> ExploreSpace::crash_edge(const Key& key, std::size_t client) {
  const Slot& slot = slots_[key[kFirstSlot + client]];
  if (!rules_.events.crash || (key[1] & kCrashed) != 0 || slot.phase != Phase::running) return {};
  Slot crashed;
  crashed.phase = Phase::crashed;
  crashed.ran_at_us = slot.ran_at_us;
  RedisModel redis = models_[key[0]];
  redis.disconnect(client);
  Key next = key;
  next[0] = intern(std::move(redis));
  next[1] |= kCrashed;
  next[kFirstSlot + client] = intern(crashed);
  return Edge{{Choice::Kind::crash, static_cast<std::uint8_t>(client)}, intern(next)};
}

ExploreSpace::Edge ExploreSpace::later(const Key& key, std::int64_t now_us, std::uint32_t events,
                                       const Choice& choice) {
  RedisModel redis = models_[key[0]];
  redis.advance_to(now_us);
  Key next = key;
  next[0] = intern(std::move(redis));
  next[1] = events;
  return {choice, intern(next)};
}

std::optional<ExploreSpace::Edge> ExploreSpace::time_edge(const Key& key) {
  const std::size_t taken = key[1] & kTimeSteps;
  if (taken >= rules_.events.time_steps_us.size()) return {};
  return later(key, models_[key[0]].now_us() + rules_.events.time_steps_us[taken], key[1] + 1,
               {Choice::Kind::time, 0});
}

std::vector<std::int64_t> ExploreSpace::ends_of_keys_ms(const Key& key) const {
  std::vector<std::int64_t> ends_ms;
  if (!rules_.events.expiry || (key[1] & kExpired) != 0) return ends_ms;
  for (const auto& [name, entry] : models_[key[0]].entries())
    if (entry.expires_ms != kNeverExpires) ends_ms.push_back(entry.expires_ms);
  return ends_ms;
}

std::optional<ExploreSpace::Edge> ExploreSpace::expiry_edge(const Key& key, std::size_t index) {
  const std::vector<std::int64_t> ends_ms = ends_of_keys_ms(key);
  if (index >= ends_ms.size()) return {};
  return later(key, (ends_ms[index] + 1) * 1000, key[1] | kExpired,
               {Choice::Kind::expiry, static_cast<std::uint8_t>(index)});
}

std::optional<ExploreSpace::Edge> ExploreSpace::forget_edge(const Key& key) {
  if (!rules_.events.forget || (key[1] & kForgotten) != 0 || !models_[key[0]].knows_scripts())
    return {};
  RedisModel redis = models_[key[0]];
  redis.forget_scripts();
  Key next = key;
  next[0] = intern(std::move(redis));
  next[1] |= kForgotten;
  return Edge{{Choice::Kind::forget, 0}, intern(next)};
}

}  // namespace rlctl
