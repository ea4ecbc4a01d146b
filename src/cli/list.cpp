// rlctl list: lists the limiters of a Redis, most used first.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/escape.h"
#include "base/glob.h"
#include "base/json.h"
#include "base/table.h"
#include "base/units.h"
#include "cli/options/key_options.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/verb.h"
#include "inspect/overview.h"
#include "io/redis/keyspace.h"

namespace rlctl {
namespace {

struct ListOptions {
  RedisOptions redis;
  RegistryOptions registry;
  PolicyOptions policy;
  KeyOptions pattern;
  std::string most = "50";
  bool stuck = false;
  bool blocked = false;
  bool json = false;
  bool quiet = false;
};

std::string pattern_of(const ListOptions& options) {
  const std::vector<KeyTarget> targets = options.pattern.targets();
  if (targets.empty()) return "*";
  const KeyTarget& target = targets.front();
  return target.pattern ? target.bytes : escape_pattern(target.bytes) + "*";
}

struct Seen {
  Overview overview;
  std::int64_t now_us = 0;  // by the server's clock
};

Seen read_overview(RedisSession& session, const ListOptions& options, KeyReader& reader) {
  const Policy policy = options.policy.optional_policy();
  Seen seen{Overview(policy)};
  KeyScan scan(session.redis(), pattern_of(options));
  const std::int64_t all = session.run(count_keys(session.redis())).value_or(0);
  const Progress progress(session.loop(), !options.quiet, [&] {
    return Work{"scanning", "keys", scan.passed(), all};
  });
  while (!scan.done() && !session.loop().interrupted()) {
    std::vector<std::string> page = session.run(scan.next());
    if (page.empty()) continue;
    const std::vector<KeyState> states = session.run(glance_at(session.redis(), std::move(page)));
    seen.now_us = session.run(read_time(session.redis())).us;
    for (const KeyState& state : states)
      seen.overview.add(state, reader.read(state, {policy, seen.now_us, {}}), seen.now_us);
  }
  return seen;
}

struct Completeness {
  std::string unseen;  // RedisClient::unseen()
  bool interrupted = false;
  bool problems = false;
  bool all() const { return unseen.empty() && !interrupted && !problems; }
};

void tell_about(std::size_t shown, std::size_t total, const Overview& overview,
                const Completeness& completeness) {
  if (total == 0) tell("no such limiter found; to search for a client: rlctl inspect CLIENT");
  if (shown < total)
    tell(fmt::format("{} of {} limiters shown, most used first; --most N shows more",
                     format_count(static_cast<std::int64_t>(shown)),
                     format_count(static_cast<std::int64_t>(total))));
  if (overview.other_keys() > 0)
    tell(counted(overview.other_keys(), "other key") + " not shown: not the data of a limiter");
  if (!completeness.unseen.empty()) tell("partial: not listed: " + completeness.unseen);
  if (completeness.interrupted) tell("interrupted: not all keys were read");
}

Exit run_list(const ListOptions& options) {
  const auto most = static_cast<std::size_t>(parse_count(options.most, "--most"));
  options.policy.optional_policy();
  pattern_of(options);
  KeyReader reader(options.registry.registry(), {});
  RedisSession session(options.redis);
  session.run(leave_idle_times_alone(session.redis()));
  Completeness completeness;
  const auto [overview, now_us] = read_overview(session, options, reader);
  completeness.unseen = session.redis().unseen();
  completeness.interrupted = session.loop().interrupted();

  std::vector<const LimiterRow*> found = overview.rows();
  completeness.problems =
      std::ranges::any_of(found, [](const LimiterRow* row) { return !row->problem.empty(); });
  std::erase_if(found, [&](const LimiterRow* row) {
    return (options.stuck && !row->is_stuck()) || (options.blocked && !row->block.is_set);
  });
  const std::size_t total = found.size();
  found.resize(std::min(total, most));
  std::vector<LimiterRow> rows;
  for (const LimiterRow* row : found) rows.push_back(*row);
  if (options.json) {
    Json body;
    body["limiters"] = Json::array();
    for (const LimiterRow& row : rows) body["limiters"].push_back(to_json(row, now_us));
    body["total"] = total;
    body["other_keys"] = overview.other_keys();
    body["complete"] = completeness.all();
    print_json("list", std::move(body));
  } else {
    print(limiter_table(rows, {kNameColumn, kKindColumn, kUsedColumn, kExpiryColumn, kStateColumn},
                        now_us, columns_or(0)));
  }
  if (const std::string note = guess_note(rows); !options.json && !note.empty()) tell(note);
  tell_about(rows.size(), total, overview, completeness);
  if (completeness.interrupted) return Exit::interrupted;
  if (options.stuck && total > 0) return Exit::violated;
  return completeness.all() ? Exit::done : Exit::inconclusive;
}

Action add_list_options(Options& app) {
  auto options = std::make_shared<ListOptions>();
  options->pattern.add_to(app, KeyOptions::Takes::one_pattern);
  app.add_flag("--stuck", options->stuck,
               "only what is never reset for want of an expiry; exit 1 if there is any");
  app.add_flag("--blocked", options->blocked, "only limiters whose block flag is set");
  app.add_option("--most", options->most, "show at most N rows [50]").type_name("N");
  app.add_flag("--json", options->json, "print one JSON object");
  app.add_flag("--quiet", options->quiet, "no progress line");
  options->policy.add_optional_to(app);
  options->registry.add_to(app);
  options->redis.add_to(app, WithoutUrl::local);
  return [options] { return run_list(*options); };
}

}  // namespace

const Verb kListVerb{"list",
                     "Lists the limiters under a pattern, most used first (uses SCAN, never KEYS).",
                     "  rlctl list\n"
                     "  rlctl list 'ratelimit:ip:*' --blocked\n"
                     "  rlctl list --stuck --json",
                     add_list_options};

}  // namespace rlctl
