#include "arrivals/phase_traffic.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"

namespace rlctl {
namespace {

// Random streams of one seed: a draw from one stream does not change the others.
enum Stream : std::uint64_t { kKinds = 1, kGaps = 2, kCosts = 4, kClients = 16 };

constexpr std::int64_t kUnit = std::int64_t{1} << 32;  // one expected arrival, for random gaps

double per_us(const Rate& rate) {
  return static_cast<double>(rate.count) / static_cast<double>(rate.per_us);
}

// Multiplied before it is divided, so that 20/1s for 5s is exactly 100, not a little more.
double arrivals_in(const RateStage& stage) {
  const auto at = [&](const Rate& rate) {
    return static_cast<double>(rate.count) * static_cast<double>(stage.duration_us) /
           static_cast<double>(rate.per_us);
  };
  return (at(stage.from) + at(stage.to)) / 2;
}

// The time after the stage's start at which `count` arrivals are due: count = a t + b t² / 2. This
// form of the solution loses no digits when b is small.
std::int64_t time_of(const RateStage& stage, double count) {
  const double a = per_us(stage.from);
  const double b = (per_us(stage.to) - a) / static_cast<double>(stage.duration_us);
  const double root = std::sqrt(std::max(0.0, a * a + 2 * b * count));
  return a + root > 0 ? static_cast<std::int64_t>(2 * count / (a + root)) : 0;
}

}  // namespace

Clients clients_of(std::span<const IdentitySpec> identities, const Phase& phase) {
  Clients clients;
  for (const Share& share : phase.mix) {
    const IdentitySet set(identities[share.who]);
    clients.first_of_mix.push_back(static_cast<std::uint32_t>(clients.identities.size()));
    for (std::int64_t n = 0; n < set.size(); ++n) clients.identities.push_back(set.at(n));
    clients.kinds.resize(clients.identities.size(), share.who);
  }
  return clients;
}

std::uint64_t phase_seed(std::uint64_t seed, std::uint32_t phase) {
  return seed + std::uint64_t{phase} * 0x9E3779B97F4A7C15U;
}

RequestPicker::RequestPicker(std::span<const IdentitySpec> identities, const Phase& phase,
                             const Clients& clients, std::uint64_t seed)
    : first_(clients.first_of_mix), cost_(phase.cost), random_(seed, kKinds), costs_(seed, kCosts) {
  std::uint64_t weights = 0;
  for (std::size_t i = 0; i < phase.mix.size(); ++i) {
    weights += static_cast<std::uint64_t>(phase.mix[i].weight);
    cumulative_weights_.push_back(weights);
    pickers_.emplace_back(identities[phase.mix[i].who], Random(seed, kClients + i));
  }
}

std::uint32_t RequestPicker::next_client() {
  const std::uint64_t drawn = pickers_.size() > 1 ? random_.below(cumulative_weights_.back()) : 0;
  const auto found = std::ranges::upper_bound(cumulative_weights_, drawn);
  const auto kind = static_cast<std::size_t>(found - cumulative_weights_.begin());
  return first_[kind] + static_cast<std::uint32_t>(pickers_[kind].next());
}

Arrival RequestPicker::next() {
  Arrival arrival;
  arrival.number = picked_++;
  arrival.client = next_client();
  arrival.cost = static_cast<std::uint32_t>(draw(cost_, costs_));
  return arrival;
}

Arrival RequestPicker::next_of(const Shard& shard) {
  Arrival picked;
  for (std::uint32_t i = 1; i <= shard.count; ++i) {
    const Arrival arrival = next();
    if (i == shard.index) picked = arrival;
  }
  return picked;
}

double planned_requests(const Phase& phase) {
  double planned = 0;
  for (const RateStage& stage : phase.stages) planned += arrivals_in(stage);
  for (const Burst& burst : phase.bursts) planned += static_cast<double>(burst.count);
  return planned + static_cast<double>(phase.items) + static_cast<double>(phase.requests);
}

std::vector<std::int64_t> plan_stages(const std::vector<RateStage>& stages, ArrivalPattern pattern,
                                      std::uint64_t seed) {
  std::vector<std::int64_t> times;
  Random random(seed, kGaps);
  std::int64_t stage_start_us = 0;
  double due = 0;  // the next arrival, as a number of arrivals since the stage's start
  const auto gap = [&] {
    if (pattern == ArrivalPattern::even) return 1.0;
    return static_cast<double>(random.exponential(kUnit)) / static_cast<double>(kUnit);
  };
  if (pattern == ArrivalPattern::poisson) due = gap();
  for (const RateStage& stage : stages) {
    const double all = arrivals_in(stage);
    for (; due < all; due += gap()) times.push_back(stage_start_us + time_of(stage, due));
    due -= all;
    stage_start_us += stage.duration_us;
  }
  return times;
}

std::vector<std::int64_t> plan_bursts(const std::vector<Burst>& bursts) {
  std::vector<std::int64_t> times;
  for (const Burst& burst : bursts)
    for (std::int64_t i = 0; i < burst.count; ++i) times.push_back(burst.at_us + i * burst.gap_us);
  std::ranges::sort(times);
  return times;
}

std::optional<Arrival> ClosedTraffic::next(const Turn& turn) {
  const std::int64_t at_us =
      turn.last == nullptr ? std::max(turn.now_us, plan_.start_us) : turn.now_us + plan_.think_us;
  if (plan_.requests > 0 && sent_ >= plan_.requests) return std::nullopt;
  if (plan_.duration_us > 0 && at_us >= plan_.start_us + plan_.duration_us) return std::nullopt;
  ++sent_;
  Arrival arrival = picker_.next_of(plan_.shard);
  arrival.intended_us = at_us;
  return arrival;
}

DrainTraffic::DrainTraffic(const DrainPlan& plan, RequestPicker picker, std::uint64_t seed)
    : plan_(plan),
      picker_(std::move(picker)),
      pause_(plan.retries, seed),
      consumers_(plan.consumers) {}

// Updates the consumer's item after an answer. Returns the time until it is sent again, if it is.
std::optional<std::int64_t> DrainTraffic::settle(Consumer& consumer, const Record& last) {
  if (!consumer.item) return std::nullopt;
  consumer.told = pause_.is_told(last);
  if (last.outcome == Outcome::denied)
    if (const auto pause_us = pause_.after(consumer.item->number, ++consumer.denials, last))
      return pause_us;
  ++(last.outcome == Outcome::allowed ? completed_ : lost_);
  consumer = {};
  return std::nullopt;
}

std::optional<Arrival> DrainTraffic::next(const Turn& turn) {
  Consumer& consumer = consumers_[turn.user];
  const auto pause_us = turn.last != nullptr ? settle(consumer, *turn.last) : std::nullopt;
  const std::int64_t at_us = std::max(turn.now_us, plan_.start_us) + pause_us.value_or(0);
  if (!consumer.item) {
    if (taken_ == plan_.items) return std::nullopt;
    ++taken_;
    consumer.item = picker_.next_of(plan_.shard);
  }
  consumer.item->intended_us = at_us;
  return consumer.item;
}

WaitingRetries DrainTraffic::waiting(std::int64_t now_us) const {
  WaitingRetries all;
  for (const Consumer& one : consumers_)
    if (one.denials > 0 && one.item->intended_us > now_us)
      all.add({1, one.item->intended_us, one.told});
  return all;
}

std::optional<Arrival> AddressedTraffic::next(const Turn& turn) {
  std::optional<Arrival> arrival = traffic_.next(turn);
  if (!arrival) return arrival;
  arrival->key = keys_[arrival->client];
  arrival->who = clients_.kinds[arrival->client];
  arrival->phase = phase_;
  return arrival;
}

}  // namespace rlctl
