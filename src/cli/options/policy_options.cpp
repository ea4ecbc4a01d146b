#include "cli/options/policy_options.h"

#include <limits>

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"
#include "limiter/wrapper.h"

namespace rlctl {

void RegistryOptions::add_to(Options& app) {
  app.add_option(
         "--lua-dir", directories_,
         "a folder of *.lua files, which add to or replace the shipped ones; may be repeated")
      .type_name("DIR")
      .group("Limiter");
}

Registry RegistryOptions::registry() const {
  Registry registry;
  for (const std::string& directory : directories_) registry.add_directory(directory);
  return registry;
}

void RunOption::add_to(Options& app) {
  app.add_option(
         "--run", place_,
         "server: one atomic step in Redis; client: each redis.call is a round trip [as in the "
         "manifest]")
      .one_of(all_words<RunPlace>())
      .group("Limiter");
}

Script RunOption::placed(Script script) const {
  if (place_.empty()) return script;
  return run_at(std::move(script), *meaning_of<RunPlace>(place_));
}

void PolicyOptions::add_window_to(Options& app, const std::string& shown_limit,
                                  const std::string& shown_window) {
  Option limit = app.add_option("--limit", limit_, "admissions per window" + shown_limit);
  Option window = app.add_option("--window", window_,
                                 "length of the window, such as 60s or 1m30s" + shown_window);
  limit.type_name("N").group("Policy");
  window.type_name("DURATION").group("Policy");
  if (shown_limit.empty()) limit.required();
  if (shown_window.empty()) window.required();
  app.add_option("--capacity", capacity_, "buckets: the largest burst [the limit]")
      .type_name("N")
      .group("Policy");
  app.add_option("--block", block_, "after a denial, deny everything for this long")
      .type_name("DURATION")
      .group("Policy");
  app.add_option("--block-key", block_key_,
                 "the key of the block flag [<key>:blocked; a suffix such as :minute is replaced]")
      .type_name("KEY")
      .group("Policy");
}

void PolicyOptions::add_to(Options& app, const std::string& default_limit,
                           const std::string& default_window) {
  limit_ = default_limit;
  window_ = default_window;
  const auto shown = [](const std::string& value) {
    return value.empty() ? "" : " [" + value + "]";
  };
  add_window_to(app, shown(limit_), shown(window_));
}

void PolicyOptions::add_with_defaults_to(Options& app, const std::string& shown_defaults) {
  add_window_to(app, " [" + shown_defaults + "]", " [" + shown_defaults + "]");
}

Policy PolicyOptions::policy_or(std::int64_t limit, std::int64_t window_us) const {
  PolicyOptions filled = *this;
  if (limit_.empty()) filled.limit_ = std::to_string(limit);
  if (window_.empty()) filled.window_ = format_duration(window_us);
  return filled.policy();
}

Policy PolicyOptions::policy() const {
  for (const auto& [value, name] : {std::pair(&limit_, "--limit"), {&window_, "--window"}})
    if (value->empty())
      throw Error(Exit::usage, std::string(name) + " is required",
                  "for example --limit 20 --window 60s");
  Policy policy;
  policy.limit = parse_count(limit_, "--limit");
  policy.window_us = parse_positive_duration_us(window_, "--window");
  if (policy.window_us < 1'000)
    throw Error(Exit::usage, "--window: the shortest window is 1ms",
                "Redis expires keys in whole milliseconds");
  // Buckets keep limit × window in a Lua number, which is exact below 2^53.
  if (policy.limit > (std::int64_t{1} << 53) / policy.window_us)
    throw Error(Exit::usage,
                "--limit: " + format_count(policy.limit) + " per " +
                    format_duration(policy.window_us) + " is more than Lua can count exactly",
                "use a shorter window: limit × window in µs must be at most 2^53");
  if (!capacity_.empty()) policy.capacity = parse_count(capacity_, "--capacity");
  if (policy.capacity > kMostCapacity)
    throw Error(Exit::usage, "--capacity: more than Lua can count exactly", "the maximum is 2^53");
  if (!block_.empty()) policy.block_us = parse_positive_duration_us(block_, "--block");
  policy.block_key = block_key_;
  return policy;
}

void PolicyOptions::add_optional_to(Options& app) {
  app.add_option("--limit", limit_, "admissions per window; shows how much of it is used")
      .type_name("N")
      .group("Policy");
  app.add_option("--window", window_, "length of the window, such as 60s or 1m30s")
      .type_name("DURATION")
      .group("Policy");
  app.add_option("--capacity", capacity_, "buckets: the largest burst [the limit]")
      .type_name("N")
      .group("Policy");
}

Policy PolicyOptions::optional_policy() const {
  if ((limit_ + window_ + capacity_ + block_ + block_key_).empty()) return {};
  if (limit_.empty() || window_.empty())
    throw Error(Exit::usage, "--limit and --window must be given together",
                "for example --limit 20 --window 60s");
  return policy();
}

}  // namespace rlctl
