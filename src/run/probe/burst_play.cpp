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

// Requests in flight are gone when they are answered, or a moment later; then the same number has
// room again.
Task<BurstFinding> checked(Loop& loop, std::span<Limiter* const> limiters, BurstFinding found) {
  std::int64_t moment_us = 20'000;
  for (std::int64_t i = 0; i < kBurstChecks; ++i, moment_us *= 2) {
    co_await loop.until(now_us() + moment_us);
    const BurstFinding again = co_await burst(loop, limiters, false);
    found.requests += again.sent;
    if (again.admitted == found.admitted) co_return found;
  }
  found.kind = BurstKind::unclear;
  co_return found;
}

}  // namespace

Task<BurstFinding> play_bursts(Loop& loop, std::span<Limiter* const> limiters, bool waits,
                               std::int64_t rest_us) {
  BurstFinding found;
  std::int64_t requests = 0;
  for (std::size_t sent = kFewestAtOnce; sent <= limiters.size() && !loop.interrupted();
       sent *= 2) {
    co_await loop.until(now_us() + std::min(rest_us, kLongestRestUs));
    const std::int64_t began_us = now_us();
    found = co_await burst(loop, limiters.first(sent), waits);
    requests += found.sent;
    if (found.admitted < found.sent && found.kind == BurstKind::in_flight)
      found = co_await checked(loop, limiters.first(sent), found);
    requests += found.requests;
    if (found.admitted < found.sent) break;
    // The queue is empty again when it had so much time without requests.
    rest_us = std::max({rest_us, now_us() - began_us, found.gap_high_us * found.sent});
  }
  found.requests = requests;
  co_return found;
}

}  // namespace rlctl
