#include "run/explore/space.h"

#include <algorithm>

#include "verdict/verdict.h"

namespace rlctl {
namespace {

// Bits in the second word of a key: events that have happened. The low byte counts time steps.
constexpr std::uint32_t kCrashed = 1u << 8;
constexpr std::uint32_t kExpired = 1u << 9;
constexpr std::uint32_t kForgotten = 1u << 10;
constexpr std::size_t kFirstSlot = 2;
constexpr int kMostTries = 10'000;

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
  put_number(bytes, slot.started_us);
  put_number(bytes, slot.ended_us);
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
    const bool ended = slot.phase == Phase::ended;
    if (ended && slot.outcome == Outcome::allowed) ++facts.admitted;
    if (slot.phase == Phase::crashed || (ended && slot.outcome == Outcome::unknown))
      ++facts.in_doubt;
  }
  facts.over_admission = over_admits(key);
  return facts;
}

// While the clock stands still, one comparison of numbers is enough for every contract. Otherwise
// the judge decides from the intervals of the admissions.
bool ExploreSpace::over_admits(const Key& key) const {
  Log log;
  log.keys = {"key"};
  std::int64_t admitted = 0;
  bool same_time = true;
  for (std::size_t i = 0; i < rules_.clients; ++i) {
    const Slot& slot = slots_[key[kFirstSlot + i]];
    if (slot.phase != Phase::ended || slot.outcome != Outcome::allowed) continue;
    ++admitted;
    same_time = same_time && slot.started_us == rules_.start_us && slot.ended_us == rules_.start_us;
    Record record;
    record.sent_us = slot.started_us;
    record.received_us = slot.ended_us;
    if (slot.started_us == slot.ended_us) record.server_us = slot.ended_us;
    record.outcome = Outcome::allowed;
    log.records.push_back(record);
  }
  const std::int64_t most = most_at_once(rules_.contract);
  if (admitted <= most || same_time) return admitted > most;
  return judge_rules(log, rules_.contract).totals.over_admission == OverAdmission::certain;
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

const Words* ExploreSpace::pending(State state, std::size_t client) const {
  const Slot& held = slot(state, client);
  return held.phase == Phase::running ? &locals_.step(held.local).command : nullptr;
}

std::vector<ExploreSpace::Edge> ExploreSpace::edges(State state) {
  std::vector<Edge> edges;
  if (is_final(state)) return edges;
  const Key key = keys_[state];
  add_clients(key, edges);
  add_crashes(key, edges);
  add_times(key, edges);
  add_forgetting(key, edges);
  return edges;
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

void ExploreSpace::add_clients(const Key& key, std::vector<Edge>& edges) {
  std::vector<std::size_t> waiters;
  for (std::size_t client = 0; client < rules_.clients; ++client) {
    const std::uint8_t same = alike(key, client);
    if (same == 0) continue;
    const Executed executed = execute(key[0], local_of(key, client), client);
    if (executed.waits)
      waiters.push_back(client);
    else
      edges.push_back({{Choice::Kind::client, static_cast<std::uint8_t>(client)},
                       intern(after(key, client, executed)),
                       same});
  }
  if (edges.empty()) add_waiters(key, waiters, edges);
}

void ExploreSpace::add_waiters(const Key& key, const std::vector<std::size_t>& waiters,
                               std::vector<Edge>& edges) {
  for (const std::size_t client : waiters) {
    const LocalStates::Id before = local_of(key, client);
    Executed executed = execute(key[0], before, client);
    const Words command = locals_.step(before).command;
    for (int i = 0; i < kMostTries && locals_.step(executed.local).command == command; ++i)
      executed = execute(key[0], executed.local, client);
    edges.push_back({{Choice::Kind::client, static_cast<std::uint8_t>(client)},
                     intern(after(key, client, executed)),
                     alike(key, client)});
  }
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
  Slot slot;
  slot.started_us = locals_.started(executed.local).now_us;
  slot.phase = step.has_ended() ? Phase::ended : Phase::running;
  if (step.has_ended()) {
    slot.outcome = step.outcome;
    slot.problem = step.problem;
    slot.ended_us = models_[executed.model].now_us();
  } else {
    slot.local = executed.local;
  }
  Key next = key;
  next[0] = executed.model;
  next[kFirstSlot + client] = intern(slot);
  return next;
}

void ExploreSpace::add_crashes(const Key& key, std::vector<Edge>& edges) {
  if (!rules_.events.crash || (key[1] & kCrashed) != 0) return;
  for (std::size_t client = 0; client < rules_.clients; ++client) {
    const Slot& slot = slots_[key[kFirstSlot + client]];
    if (slot.phase != Phase::running) continue;
    Slot crashed;
    crashed.phase = Phase::crashed;
    crashed.started_us = slot.started_us;
    RedisModel redis = models_[key[0]];
    redis.disconnect(client);
    Key next = key;
    next[0] = intern(std::move(redis));
    next[1] |= kCrashed;
    next[kFirstSlot + client] = intern(crashed);
    edges.push_back({{Choice::Kind::crash, static_cast<std::uint8_t>(client)}, intern(next)});
  }
}

void ExploreSpace::add_times(const Key& key, std::vector<Edge>& edges) {
  const auto move_to = [&](std::int64_t now_us, std::uint32_t events, Choice choice) {
    RedisModel redis = models_[key[0]];
    redis.advance_to(now_us);
    Key next = key;
    next[0] = intern(std::move(redis));
    next[1] = events;
    edges.push_back({choice, intern(next)});
  };
  const std::size_t taken = key[1] & 0xff;
  if (taken < rules_.events.time_steps_us.size())
    move_to(models_[key[0]].now_us() + rules_.events.time_steps_us[taken], key[1] + 1,
            {Choice::Kind::time, 0});
  if (!rules_.events.expiry || (key[1] & kExpired) != 0) return;
  std::vector<std::int64_t> ends_ms;
  for (const auto& [name, entry] : models_[key[0]].entries())
    if (entry.expires_ms != kNeverExpires) ends_ms.push_back(entry.expires_ms);
  for (std::size_t i = 0; i < ends_ms.size(); ++i)
    move_to((ends_ms[i] + 1) * 1000, key[1] | kExpired,
            {Choice::Kind::expiry, static_cast<std::uint8_t>(i)});
}

void ExploreSpace::add_forgetting(const Key& key, std::vector<Edge>& edges) {
  if (!rules_.events.forget || (key[1] & kForgotten) != 0 || !models_[key[0]].knows_scripts())
    return;
  RedisModel redis = models_[key[0]];
  redis.forget_scripts();
  Key next = key;
  next[0] = intern(std::move(redis));
  next[1] |= kForgotten;
  edges.push_back({{Choice::Kind::forget, 0}, intern(next)});
}

}  // namespace rlctl
