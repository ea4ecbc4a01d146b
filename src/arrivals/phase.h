// A phase of a scenario: who asks, and how the requests are spread over time. Plain values; times
// are µs, names are indexes into the scenario's lists.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrivals/drawn_number.h"
#include "base/source_text.h"
#include "base/units.h"
#include "base/words.h"
#include "policy/identity.h"

namespace rlctl {

enum class Pick : std::uint8_t { round_robin, uniform, zipf };
inline constexpr Word<Pick> kPickWords[] = {
    {"round_robin", Pick::round_robin}, {"uniform", Pick::uniform}, {"zipf", Pick::zipf}};
constexpr std::span<const Word<Pick>> words_of(Pick) { return kPickWords; }

// A kind of client: `count` clients, from the templates or a file (arrivals/identity_set.h).
struct IdentitySpec {
  std::string name;
  std::string ip;    // an address, a CIDR, or empty: clients without an address
  std::string user;  // a template over <n>; empty: clients without a name
  std::int64_t count = 1;
  Pick pick = Pick::round_robin;
  double skew = 1;               // zipf: the exponent
  std::vector<Identity> listed;  // from a CSV file: `count` entries, and no templates
  SourcePlace place;
};

// A point in the scenario's time: the time after the start of a phase, or of the scenario.
struct Moment {
  std::int32_t phase = -1;  // index into Scenario::phases; -1: the scenario's start
  std::int64_t after_us = 0;
};

// Open loop: the rate changes linearly from one value to another. `rate` and `for` alone form one
// stage.
struct RateStage {
  Rate from;
  Rate to;
  std::int64_t duration_us = 0;
};

struct Burst {
  std::int64_t at_us = 0;
  std::int64_t count = 1;
  std::int64_t gap_us = 0;  // between its requests; 0: all at one instant
};

struct Share {
  std::uint32_t who = 0;  // index into Scenario::identities
  std::int64_t weight = 1;
};

enum class TrafficModel : std::uint8_t { rate, bursts, users, consumers, replay };
inline constexpr Word<TrafficModel> kTrafficModelWords[] = {{"rate", TrafficModel::rate},
                                                            {"bursts", TrafficModel::bursts},
                                                            {"users", TrafficModel::users},
                                                            {"consumers", TrafficModel::consumers},
                                                            {"replay", TrafficModel::replay}};
constexpr std::span<const Word<TrafficModel>> words_of(TrafficModel) { return kTrafficModelWords; }

enum class ArrivalPattern : std::uint8_t { even, poisson };
inline constexpr Word<ArrivalPattern> kArrivalPatternWords[] = {
    {"even", ArrivalPattern::even}, {"poisson", ArrivalPattern::poisson}};
constexpr std::span<const Word<ArrivalPattern>> words_of(ArrivalPattern) {
  return kArrivalPatternWords;
}

enum class OnDeny : std::uint8_t { drop, retry_after, backoff };
inline constexpr Word<OnDeny> kOnDenyWords[] = {
    {"drop", OnDeny::drop}, {"retry_after", OnDeny::retry_after}, {"backoff", OnDeny::backoff}};
constexpr std::span<const Word<OnDeny>> words_of(OnDeny) { return kOnDenyWords; }

// Time 0 of a phase: the end of the previous phase, an edge of the policy's clock-aligned windows,
// or the admission of a first request that opens a window.
enum class Anchor : std::uint8_t { none, window_edge, first_hit };
inline constexpr Word<Anchor> kAnchorWords[] = {
    {"none", Anchor::none}, {"window", Anchor::window_edge}, {"first_hit", Anchor::first_hit}};
constexpr std::span<const Word<Anchor>> words_of(Anchor) { return kAnchorWords; }

struct Phase {
  std::string name;
  std::uint32_t policy = 0;      // index into Scenario::policies
  std::vector<Share> mix;        // one entry for `who`; never empty
  std::optional<Moment> start;   // empty: when the previous phase has ended
  Anchor anchor = Anchor::none;  // `align`: "window" or "first_hit"
  bool share_keys = false;       // false: the phase has its own keys
  bool warm_up = false;          // not part of counts and latencies, unless they name the phase
  bool lockstep = false;         // client-run users execute each step together
  DrawnNumber cost = always(1);
  // For a limiter with a finish. After an admission, a user works for this long and then finishes,
  // or vanishes without a finish.
  DrawnNumber hold_us;
  double vanishing_share = 0;              // 0 to 1
  std::optional<DrawnNumber> actual_cost;  // what is used in fact; empty: the cost
  std::int64_t connections = 0;            // open loop: most requests in flight; 0: no limit
  std::int64_t clock_spread_us = 0;        // clients' clocks are spread evenly over ± this
  TrafficModel model = TrafficModel::rate;
  std::vector<RateStage> stages;  // rate
  ArrivalPattern arrivals = ArrivalPattern::even;
  std::vector<Burst> bursts;     // bursts
  std::int64_t users = 0;        // users: closed loop
  std::int64_t duration_us = 0;  // rate: of all stages; users: 0 when `requests` ends it
  std::int64_t requests = 0;     // users: total; 0: until duration_us
  std::int64_t think_us = 0;     // users: time from an answer to the next request
  std::int64_t consumers = 0;    // consumers
  std::int64_t items = 0;
  OnDeny on_deny = OnDeny::drop;
  std::int64_t retries = 0;  // of one request; 0: until it is not denied
  std::string replay;        // replay: absolute path of a log
  SourcePlace place;
};

}  // namespace rlctl
