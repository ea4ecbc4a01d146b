// The attacks that break limiters, as pure functions of the policy and of a time.
//
// One burst pattern breaks only some limiters. Windows aligned to the clock break at the clock's
// edges. Windows that open with a first hit break where that window ends. Buckets show their refill
// only to a client that never stops sending. So there are three attacks, and each reports its
// number of attempts.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "arrivals/traffic.h"
#include "base/words.h"
#include "policy/policy.h"

namespace rlctl {

enum class Attack : std::uint8_t { aligned, anchored, hammer };
inline constexpr Word<Attack> kAttackWords[] = {
    {"aligned", Attack::aligned}, {"anchored", Attack::anchored}, {"hammer", Attack::hammer}};
constexpr std::span<const Word<Attack>> words_of(Attack) { return kAttackWords; }
inline constexpr Attack kAttacks[] = {Attack::aligned, Attack::anchored, Attack::hammer};

// How far two bursts around a window's edge are from it. Before the edge: a slow burst must end in
// time. After it: more than the clock difference in a local network. Both together are much less
// than a window: a tenth of it before and a fiftieth after, but not more than this.
struct EdgeDistance {
  std::int64_t before_us;
  std::int64_t after_us;
};
// `bench` measures any server in short windows, so its distances only grow with the window.
inline constexpr EdgeDistance kBenchEdge{std::numeric_limits<std::int64_t>::max(),
                                         std::numeric_limits<std::int64_t>::max()};
// `simulate` has windows of minutes, where such distances would be seconds: its bursts stay as
// close together as a person's requests.
inline constexpr EdgeDistance kPatternEdge{100'000, 2'000};
EdgeDistance distance_of(std::int64_t window_us, const EdgeDistance& most);

// Enough to find one wrong decision in a thousand. A service may be slower than a Redis by a factor
// of a hundred, and bursts behind a stream that it can't follow would miss their edge.
inline constexpr std::int64_t kHammerOfScript = 10'000;
inline constexpr std::int64_t kHammerOfService = 1'000;

// Arrivals sorted by time, the first at or after start_us, all on `key` and of the client
// of that number:
// aligned   `limit` requests just before and just after an edge of the clock-aligned windows, twice
// anchored  one request opens a window; `limit` just before and just after its end, twice
// hammer    an even stream for two and a half windows, four times the limit in each or more:
//           `hammered` requests at least
std::vector<Arrival> plan_attack(Attack attack, const Policy& policy, std::int64_t start_us,
                                 std::uint32_t key, std::int64_t hammered = kHammerOfScript);

}  // namespace rlctl
