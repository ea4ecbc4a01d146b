#include "run/drive.h"

#include <algorithm>

#include "io/clock.h"

namespace rlctl {
namespace {

// Long waits are cut, so that an interrupted run ends soon.
constexpr std::int64_t kLongestNapUs = 200'000;

Task<> wait_until(Loop& loop, std::int64_t at_us) {
  while (!loop.interrupted() && now_us() < at_us)
    co_await loop.until(std::min(at_us, now_us() + kLongestNapUs));
}

Task<> play(Drive& drive, Limiter& limiter) {
  std::int64_t taken_us = now_us();
  while (!drive.loop.interrupted()) {
    const std::optional<Arrival> arrival = drive.traffic.next(taken_us);
    if (!arrival) break;
    if (arrival->intended_us > taken_us) {
      co_await wait_until(drive.loop, arrival->intended_us);
      if (drive.loop.interrupted()) break;
    }
    const Attempt attempt{drive.keys[arrival->key], arrival->cost};
    const Decision decision = co_await limiter.decide(attempt);
    drive.records.push_back(make_record(*arrival, decision, taken_us));
    if (decision.outcome > Outcome::denied && drive.problem.empty())
      drive.problem = decision.problem;
    // Not answered: the connection is gone, and with it this user.
    if (decision.received_us == kNoTime) break;
    taken_us = decision.received_us;
  }
}

}  // namespace

Record make_record(const Arrival& arrival, const Decision& decision, std::int64_t taken_us) {
  Record record;
  record.intended_us = arrival.intended_us != kNoTime ? arrival.intended_us : taken_us;
  record.sent_us = decision.sent_us;
  record.received_us = decision.received_us;
  record.server_us = decision.decided_us;
  record.retry_after_us = decision.retry_after_us;
  record.key = arrival.key;
  record.who = arrival.who;
  record.cost = arrival.cost;
  record.remaining =
      static_cast<std::int32_t>(std::min<std::int64_t>(decision.remaining, INT32_MAX));
  record.status = decision.status;
  record.phase = arrival.phase;
  record.outcome = decision.outcome;
  return record;
}

void spawn_users(Drive& drive) {
  for (Limiter* user : drive.users) drive.loop.spawn(play(drive, *user));
}

}  // namespace rlctl
