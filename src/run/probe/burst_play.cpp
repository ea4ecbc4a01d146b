#include "run/probe/burst_play.h"

#include <algorithm>
#include <vector>

#include "io/clock.h"
#include "run/drive.h"

namespace rlctl {
namespace {

constexpr std::int64_t kLongestRestUs = 30'000'000;

Task<> ask(Limiter& limiter, Record& record) {
  const Decision decision = co_await limiter.decide({});
  record = make_record({}, decision, decision.sent_us);
}

Task<BurstFinding> burst(Loop& loop, std::span<Limiter* const> limiters, bool waits) {
  std::vector<Record> records(limiters.size());
  for (std::size_t i = 0; i < limiters.size(); ++i) loop.spawn(ask(*limiters[i], records[i]));
  co_await loop.join();
  co_return burst_finding(records, waits);
}

}  // namespace

Task<BurstFinding> play_bursts(Loop& loop, std::span<Limiter* const> limiters, bool waits) {
  BurstFinding found;
  for (std::size_t sent = 4; sent <= limiters.size() && !loop.interrupted(); sent *= 2) {
    const std::int64_t began_us = now_us();
    found = co_await burst(loop, limiters.first(sent), waits);
    // The queue is empty again when it had so much time without requests.
    co_await loop.until(now_us() + std::min(now_us() - began_us, kLongestRestUs));
    if (found.admitted < found.sent) break;
  }
  co_return found;
}

}  // namespace rlctl
