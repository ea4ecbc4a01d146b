#include "run/drive.h"

#include <algorithm>

namespace rlctl {
namespace {

// A user that got no answer waits this long before its next request: a target that is away gets
// retries, but not as fast as the machine can fail.
constexpr std::int64_t kPauseAfterFailureUs = 20'000;
constexpr std::uint64_t kHoldingStream = 5;

Attempt attempt_of(const Drive& drive, const Arrival& arrival, std::uint32_t user) {
  Attempt attempt{drive.keys[arrival.key], arrival.cost};
  if (arrival.client < drive.identities.size())
    attempt.identity = &drive.identities[arrival.client];
  if (user < drive.clock_offsets_us.size()) attempt.clock_offset_us = drive.clock_offsets_us[user];
  if (drive.clock.is_virtual()) attempt.virtual_now_us = drive.clock.now_us();
  return attempt;
}

// On the virtual clock a decision takes no time: all its times are the time of the request.
void stamp_virtually(Decision& decision, std::int64_t virtual_now_us) {
  if (virtual_now_us == kNoTime) return;
  if (decision.sent_us != kNoTime) decision.sent_us = virtual_now_us;
  if (decision.received_us != kNoTime) decision.received_us = virtual_now_us;
  if (decision.outcome <= Outcome::denied)
    decision.decided_us = decision.decided_from_us = virtual_now_us;
}

bool vanishes(const Holding& holding, Random& random) {
  constexpr std::uint64_t kParts = 1'000'000;
  return static_cast<double>(random.below(kParts)) <
         holding.vanishing_share * static_cast<double>(kParts);
}

void note_failure(Drive& drive, const Decision& decision) {
  if (decision.outcome <= Outcome::denied) return;
  if (drive.problem.empty()) drive.problem = decision.problem;
  if (decision.unconfirmed) return;
  const bool answered = decision.received_us != kNoTime;
  (answered && decision.outcome == Outcome::unknown ? drive.script_failed : drive.lost) = true;
}

// From the admission in `record` to its finish, or to the user's disappearance.
Task<> hold(Drive& drive, Limiter& limiter, const Attempt& decided, std::uint32_t number,
            std::size_t record) {
  Attempt attempt = decided;
  Holding& holding = *drive.holding;
  Random random = random_of_request(holding.seed, kHoldingStream, number);
  if (vanishes(holding, random)) co_return;
  Finish finish;
  if (holding.actual_cost) attempt.actual_cost = draw(*holding.actual_cost, random);
  const std::int64_t hold_us = draw(holding.hold_us, random);
  if (hold_us > 0) co_await drive.clock.until(drive.clock.now_us() + hold_us);
  if (drive.clock.stopped()) co_return;
  if (drive.clock.is_virtual()) attempt.virtual_now_us = drive.clock.now_us();
  Decision end = co_await limiter.finish(attempt);
  stamp_virtually(end, attempt.virtual_now_us);
  if (end.outcome != Outcome::allowed && drive.problem.empty()) drive.problem = end.problem;
  if (end.sent_us == kNoTime) co_return;
  finish.sent_us = end.sent_us;
  if (end.outcome == Outcome::allowed) finish.received_us = end.received_us;
  finish.actual_cost = attempt.actual_cost;
  holding.log.set_finish(record, finish);
}

Task<> play(Drive& drive, std::uint32_t user) {
  PlayClock& clock = drive.clock;
  const Participation participation(clock);
  Limiter& limiter = *drive.users[user];
  std::optional<std::size_t> last;  // its record; no copy, because there may be 100,000 users
  std::int64_t now_us = clock.now_us();
  while (!clock.stopped()) {
    const std::optional<Arrival> arrival =
        drive.traffic.next({now_us, user, last ? &drive.records[*last] : nullptr});
    if (!arrival) break;
    // On the virtual clock even a request that is due waits for its turn: users run one at a time.
    if (clock.is_virtual() || arrival->intended_us > now_us) {
      co_await clock.until(arrival->intended_us);
      if (clock.stopped()) break;
    }
    const Attempt attempt = attempt_of(drive, *arrival, user);
    Decision decision = co_await limiter.decide(attempt);
    stamp_virtually(decision, attempt.virtual_now_us);
    const std::size_t index = drive.records.size();
    drive.records.push_back(make_record(*arrival, decision, now_us));
    if (drive.names != nullptr) drive.names->add(index, arrival->client);
    if (decision.actual_cost >= 0 && drive.holding != nullptr)
      drive.holding->log.set_finish(index, {.actual_cost = decision.actual_cost});
    note_failure(drive, decision);
    const bool answered = decision.received_us != kNoTime;
    if (!answered && drive.on_loss == OnLoss::stop) break;
    if (!answered) co_await clock.until(clock.now_us() + kPauseAfterFailureUs);
    const bool holds = decision.outcome == Outcome::allowed && limiter.has_finish();
    if (holds && drive.holding != nullptr) {
      drive.holding->log.unfinished.insert(index);
      co_await hold(drive, limiter, attempt, arrival->number, index);
      drive.holding->log.unfinished.erase(index);
    }
    const bool now_known = answered && !holds;
    now_us = now_known ? decision.received_us : clock.now_us();
    last = index;
  }
}

// Separate from play(), so that the frame of play() is destroyed before `ended` opens.
Task<> play_to_the_end(Drive& drive, std::uint32_t user) {
  co_await play(drive, user);
  if (--drive.users_playing == 0) drive.ended.open();
}

}  // namespace

Record make_record(const Arrival& arrival, const Decision& decision, std::int64_t taken_us) {
  Record record;
  record.intended_us = arrival.intended_us != kNoTime ? arrival.intended_us : taken_us;
  record.sent_us = decision.sent_us;
  record.received_us = decision.received_us;
  if (decision.decided_us != kNoTime) {
    const std::int64_t from_us =
        decision.decided_from_us == kNoTime ? decision.decided_us : decision.decided_from_us;
    set_server_stamps(record, std::min(from_us, decision.decided_us), decision.decided_us);
  }
  record.retry_after_us = decision.retry_after_us;
  record.key = arrival.key;
  record.who = static_cast<std::uint16_t>(arrival.who);
  record.cost = arrival.cost;
  record.remaining =
      static_cast<std::int32_t>(std::min<std::int64_t>(decision.remaining, INT32_MAX));
  const std::int64_t reset_ms = decision.reset_us / 1'000;
  if (decision.reset_us >= 0 && reset_ms < kNoReset)
    record.reset_ms = static_cast<std::uint32_t>(reset_ms);
  record.status = decision.status;
  record.target = decision.target;
  record.phase = arrival.phase;
  record.outcome = decision.outcome;
  return record;
}

void spawn_users(Drive& drive) {
  // Keeps the clock from moving on before all users have started.
  const Participation all(drive.clock);
  drive.users_playing += drive.users.size();
  for (std::uint32_t user = 0; user < drive.users.size(); ++user)
    drive.clock.loop().spawn(play_to_the_end(drive, user));
}

}  // namespace rlctl
