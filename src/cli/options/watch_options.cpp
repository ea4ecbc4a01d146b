#include "cli/options/watch_options.h"

#include "base/error.h"
#include "base/units.h"

namespace rlctl {

void WatchOptions::add_to(Options& app) {
  pattern_.add_to(app, KeyOptions::Takes::one_pattern);
  load_.add_to(app, "5%; live: 1%, nothing at once");
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
  return {registry_.registry(),
          layouts_.layouts(),
          pattern(),
          algorithm_,
          policy_.optional_policy(),
          once_ ? load_.of_search() : load_.of_live_view(),
          interval_us()};
}

}  // namespace rlctl
