// A scenario: what a scenario file says, checked and as plain values (core/scenario_parser.h reads
// the text). Times are µs, names are resolved to indexes, paths are absolute. Owns nothing but
// values; whoever plays it only reads.
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

// Where in the file something stands, from 1; 0: nowhere (not from a file).
struct SourcePlace {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

enum class ScenarioClock : std::uint8_t { wall, virtual_time };

// `run`: where the script is interpreted; as its manifest says when it is not given.
enum class RunChoice : std::uint8_t { as_manifest, server, client };

struct PolicySpec {
  std::string name;
  std::string algorithm;  // of lua/ or its specimens; empty: `script`, or nothing (HTTP)
  std::string script;     // an absolute path, resolved and under the scenario's folder
  std::string manifest;   // more manifest lines, `name = value`
  RunChoice run = RunChoice::as_manifest;
  Policy policy;
  std::optional<ContractKind> contract;      // the limiter's own, where no manifest tells it (HTTP)
  bool counts_denied = false;                // likewise: denied attempts fill its window too
  std::optional<std::int64_t> tolerance_us;  // empty: what the limiter's clock calls for
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
  std::string source_ip;   // a template, an address or a CIDR; empty: as the kernel picks
  std::string own_target;  // the host the user says is theirs
  OnError on_error = OnError::closed;        // serve: when its Redis is away
  std::vector<std::string> trusted_proxies;  // serve: CIDRs whose X-Forwarded-For counts
  std::int64_t timeout_us = 2'000'000;
};

enum class Pick : std::uint8_t { round_robin, uniform, zipf };

// A kind of client: `count` of them, from the templates or a file (core/identity_set.h).
struct IdentitySpec {
  std::string name;
  std::string ip;    // an address, a CIDR, or empty: clients without an address
  std::string user;  // a template over <n>; empty: clients without a name
  std::int64_t count = 1;
  Pick pick = Pick::round_robin;
  double skew = 1;               // zipf: the exponent
  std::vector<Identity> listed;  // from a CSV file: `count` of them, and no templates
  SourcePlace place;
};

// A point of the scenario's time: this long after the start of a phase, or of the whole.
struct Moment {
  std::int32_t phase = -1;  // index into Scenario::phases; -1: the scenario's start
  std::int64_t after_us = 0;
};

struct RatePerTime {
  std::int64_t count = 0;
  std::int64_t per_us = 1;
};

// Open loop: from one rate to another, in a straight line. `rate` and `for` alone are one stage.
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

// What time 0 of a phase is: when its turn comes, an edge of the policy's clock-aligned windows, or
// the admission of a first request sent to open a window.
enum class Anchor : std::uint8_t { none, window_edge, first_hit };

struct Phase {
  std::string name;
  std::uint32_t policy = 0;      // index into Scenario::policies
  std::vector<Share> mix;        // one entry for `who`; never empty
  std::optional<Moment> start;   // empty: when the phase before it has ended
  Anchor anchor = Anchor::none;  // `align`: "window" or "first_hit"
  bool share_keys = false;       // false: keys of its own
  bool lockstep = false;         // client-run users go step by step together
  std::int64_t cost = 1;
  std::int64_t connections = 0;      // open loop: most requests in flight; 0: as needed
  std::int64_t clock_spread_us = 0;  // clients' clocks lie evenly in ± this
  TrafficModel model = TrafficModel::rate;
  std::vector<RateStage> stages;  // rate
  ArrivalPattern arrivals = ArrivalPattern::even;
  std::vector<Burst> bursts;     // bursts
  std::int64_t users = 0;        // users: closed loop
  std::int64_t duration_us = 0;  // rate: of all stages; users: 0 when `requests` ends it
  std::int64_t requests = 0;     // users: in all; 0: until duration_us
  std::int64_t think_us = 0;     // users: between an answer and the next request
  std::int64_t consumers = 0;    // consumers
  std::int64_t items = 0;
  OnDeny on_deny = OnDeny::drop;
  std::string replay;  // replay: absolute path of a log
  SourcePlace place;
};

enum class FaultKind : std::uint8_t {
  script_flush,
  redis_restart,  // away for down_us, and empty when it is back
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
  latency,  // from the intended start
  service,  // from the real send
};

// Which number of a distribution.
enum class Statistic : std::uint8_t { none, mean, p50, p95, p99, p999, max };

enum class Comparison : std::uint8_t { less, at_most, more, at_least, equal, not_equal };

enum class ValueUnit : std::uint8_t { number, percent, duration };

// What an expectation looks at; everything when nothing is given.
struct Selection {
  std::optional<std::uint32_t> phase;  // indexes
  std::optional<std::uint32_t> who;
  std::optional<std::uint32_t> policy;
  std::optional<std::string> key;  // as it is in Redis, filled in
  std::optional<FaultKind> fault;  // every fault of the kind: the worst of them
};

struct Expectation {
  std::string text;  // as written
  std::string why;   // what the writer says of it; may be empty
  Metric metric = Metric::over_admitted;
  Statistic statistic = Statistic::none;
  Selection selection;
  Comparison comparison = Comparison::equal;
  ValueUnit unit = ValueUnit::number;
  std::int64_t value = 0;  // a duration: µs; numbers and percents: millionths, so that 0.1 is exact
  SourcePlace place;
};

// What a run may lack and still be judged; shares are 0 to 1.
struct ScenarioBudget {
  double late_share = 0.01;
  double dropped_share = 0;
  double unknown_share = 0.01;
  std::int64_t late_after_us = 10'000;
  std::int64_t wall_us = 600'000'000;  // the scenario is stopped, and inconclusive, after this
};

struct Scenario {
  std::string file;  // as the user named it
  std::string name;
  std::string description;
  std::uint64_t seed = 1;
  ScenarioClock clock = ScenarioClock::wall;
  std::int64_t speed = 1;  // windows, TTLs and schedules are divided by it; embedded, wall clock
  // What is expected of every policy; empty: "any", only the expectations count.
  std::optional<VerdictKind> verdict = VerdictKind::holds;
  // Of the limiters' own contracts; empty: they are part of `verdict`.
  std::optional<VerdictKind> own_contract;
  TargetSpec target;
  std::vector<PolicySpec> policies;
  std::vector<IdentitySpec> identities;
  std::vector<Phase> phases;
  std::vector<Fault> faults;
  std::vector<Expectation> expectations;
  ScenarioBudget budget;
  // Of the run, not of the file: which part of it this machine plays, and when it begins (µs since
  // 1970; empty: at once).
  Shard shard = {};
  std::optional<std::int64_t> start_at_us;
};

}  // namespace rlctl
