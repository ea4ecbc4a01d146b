// A scenario: the contents of a scenario file, checked, as plain values (core/scenario_parser.h
// reads the text). Times are µs, names are resolved to indexes, paths are absolute. Owns only
// values; the code that plays it only reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/identity.h"
#include "core/policy.h"
#include "core/shard.h"
#include "core/verdict.h"

namespace rlctl {

// A place in the file, counted from 1; 0: not from a file.
struct SourcePlace {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

enum class ScenarioClock : std::uint8_t { wall, virtual_time };

// `run`: where the script runs; as_manifest: the script's manifest decides.
enum class RunChoice : std::uint8_t { as_manifest, server, client };

struct PolicySpec {
  std::string name;
  std::string algorithm;  // of lua/ or its specimens; empty: `script`, or nothing (HTTP)
  std::string script;     // an absolute path, resolved and under the scenario's folder
  std::string manifest;   // more manifest lines, `name = value`
  RunChoice run = RunChoice::as_manifest;
  Policy policy;
  std::optional<ContractKind> contract;      // the limiter's own, if there is no manifest (HTTP)
  bool counts_denied = false;                // likewise; denied attempts fill its window too
  std::optional<std::int64_t> tolerance_us;  // empty: derived from the limiter's clock
  double allowed_false_denials = 0;          // share of the denials, 0 to 1
  SourcePlace place;
};

enum class TargetKind : std::uint8_t { embedded, redis, http, serve };
enum class OnError : std::uint8_t { open, closed };

struct TargetSpec {
  TargetKind kind = TargetKind::embedded;
  std::string url;  // redis, http
  std::string method = "GET";
  std::string body;                                          // a template
  std::vector<std::pair<std::string, std::string>> headers;  // values are templates
  std::vector<std::string> allowed{"2xx"};                   // statuses: 200 or 2xx
  std::vector<std::string> denied{"429"};
  std::string source_ip;   // a template, an address or a CIDR; empty: the kernel chooses
  std::string own_target;  // the host that the user claims to own
  OnError on_error = OnError::closed;        // serve: if its Redis does not answer
  std::vector<std::string> trusted_proxies;  // serve: CIDRs whose X-Forwarded-For is trusted
  std::int64_t timeout_us = 2'000'000;
};

enum class Pick : std::uint8_t { round_robin, uniform, zipf };

// A kind of client: `count` clients, from the templates or a file (core/identity_set.h).
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

struct RatePerTime {
  std::int64_t count = 0;
  std::int64_t per_us = 1;
};

// Open loop: the rate changes linearly from one value to another. `rate` and `for` alone form one
// stage.
struct RateStage {
  RatePerTime from;
  RatePerTime to;
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
enum class ArrivalPattern : std::uint8_t { even, poisson };
enum class OnDeny : std::uint8_t { drop, retry_after, backoff };

// Time 0 of a phase: the end of the previous phase, an edge of the policy's clock-aligned windows,
// or the admission of a first request that opens a window.
enum class Anchor : std::uint8_t { none, window_edge, first_hit };

struct Phase {
  std::string name;
  std::uint32_t policy = 0;      // index into Scenario::policies
  std::vector<Share> mix;        // one entry for `who`; never empty
  std::optional<Moment> start;   // empty: when the previous phase has ended
  Anchor anchor = Anchor::none;  // `align`: "window" or "first_hit"
  bool share_keys = false;       // false: the phase has its own keys
  bool lockstep = false;         // client-run users execute each step together
  std::int64_t cost = 1;
  std::int64_t connections = 0;      // open loop: most requests in flight; 0: no limit
  std::int64_t clock_spread_us = 0;  // clients' clocks are spread evenly over ± this
  TrafficModel model = TrafficModel::rate;
  std::vector<RateStage> stages;  // rate
  ArrivalPattern arrivals = ArrivalPattern::even;
  std::vector<Burst> bursts;     // bursts
  std::int64_t users = 0;        // users: closed loop
  std::int64_t duration_us = 0;  // rate: of all stages; users: 0 if `requests` ends it
  std::int64_t requests = 0;     // users: total; 0: until duration_us
  std::int64_t think_us = 0;     // users: time from an answer to the next request
  std::int64_t consumers = 0;    // consumers
  std::int64_t items = 0;
  OnDeny on_deny = OnDeny::drop;
  std::string replay;  // replay: absolute path of a log
  SourcePlace place;
};

enum class FaultKind : std::uint8_t {
  script_flush,
  redis_restart,  // stopped for down_us, then empty
  redis_pause,    // hangs for down_us (SIGSTOP)
  clock_skew,     // the clients' clocks jump by by_us
  client_crash,   // a client-run decision ends after `steps` of its commands
};

struct Fault {
  FaultKind kind = FaultKind::script_flush;
  Moment at;
  std::int64_t down_us = 0;
  std::int64_t by_us = 0;
  std::int64_t steps = 1;
  SourcePlace place;
};

enum class Metric : std::uint8_t {
  offered,
  allowed,
  denied,
  unknown,
  failed,
  late,
  dropped,
  peak,
  burst_factor,
  over_admitted,
  false_denied,
  accuracy,
  slack,
  completed,
  retry_after_error,
  recovery,
  latency,  // from the planned send time
  service,  // from the actual send time
};

// The statistic of a distribution.
enum class Statistic : std::uint8_t { none, mean, p50, p95, p99, p999, max };

enum class Comparison : std::uint8_t { less, at_most, more, at_least, equal, not_equal };

enum class ValueUnit : std::uint8_t { number, percent, duration };

// The part of the run that an expectation checks; everything if all members are empty.
struct Selection {
  std::optional<std::uint32_t> phase;  // indexes
  std::optional<std::uint32_t> who;
  std::optional<std::uint32_t> policy;
  std::optional<std::string> key;  // as it is in Redis, filled in
  std::optional<FaultKind> fault;  // the worst of all faults of this kind
};

struct Expectation {
  std::string text;  // as written
  std::string why;   // the author's explanation; may be empty
  Metric metric = Metric::over_admitted;
  Statistic statistic = Statistic::none;
  Selection selection;
  Comparison comparison = Comparison::equal;
  ValueUnit unit = ValueUnit::number;
  std::int64_t value = 0;  // a duration: µs; numbers and percents: millionths, so that 0.1 is exact
  SourcePlace place;
};

// Budgets: a run that exceeds them is inconclusive. Shares are 0 to 1.
struct ScenarioBudget {
  double late_share = 0.01;
  double dropped_share = 0;
  double unknown_share = 0.01;
  std::int64_t late_after_us = 10'000;
  std::int64_t wall_us = 600'000'000;  // after this the scenario is stopped, and inconclusive
};

struct Scenario {
  std::string file;  // as the user named it
  std::string name;
  std::string description;
  std::uint64_t seed = 1;
  ScenarioClock clock = ScenarioClock::wall;
  std::int64_t speed = 1;  // windows, TTLs and schedules are divided by it; embedded, wall clock
  // The verdict expected for every policy; empty: "any", only the expectations count.
  std::optional<VerdictKind> verdict = VerdictKind::holds;
  // The verdict expected for the limiters' own contracts; empty: they are part of `verdict`.
  std::optional<VerdictKind> own_contract;
  TargetSpec target;
  std::vector<PolicySpec> policies;
  std::vector<IdentitySpec> identities;
  std::vector<Phase> phases;
  std::vector<Fault> faults;
  std::vector<Expectation> expectations;
  ScenarioBudget budget;
  // Set for a run, not in the file: the part of it that this machine plays, and when it begins (µs
  // since 1970; empty: at once).
  Shard shard = {};
  std::optional<std::int64_t> start_at_us;
};

}  // namespace rlctl
