#include "cli/options/watch_options.h"

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"

namespace rlctl {

void WatchOptions::add_to(Options& app) {
  pattern_.add_to(app, KeyOptions::Takes::one_pattern);
  app.add_option("--load", load_,
                 "the share of the server's time that watch may use [1%; --once: 100%]")
      .type_name("SHARE");
  app.add_option("--interval", interval_,
                 "time between two updates [1s; --once: 500ms, for the rates]")
      .type_name("DURATION");
  app.add_flag("--once", once_, "scan all keys once, print the limiters and exit");
  app.add_option("--most", most_, "show at most N rows if the output is not a terminal [20]")
      .type_name("N");
  app.add_option("--algo", algorithm_,
                 "the algorithm that writes the keys [detected from their content]")
      .type_name("NAME|FILE.lua");
  app.add_flag("--json", json_, "print one JSON object per update");
  app.add_flag("--quiet", quiet_, "no progress line");
  policy_.add_optional_to(app);
  registry_.add_to(app);
  layouts_.add_to(app);
  redis_.add_to(app, WithoutUrl::local);
}

std::string WatchOptions::pattern() const { return pattern_.search_pattern(); }

double WatchOptions::load() const {
  if (load_.empty()) return once_ ? 1 : 0.01;
  const double share = parse_share(load_.ends_with('%') ? load_ : load_ + '%', "--load");
  if (share < 0.0001)
    throw Error(Exit::usage, "--load: " + in_quotes(load_) + " is less than 0.01 %",
                "use 0.01% to 100%, such as 1%");
  return share;
}

std::int64_t WatchOptions::interval_us() const {
  if (interval_.empty()) return once_ ? 500'000 : 1'000'000;
  const std::int64_t interval_us = parse_positive_duration_us(interval_, "--interval");
  if (interval_us < 100'000 || interval_us > 3'600'000'000)
    throw Error(Exit::usage, "--interval must be from 100ms to 1h");
  return interval_us;
}

std::size_t WatchOptions::most() const {
  return static_cast<std::size_t>(parse_count(most_, "--most"));
}

WatchPlan WatchOptions::plan() const {
  return {registry_.registry(), layouts_.layouts(),        pattern(),
          algorithm_,           policy_.optional_policy(), load(),
          interval_us()};
}

}  // namespace rlctl
