// rlctl inspect: shows what a limiter's keys hold.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/escape.h"
#include "base/glob.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/options/key_options.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/output/output.h"
#include "cli/verb.h"
#include "inspect/inspection_text.h"
#include "io/redis/keyspace.h"
#include "policy/key.h"

namespace rlctl {
namespace {

struct InspectOptions {
  RedisOptions redis;
  RegistryOptions registry;
  PolicyOptions policy;
  KeyOptions keys;
  std::string algorithm;
  std::string entries = "20";
  std::string most = "20";
  bool json = false;
};

struct Found {
  std::vector<LimiterKeys> limiters;
  std::vector<std::string> absent;  // keys and patterns that were not found
  bool more = false;                // `limiters` has only the first
};

// Adds limiters whose keys match, at most `most`, and stops the scan there.
void find_by_pattern(RedisSession& session, const std::string& pattern, std::size_t most,
                     Found& found) {
  KeyScan scan(session.connection(), pattern);
  std::vector<std::string> keys;
  std::vector<LimiterKeys> limiters;
  while (!scan.done() && limiters.size() <= most && !session.loop().interrupted()) {
    std::vector<std::string> page = session.run(scan.next());
    keys.insert(keys.end(), page.begin(), page.end());
    limiters = group_keys(keys);
  }
  found.more = found.more || limiters.size() > most || !scan.done();
  limiters.resize(std::min(limiters.size(), most));
  found.limiters.insert(found.limiters.end(), limiters.begin(), limiters.end());
}

void find_by_key(RedisSession& session, const std::string& key, const std::string& block_key,
                 std::size_t most, Found& found) {
  LimiterKeys limiter = session.run(find_limiter(session.connection(), key, block_key));
  const bool flag = session.run(find_existing(session.connection(), {limiter.block_key})).front();
  if (!limiter.keys.empty() || flag) return found.limiters.push_back(std::move(limiter));
  const std::size_t before = found.limiters.size();
  find_by_pattern(session, escape_pattern(key) + ":*", most, found);
  if (found.limiters.size() == before) found.absent.push_back(key);
}

std::vector<std::string> find_matches(RedisSession& session, const KeyMatch& match) {
  if (!match.is_pattern) {
    const bool exists = session.run(find_existing(session.connection(), {match.text})).front();
    return exists ? std::vector{match.text} : std::vector<std::string>();
  }
  std::vector<std::string> keys;
  KeyScan scan(session.connection(), match.text);
  while (!scan.done() && !session.loop().interrupted()) {
    const std::vector<std::string> page = session.run(scan.next());
    keys.insert(keys.end(), page.begin(), page.end());
  }
  std::ranges::sort(keys);
  return keys;
}

// The keys that the algorithm's manifest derives from this one; those of its windows and slots are
// searched.
void find_by_manifest(RedisSession& session, const Manifest& manifest, const std::string& key,
                      const std::string& block_key, Found& found) {
  LimiterKeys limiter{key, {}, block_key.empty() ? block_key_beside(key) : block_key};
  for (const std::string& name : manifest.keys) {
    if (name.empty() || name == "<block_key>") continue;
    for (std::string& match : find_matches(session, match_of(name, key)))
      if (std::ranges::find(limiter.keys, match) == limiter.keys.end())
        limiter.keys.push_back(std::move(match));
  }
  if (limiter.keys.empty()) return found.absent.push_back(key);
  found.limiters.push_back(std::move(limiter));
}

Found find(RedisSession& session, const InspectOptions& options, std::size_t most) {
  Found found;
  for (const KeyTarget& target : options.keys.targets()) {
    const std::size_t before = found.limiters.size();
    if (!target.pattern) {
      const std::string block_key = options.keys.block_key();
      if (options.algorithm.empty())
        find_by_key(session, target.bytes, block_key, most, found);
      else
        find_by_manifest(session, options.registry.registry().find(options.algorithm).manifest,
                         target.bytes, block_key, found);
      continue;
    }
    find_by_pattern(session, target.bytes, most, found);
    if (found.limiters.size() == before) found.absent.push_back(target.bytes);
  }
  return found;
}

void tell_what_is_missing(const Found& found, std::size_t most) {
  for (const std::string& key : found.absent)
    tell("no key " + in_quotes(key) + " found: unused lately, or another name; try '*...*'");
  if (found.more)
    tell(fmt::format(
        "only the first {} limiters are shown; see all with rlctl list, or more here with --most N",
        most));
}

Exit run_inspect(const InspectOptions& options) {
  InspectionOptions inspection_options;
  inspection_options.policy = options.policy.optional_policy();
  inspection_options.most_entries = parse_count(options.entries, "--entries", 0);
  const auto most = static_cast<std::size_t>(parse_count(options.most, "--most"));
  KeyReader reader(options.registry.registry(), options.algorithm);
  options.keys.targets();
  RedisSession session(options.redis);
  const bool undisturbed = session.run(leave_idle_times_alone(session.connection()));
  const Found found = find(session, options, most);

  bool partial = false;
  Json body;
  body["limiters"] = Json::array();
  for (const LimiterKeys& limiter : found.limiters) {
    if (session.loop().interrupted()) break;
    const Inspection inspection =
        session.run(inspect_limiter(session.connection(), reader, limiter, inspection_options));
    partial = partial || inspection.is_partial();
    if (options.json)
      body["limiters"].push_back(to_json(inspection, inspection_options));
    else
      print((&limiter == found.limiters.data() ? "" : "\n") +
            to_text(inspection, inspection_options, !undisturbed));
  }
  body["idle_time_disturbed"] = !undisturbed;
  body["more"] = found.more;
  if (options.json) print_json("inspect", std::move(body));
  tell_what_is_missing(found, most);
  if (session.loop().interrupted()) return Exit::interrupted;
  return partial ? Exit::inconclusive : Exit::done;
}

Action add_inspect_options(Options& app) {
  auto options = std::make_shared<InspectOptions>();
  options->keys.add_to(app, KeyOptions::Takes::keys_or_patterns);
  options->keys.add_block_key_to(app);
  app.add_option("--entries", options->entries, "show the newest N entries of a log [20]")
      .type_name("N");
  app.add_option("--most", options->most, "show at most N limiters of a pattern [20]")
      .type_name("N");
  app.add_option("--algo", options->algorithm,
                 "the algorithm that writes the key [detected from its content]")
      .type_name("NAME|FILE.lua");
  app.add_flag("--json", options->json, "print one JSON object");
  options->policy.add_optional_to(app);
  options->registry.add_to(app);
  options->redis.add_to(app, WithoutUrl::local);
  return [options] { return run_inspect(*options); };
}

}  // namespace

const Verb kInspectVerb{"inspect",
                        "Shows what a limiter's keys hold and whether it blocks; read-only.",
                        "  rlctl inspect ratelimit:ip:203.0.113.7:minute\n"
                        "  rlctl inspect ratelimit:ip:203.0.113.7 --limit 20 --window 60s\n"
                        "  rlctl inspect 'api:*' --entries 5 --json",
                        add_inspect_options};

}  // namespace rlctl
