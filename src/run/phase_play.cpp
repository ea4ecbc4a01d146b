#include "run/phase_play.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/escape.h"
#include "io/redis/deployment/hash_slot.h"
#include "log/record.h"
#include "policy/identity.h"
#include "scenario/part_merge.h"

namespace rlctl {
namespace {

// Time from planning to the first request, so that all users are waiting when it is due.
constexpr std::int64_t kLeadUs = 20'000;
// How often a thread looks whether the others have come: far more often than the lead is long.
constexpr std::int64_t kMeetingIntervalUs = 1'000;
// Open loop: there are as many users as requests in any span of this length, because each user may
// wait that long for its answer.
constexpr std::int64_t kPatientSpanUs = 250'000;
constexpr std::size_t kSpareUsers = 8;
// Open loop: connections are opened for the requests of such a span before the first one; if
// answers take longer, more are opened when they are needed.
constexpr std::int64_t kQuickSpanUs = 20'000;
constexpr std::size_t kMostPreparedConnections = 256;
// Users with different clocks; on the virtual clock they send one after the other.
constexpr std::size_t kSkewedUsers = 5;
constexpr std::int64_t kDropAfterUs = 1'000'000;
constexpr std::size_t kMostReservedRecords = 1'000'000;  // 64 MB
// On the virtual clock answers take no time, so users without think time would stop the clock.
constexpr std::int64_t kShortestVirtualThinkUs = 1'000;

std::size_t most_within(const std::vector<std::int64_t>& times, std::int64_t span_us) {
  std::size_t most = 0;
  for (std::size_t first = 0, next = 0; first < times.size(); ++first) {
    while (next < times.size() && times[next] - times[first] <= span_us) ++next;
    most = std::max(most, next - first);
  }
  return most;
}

}  // namespace

PhasePlay::PhasePlay(PlayClock& clock, const Scenario& scenario, std::uint32_t index,
                     PolicyPlay& policy, Target& target)
    : started(clock.loop()),
      ended(clock.loop()),
      clock_(clock),
      scenario_(scenario),
      index_(index),
      phase_(scenario.phases[index]),
      policy_(policy),
      target_(target),
      seed_(phase_seed(scenario.seed, index)),
      clients_(clients_of(scenario.identities, phase_)),
      picker_(scenario.identities, phase_, clients_, seed_),
      holding_{phase_.hold_us, phase_.vanishing_share, phase_.actual_cost, seed_, policy.log()} {
  result_.phase = index;
  check_finish();
  if (phase_.model == TrafficModel::replay) take_clients_from_log();
  names_.emplace(policy.log(), clients_.identities);
}

// Without a finish nobody can hold anything, or vanish with it.
void PhasePlay::check_finish() const {
  const bool works =
      phase_.hold_us.to > 0 || phase_.vanishing_share > 0 || phase_.actual_cost.has_value();
  if (!works || policy_.has_finish()) return;
  throw Error(Exit::usage,
              "the phase " + in_quotes(phase_.name) +
                  ": hold, vanish and actual_cost need a limiter with a finish",
              "name it in the manifest: finish = release.lua; over HTTP the service holds");
}

// A log contains keys, not clients: for an HTTP service, the client is derived from the key.
void PhasePlay::take_clients_from_log() {
  replay_ = plan_replay(phase_.replay);
  for (const std::string& key : replay_.keys) {
    Identity client;
    if (!target_.names_keys()) client = identity_in_key(policy_.spec().policy.key, key);
    clients_.identities.push_back(std::move(client));
  }
  clients_.kinds.assign(replay_.keys.size(), 0);
}

// A phase has its own keys unless it shares them. If no other phase uses the policy, the keys are
// exactly as the user wrote them.
void PhasePlay::name_keys() {
  if (!keys_.empty()) return;
  const auto same_policy = std::ranges::count(scenario_.phases, phase_.policy, &Phase::policy);
  std::string prefix = target_.key_prefix();
  if (target_.names_keys() && same_policy > 1 && !phase_.share_keys) prefix += phase_.name + ":";
  std::vector<std::string>& keys = policy_.log().keys;
  const bool tags = target_.needs_hash_tags() && policy_.script().manifest.keys.size() > 1;
  std::unordered_map<std::string, std::uint32_t> known;
  for (std::uint32_t i = 0; i < keys.size(); ++i) known.emplace(keys[i], i);
  for (std::size_t client = 0; client < clients_.identities.size(); ++client) {
    std::string own = "all clients";
    if (client < replay_.keys.size() && target_.names_keys())
      own = replay_.keys[client];
    else if (target_.tells_clients_apart(policy_.spec()))
      own = key_of(policy_.spec().policy.key, clients_.identities[client]);
    const std::string key = prefix + (tags ? in_hash_tag(own) : own);
    const auto [found, added] = known.emplace(key, static_cast<std::uint32_t>(keys.size()));
    if (added) keys.push_back(key);
    keys_.push_back(found->second);
  }
}

std::vector<std::int64_t> PhasePlay::planned_times() const {
  if (phase_.model == TrafficModel::rate) return plan_stages(phase_.stages, phase_.arrivals, seed_);
  if (phase_.model == TrafficModel::bursts) return plan_bursts(phase_.bursts);
  std::vector<std::int64_t> times;
  for (const Arrival& arrival : replay_.arrivals) times.push_back(arrival.intended_us);
  return times;
}

// The requests that this machine sends (its shard).
std::vector<std::int64_t> PhasePlay::own_of(const std::vector<std::int64_t>& times) const {
  std::vector<std::int64_t> own;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (scenario_.shard.takes(i)) own.push_back(times[i]);
  return own;
}

std::size_t PhasePlay::users_needed(const std::vector<std::int64_t>& times) const {
  const auto share = [&](std::int64_t all) {
    return static_cast<std::size_t>(scenario_.shard.share_of(all));
  };
  if (phase_.model == TrafficModel::users)
    return share(phase_.requests > 0 ? std::min(phase_.users, phase_.requests) : phase_.users);
  if (phase_.model == TrafficModel::consumers)
    return share(std::min(phase_.consumers, phase_.items));
  if (phase_.connections > 0) return std::max<std::size_t>(1, share(phase_.connections));
  if (clock_.is_virtual() && phase_.lockstep) return most_within(times, 0);
  if (clock_.is_virtual() && phase_.hold_us.to > 0)
    return std::min(most_within(times, phase_.hold_us.to) + kSpareUsers, kMostOpenLoopUsers);
  if (clock_.is_virtual()) return phase_.clock_spread_us > 0 ? kSkewedUsers : 1;
  // Denied requests come back together, at the end of a window.
  const std::int64_t together_us =
      phase_.on_deny == OnDeny::drop ? 0 : policy_.spec().policy.window_us;
  // While a fault lasts, every request may wait for its time-out.
  const std::int64_t outage_us = scenario_.faults.empty() ? 0 : scenario_.target.timeout_us;
  const std::int64_t span_us = kPatientSpanUs + phase_.hold_us.to + together_us + outage_us;
  return std::min(most_within(times, span_us) + kSpareUsers, kMostOpenLoopUsers);
}

// How many users begin at the same instant, so that lockstep must gather them. The virtual clock
// resumes all users of one instant together, so there 1 is enough.
std::size_t PhasePlay::beginning_together(const std::vector<std::int64_t>& times) const {
  if (clock_.is_virtual()) return 1;
  if (phase_.model == TrafficModel::bursts) return most_within(times, 0);
  if (phase_.model == TrafficModel::rate) return 1;
  return users_needed(times);
}

// Spreads the offsets evenly: with two users, one is as far ahead as the other is behind.
void PhasePlay::spread_clocks(std::size_t users) {
  if (clock_offsets_us_.size() < users) clock_offsets_us_.resize(users, 0);
  if (users < 2) return;
  const auto last = static_cast<std::int64_t>(users) - 1;
  for (std::int64_t i = 0; i <= last; ++i)
    clock_offsets_us_[static_cast<std::size_t>(i)] = phase_.clock_spread_us * (2 * i - last) / last;
}

void PhasePlay::skew_clocks(std::int64_t by_us) {
  for (std::int64_t& offset_us : clock_offsets_us_) offset_us += by_us;
}

// The next edge of clock-aligned windows.
std::int64_t PhasePlay::next_edge_us(std::int64_t from_us) const {
  const std::int64_t window_us = policy_.spec().policy.window_us;
  return (from_us + window_us - 1) / window_us * window_us;
}

Task<std::int64_t> PhasePlay::begin_us(Meeting& meeting) {
  meeting.come(clock_.now_us() + (clock_.is_virtual() ? 0 : kLeadUs));
  while (!meeting.begin_us() && !clock_.stopped())
    co_await clock_.until(clock_.now_us() + kMeetingIntervalUs);
  co_return meeting.begin_us().value_or(clock_.now_us());
}

Task<> PhasePlay::anchor(std::int64_t base_us, std::int64_t first_us, TargetUsers& users) {
  base_us_ = base_us;
  // The first edge for which the first request is still in the future.
  if (phase_.anchor == Anchor::window_edge) base_us_ = next_edge_us(base_us_ - first_us);
  if (phase_.anchor != Anchor::first_hit) co_return;
  Arrival opening = picker_.next();
  opening.intended_us = base_us_;
  PlannedTraffic traffic({opening});
  const std::size_t before = policy_.log().records.size();
  std::vector<Limiter*> first_user{users.limiters().front()};
  co_await drive(traffic, std::move(first_user));
  if (policy_.log().records.size() == before) co_return;
  const Record& record = policy_.log().records.back();
  base_us_ = record.server_us != kNoTime ? record.server_us : clock_.now_us();
}

Task<> PhasePlay::drive(Traffic& traffic, std::vector<Limiter*> users) {
  if (users.empty()) co_return;  // with few users, some machines get none
  AddressedTraffic addressed(traffic, clients_, keys_, static_cast<std::uint8_t>(index_));
  const auto loop = phase_.model == TrafficModel::users ? RetryingTraffic::Loop::closed
                                                        : RetryingTraffic::Loop::open;
  RetryingTraffic retrying(addressed, retry_plan(), loop, seed_);
  const bool retries = phase_.on_deny != OnDeny::drop && phase_.model != TrafficModel::consumers;
  Traffic& sent = retries ? static_cast<Traffic&>(retrying) : addressed;
  Log& log = policy_.log();
  Drive drive{clock_,
              sent,
              users,
              log.keys,
              clients_.identities,
              log.records,
              OnLoss::go_on,
              clock_offsets_us_,
              &holding_,
              &*names_};
  spawn_users(drive);
  presence_.reset();  // from here on the users hold the clock
  sent_ = &sent;
  co_await drive.ended.opened();
  sent_ = nullptr;
  if (problem_.empty()) problem_ = drive.problem;
}

RetryPlan PhasePlay::retry_plan() const {
  const bool ends = phase_.model == TrafficModel::users && phase_.duration_us > 0;
  return {phase_.on_deny, policy_.spec().policy.window_us, phase_.retries,
          ends ? base_us_ + phase_.duration_us : 0};
}

std::unique_ptr<Traffic> PhasePlay::make_traffic(const std::vector<std::int64_t>& times) {
  const Shard& shard = scenario_.shard;
  if (phase_.model == TrafficModel::users) {
    const std::int64_t least_us = clock_.is_virtual() ? kShortestVirtualThinkUs : 0;
    const ClosedPlan plan{base_us_, phase_.duration_us, shard.share_of(phase_.requests),
                          std::max(phase_.think_us, least_us), shard};
    return std::make_unique<ClosedTraffic>(plan, picker_);
  }
  if (phase_.model == TrafficModel::consumers) {
    const DrainPlan plan{base_us_, shard.share_of(phase_.items),
                         static_cast<std::uint32_t>(shard.share_of(phase_.consumers)), retry_plan(),
                         shard};
    return std::make_unique<DrainTraffic>(plan, picker_, seed_);
  }
  return make_planned(times);
}

// Picks all requests, also those of other machines, so that all machines agree.
std::unique_ptr<Traffic> PhasePlay::make_planned(const std::vector<std::int64_t>& times) {
  std::vector<Arrival> own;
  own.reserve(times.size() / scenario_.shard.count + 1);
  for (std::size_t i = 0; i < times.size(); ++i) {
    Arrival arrival = i < replay_.arrivals.size() ? replay_.arrivals[i] : picker_.next();
    arrival.intended_us = base_us_ + times[i];
    if (scenario_.shard.takes(i)) own.push_back(arrival);
  }
  replay_.arrivals.clear();
  return std::make_unique<PlannedTraffic>(std::move(own), kDropAfterUs);
}

void PhasePlay::count(std::size_t first_record) {
  const std::vector<Record>& records = policy_.log().records;
  for (std::size_t i = first_record; i < records.size(); ++i) {
    const Record& record = records[i];
    if (record.phase != index_) continue;
    result_.allowed += record.outcome == Outcome::allowed;
    result_.denied += record.outcome == Outcome::denied;
    result_.unknown += record.outcome == Outcome::unknown;
    result_.failed += record.outcome == Outcome::failed;
    result_.late += sent_late(record, scenario_.budgets.late_after_us);
  }
  result_.offered = result_.allowed + result_.denied + result_.unknown + result_.failed;
}

// To copy records while they are played would make the requests of that moment late.
void PhasePlay::reserve_records(std::size_t planned) {
  std::vector<Record>& records = policy_.log().records;
  const std::size_t needed = records.size() + std::min(planned, kMostReservedRecords);
  if (needed > records.capacity()) records.reserve(std::max(needed, 2 * records.capacity()));
}

UserPlan PhasePlay::user_plan(const std::vector<std::int64_t>& times) const {
  const std::size_t users = users_needed(times);
  const std::size_t at_once =
      times.empty() ? users : std::min(most_within(times, kQuickSpanUs), kMostPreparedConnections);
  return {users, phase_.lockstep, beginning_together(times), std::min(users, at_once)};
}

void PhasePlay::add(const PhasePlay& part) {
  add_part(result_, part.result_);
  if (problem_.empty()) problem_ = part.problem_;
}

Task<> PhasePlay::play(std::optional<std::int64_t> at_us, Meeting& meeting) {
  name_keys();
  presence_.emplace(clock_);
  const std::vector<std::int64_t> times = planned_times();
  const std::size_t first_record = policy_.log().records.size();
  const UserPlan plan = user_plan(own_of(times));
  spread_clocks(plan.users);
  co_await target_.admit(policy_, clients_.identities);
  const std::unique_ptr<TargetUsers> users = co_await target_.users(policy_, plan);
  const std::int64_t first_us = times.empty() ? 0 : times.front();
  const std::int64_t base_us = at_us ? *at_us : co_await begin_us(meeting);
  co_await anchor(base_us, first_us, *users);
  started.open();
  const std::unique_ptr<Traffic> traffic = make_traffic(times);
  const std::int64_t most = std::max(std::ssize(times), phase_.requests);
  reserve_records(static_cast<std::size_t>(most / scenario_.shard.count));
  co_await drive(*traffic, users->limiters());
  result_.started_us = base_us_;
  result_.ended_us = clock_.now_us();
  count(first_record);
  // What a run that was stopped did not come to is not dropped.
  const auto* planned = dynamic_cast<PlannedTraffic*>(traffic.get());
  if (planned != nullptr && !clock_.stopped()) result_.dropped = planned->dropped();
  if (const auto* drain = dynamic_cast<DrainTraffic*>(traffic.get()))
    result_.completed = drain->completed();
  result_.offered += result_.dropped;
  ended.open();
}

}  // namespace rlctl
