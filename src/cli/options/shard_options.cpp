#include "cli/options/shard_options.h"

#include "base/error.h"
#include "base/escape.h"
#include "base/timestamp.h"
#include "base/units.h"
#include "io/clock.h"
#include "run/run_id.h"
#include "scenario/shard_plan.h"

namespace rlctl {
namespace {

constexpr std::int64_t kLongestWaitUs = std::int64_t{86'400} * 1'000'000;

std::int64_t parse_start(const std::string& text) {
  const std::int64_t start_us = parse_instant_us(text, "--start-at");
  const std::int64_t wait_us = start_us - now_us();
  if (wait_us <= 0)
    throw Error(
        Exit::usage,
        "--start-at: " + in_quotes(text) + " was " + format_duration_for_people(-wait_us) + " ago",
        "use the same time on all machines, some seconds ahead; without a zone it is UTC");
  if (wait_us > kLongestWaitUs)
    throw Error(Exit::usage, "--start-at: " + in_quotes(text) + " is more than a day ahead",
                "write a time within the next day; without a zone it is UTC");
  return start_us;
}

}  // namespace

void ShardOptions::add_to(Options& app) {
  app.add_option(
         "--shard", shard_,
         "N machines play together and this one is number I: it sends every N-th request [1/1]")
      .type_name("I/N");
  app.add_option("--start-at", start_at_, "start time: 2026-11-21T10:00:00Z, or seconds since 1970")
      .type_name("TIME");
}

void ShardOptions::apply_to(Scenario& scenario, bool keeps_log) const {
  if (!shard_.empty()) scenario.shard = parse_shard(shard_, "--shard");
  if (!start_at_.empty()) {
    if (scenario.clock == ScenarioClock::virtual_time)
      throw Error(Exit::usage, "--start-at: the virtual clock has its own time",
                  "use the wall clock");
    scenario.start_at_us = parse_start(start_at_);
  }
  check_shard(scenario);
  if (!scenario.shard.is_whole() && !keeps_log)
    throw Error(Exit::usage, "--shard: the parts are judged together, from their logs",
                "add --log FILE");
}

void add_threads_option(Options& app, std::string& threads) {
  app.add_option("--threads", threads, "threads that send, each its share of the same requests [1]")
      .type_name("N");
}

std::int64_t threads_of(const std::string& threads) {
  return parse_bounded(threads, "--threads", 256);
}

std::string run_id_of(const Scenario& scenario) {
  return scenario.shard.is_whole() ? make_run_id() : shared_run_id(scenario);
}

}  // namespace rlctl
