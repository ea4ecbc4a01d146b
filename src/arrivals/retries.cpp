#include "arrivals/retries.h"

#include <algorithm>
#include <utility>

#include "arrivals/drawn_number.h"

namespace rlctl {
namespace {

constexpr std::uint64_t kPauseStream = 3;
constexpr std::int64_t kFirstPauseUs = 50'000;
constexpr int kMostDoublings = 20;

}  // namespace

std::optional<std::int64_t> RetryPause::after(std::uint32_t number, int denials,
                                              const Record& denied) const {
  if (plan_.on_deny == OnDeny::drop || (plan_.most > 0 && denials > plan_.most))
    return std::nullopt;
  if (is_told(denied)) return denied.retry_after_us;
  const std::int64_t grown = kFirstPauseUs << std::min(denials - 1, kMostDoublings);
  const std::int64_t most = std::clamp<std::int64_t>(plan_.window_us, 1, grown);
  // Every pause of a request has its own stream.
  const std::uint64_t stream = kPauseStream + (static_cast<std::uint64_t>(denials) << 8U);
  Random random = random_of_request(seed_, stream, number);
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most))) + 1;
}

bool RetryPause::is_told(const Record& denied) const {
  const bool told = denied.retry_after_us != kNoTime && denied.retry_after_us >= 0;
  return plan_.on_deny == OnDeny::retry_after && told;
}

std::optional<RetryingTraffic::Item> RetryingTraffic::retry_of(const Turn& turn) {
  std::optional<Item> sent = std::exchange(in_flight_[turn.user], std::nullopt);
  if (!sent || turn.last == nullptr || turn.last->outcome != Outcome::denied) return std::nullopt;
  const auto pause_us = pause_.after(sent->arrival.number, ++sent->denials, *turn.last);
  if (!pause_us) return std::nullopt;
  sent->told = pause_.is_told(*turn.last);
  sent->arrival.intended_us = turn.now_us + *pause_us;
  const bool too_late = plan_.until_us > 0 && sent->arrival.intended_us >= plan_.until_us;
  return too_late ? std::nullopt : sent;
}

std::optional<RetryingTraffic::Item> RetryingTraffic::earliest() {
  if (waiting_.empty()) return std::nullopt;
  const Item item = waiting_.top();
  waiting_.pop();
  return item;
}

std::optional<RetryingTraffic::Item> RetryingTraffic::item_for(const Turn& turn) {
  const std::optional<Item> retry = retry_of(turn);
  if (retry && loop_ == Loop::closed) return retry;
  if (retry) waiting_.push(*retry);
  if (!waiting_.empty() && waiting_.top().arrival.intended_us <= turn.now_us) return earliest();
  // What the other traffic gives is later than a waiting retry, or waits itself.
  if (const auto arrival = traffic_.next(turn)) waiting_.push({*arrival, 0});
  return earliest();
}

WaitingRetries RetryingTraffic::waiting(std::int64_t now_us) const {
  WaitingRetries all;
  const auto count = [&](const Item& item) {
    const std::int64_t due_us = item.arrival.intended_us;
    if (item.denials > 0 && due_us > now_us) all.add({1, due_us, item.told});
  };
  for (const std::optional<Item>& item : in_flight_)
    if (item) count(*item);
  for (const Item& item : waiting_.items()) count(item);
  return all;
}

std::optional<Arrival> RetryingTraffic::next(const Turn& turn) {
  if (in_flight_.size() <= turn.user) in_flight_.resize(turn.user + 1);
  std::optional<Item> item = item_for(turn);
  if (!item) return std::nullopt;
  in_flight_[turn.user] = item;
  return item->arrival;
}

}  // namespace rlctl
