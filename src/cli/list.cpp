// rlctl list: lists the limiters of a Redis, blocked and most used first.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/sort.h"
#include "base/suggest.h"
#include "base/table.h"
#include "base/units.h"
#include "cli/options/key_options.h"
#include "cli/options/key_search.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/options/server_share_options.h"
#include "cli/output/output.h"
#include "cli/output/paced_progress.h"
#include "cli/verb.h"
#include "inspect/companions.h"
#include "inspect/limiter_keys.h"
#include "inspect/overview.h"
#include "inspect/survey.h"
#include "inspect/watch/younger_entries.h"
#include "io/redis/keyspace.h"

namespace rlctl {
namespace {

struct ListOptions {
  RedisOptions redis;
  ServerShareOptions load;
  RegistryOptions registry;
  LayoutOptions layouts;
  PolicyOptions policy;
  KeyOptions pattern;
  std::string most = "50";
  bool stuck = false;
  bool blocked = false;
  bool json = false;
  bool quiet = false;
};

struct Reading {
  Policy policy;
  KeyReader keys;
  std::int64_t now_us = 0;  // by the server's clock, at the last look
  std::string lost = {};    // why a key was not seen: its node does not answer
};

// Of each log the entries that are in its window, as far as that is known.
Task<> count_live(Redis& redis, std::vector<KeyState>& states, Reading& reading) {
  const KeyContext context{reading.policy, reading.now_us};
  const std::vector<std::int64_t> windows_us =
      co_await windows_of_logs(redis, reading.keys, states, context);
  std::vector<KeyState*> logs;
  std::vector<LogQuestion> questions;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (windows_us[i] <= 0) continue;
    logs.push_back(&states[i]);
    questions.push_back({&states[i], reading.now_us - windows_us[i]});
  }
  const std::vector<LiveEntries> live = co_await count_younger(redis, std::move(questions));
  for (std::size_t i = 0; i < logs.size(); ++i) logs[i]->live = live[i];
}

enum class Logs : std::uint8_t { by_length, by_window };

// Glances at the keys and hands each to `take(state, reading)`.
template <typename Take>
Task<> read_each(Redis& redis, std::vector<std::string> keys, Reading& reading, Logs logs,
                 Take take) {
  std::vector<KeyState> states = co_await glance_at(redis, std::move(keys), IfLost::tell);
  const ServerTime now = co_await read_time(redis);
  reading.now_us = now.us;
  if (logs == Logs::by_window) co_await count_live(redis, states, reading);
  const KeyContext context{reading.policy, now.us};
  co_await look_beside_flags(redis, reading.keys, states, context);
  for (const KeyState& state : states)
    if (state.is_lost)
      reading.lost = state.problem;
    else
      take(state, reading.keys.read(state, {reading.policy, reading.now_us}));
}

// `glimpse`: the rows of the limiters chosen so far, by the keys as they came.
void survey_keys(RedisSession& session, const ListOptions& options, std::size_t most,
                 Reading& reading, Survey& survey, Overview& glimpse) {
  std::size_t added = 0;
  const auto take = [&](const KeyState& state, const KeyReading& key) {
    if (!survey.add(state, key, reading.now_us)) return;
    glimpse.add(state, key, reading.now_us);
    if (++added < 2 * most + 1'000) return;
    glimpse.keep_most_used(most, reading.now_us);
    added = most;
  };
  KeyScan scan(session.redis(), options.pattern.search_pattern(), [&] { return session.turn(); });
  const std::int64_t all = session.run(count_keys(session.redis())).value_or(0);
  const PacedProgress progress(session.loop(), session.paced(), options.quiet, [&] {
    return Work{"scanning", "keys", scan.passed(), all};
  });
  session.run(look_at_pages(session.loop(), scan, [&](std::vector<std::string> keys) {
    return read_each(session.redis(), std::move(keys), reading, Logs::by_length, take);
  }));
}

// The rows of the limiters that were chosen, from all their keys. If a part of a cluster is away,
// keys that would be there are left out.
Overview look_closer(RedisSession& session, const Survey& survey, Reading& reading) {
  constexpr std::size_t kAtOnce = 500;
  Overview overview(reading.policy, reading.keys);
  std::set<std::string> seen;
  for (const Survey::Chosen& chosen : survey.chosen()) seen.insert(chosen.key);
  // Most of the other names are of no key: a user who may not read one hides nothing of a limiter.
  const auto take = [&](const KeyState& state, const KeyReading& key) {
    if (state.problem.empty() || seen.contains(state.key)) overview.add(state, key, reading.now_us);
  };
  std::vector<std::string> keys;
  const auto read = [&] {
    session.run(session.turn());
    session.run(
        read_each(session.redis(), std::exchange(keys, {}), reading, Logs::by_window, take));
  };
  for (const Survey::Chosen& chosen : survey.chosen()) {
    std::vector<std::string> names = keys_by_name(chosen.name);
    for (const std::string& of : {chosen.key, chosen.name})
      for (std::string& name : reading.keys.layouts().companions_of(of))
        names.push_back(std::move(name));
    names.push_back(chosen.key);
    sort_unique(names);
    for (std::string& key : names) {
      keys.push_back(std::move(key));
      if (keys.size() >= kAtOnce) read();
    }
  }
  if (!keys.empty()) read();
  return overview;
}

struct Completeness {
  std::string unseen;  // RedisClient::unseen()
  std::string unread;  // UnreadKeys::in_words()
  std::string gone;    // why Redis did not answer to the end
  bool interrupted = false;
  bool all() const { return unseen.empty() && unread.empty() && gone.empty() && !interrupted; }
};

// What was read before Redis went away is shown; if that is nothing, it is an error.
Overview read_all(RedisSession& session, const ListOptions& options, std::size_t most,
                  Reading& reading, Survey& survey, Completeness& completeness) {
  Overview glimpse(reading.policy, reading.keys);
  try {
    survey_keys(session, options, most, reading, survey, glimpse);
    completeness.unseen = session.unseen();
    return look_closer(session, survey, reading);
  } catch (const Error& error) {
    if (survey.limiters() + survey.other_keys() == 0) throw;
    completeness.gone = with_hint(error.what(), error.hint());
  }
  return glimpse;
}

void tell_about(std::size_t shown, std::size_t total, const Survey& survey,
                const Completeness& completeness, const RedisSession& session) {
  if (!completeness.gone.empty())
    return tell("partial: not all keys were read: " + completeness.gone);
  if (total == 0)
    tell(completeness.unread.empty()
             ? "no such limiter found; to search for a client: " + session.command("inspect CLIENT")
             : "no such limiter among the keys that can be read");
  if (const std::string note = cut_note(shown, total); !note.empty()) tell(note);
  if (survey.other_keys() > 0)
    tell(counted(survey.other_keys(), "other key") + " not shown: not the data of a limiter");
  if (!completeness.unseen.empty()) tell("partial: not listed: " + completeness.unseen);
  if (!completeness.unread.empty()) tell("partial: " + completeness.unread);
  if (completeness.interrupted) tell("interrupted: not all keys were read");
}

// Whoever names the keys or their limit says that they count requests, as for doctor.
bool fails(const LimiterRow& row, const ListOptions& options) {
  const bool are_limits = !options.pattern.targets().empty() || options.policy.given();
  return row.is_stuck_for_certain() || (row.never_reset && are_limits);
}

void tell_doubt(const std::vector<LimiterRow>& rows, const RedisSession& session) {
  const bool any_number = std::ranges::any_of(rows, &LimiterRow::never_reset);
  tell(with_hint("none of these is stuck for certain, so that is no failure",
                 any_number ? "if they count requests, name their keys: " +
                                  session.command("list PATTERN --stuck")
                            : ""));
}

Exit run_list(const ListOptions& options) {
  const auto most = static_cast<std::size_t>(parse_count(options.most, "--most"));
  options.pattern.search_pattern();
  Reading reading{options.policy.optional_policy(),
                  KeyReader(options.registry.registry(), {}, options.layouts.layouts())};
  RedisSession session(options.redis, options.load.of_search());
  session.run(leave_idle_times_alone(session.redis()));
  Completeness completeness;
  Survey survey({options.stuck, options.blocked}, most, reading.keys.layouts(), reading.policy);
  const Overview overview = read_all(session, options, most, reading, survey, completeness);
  completeness.interrupted = session.loop().interrupted();
  completeness.unread = survey.unread().in_words();
  if (completeness.unseen.empty() && !reading.lost.empty())
    completeness.unseen = "keys of " + escape_for_terminal(reading.lost);
  std::vector<const LimiterRow*> found = overview.rows();
  std::erase_if(found, [&](const LimiterRow* row) {
    return (options.stuck && !row->is_stuck()) ||
           (options.blocked && !row->block.is_set && !row->is_perhaps_blocked());
  });
  const std::int64_t now_us = reading.now_us;
  const bool failed = options.stuck && std::ranges::any_of(found, [&](const LimiterRow* row) {
                        return fails(*row, options);
                      });
  std::vector<LimiterRow> rows;
  for (const LimiterRow* row : most_used(std::move(found), most, now_us)) rows.push_back(*row);
  const auto total = static_cast<std::size_t>(survey.limiters());
  if (options.json) {
    Json body;
    body["limiters"] = Json::array();
    for (const LimiterRow& row : rows) body["limiters"].push_back(to_json(row, now_us));
    body["total"] = total;
    body["other_keys"] = survey.other_keys();
    body["complete"] = completeness.all();
    print_json("list", std::move(body));
  } else {
    print(limiter_table(rows, {kNameColumn, kKindColumn, kUsedColumn, kExpiryColumn, kStateColumn},
                        now_us, columns_or(0)));
  }
  const std::string notes = options.json || !completeness.gone.empty() ? "" : notes_on(rows);
  if (!notes.empty()) tell(notes);
  tell_about(rows.size(), total, survey, completeness, session);
  if (options.stuck && !failed && !rows.empty()) tell_doubt(rows, session);
  if (completeness.interrupted) return Exit::interrupted;
  if (!completeness.gone.empty()) return Exit::target;
  if (failed) return Exit::violated;
  return completeness.all() ? Exit::done : Exit::inconclusive;
}

Action add_list_options(Options& app) {
  auto options = std::make_shared<ListOptions>();
  options->pattern.add_to(app, KeyOptions::Takes::one_pattern);
  app.add_flag(
      "--stuck", options->stuck,
      "only what is never reset for want of an expiry; exit 1 if there is any for certain, or "
      "among the keys that you name");
  app.add_flag("--blocked", options->blocked, "only limiters that are blocked, or perhaps");
  app.add_option("--most", options->most, "show at most N rows [50]").type_name("N");
  app.add_flag("--json", options->json, "print one JSON object");
  app.add_flag("--quiet", options->quiet, "no progress line");
  options->policy.add_optional_to(app);
  options->registry.add_to(app);
  options->layouts.add_to(app);
  options->load.add_to(app);
  options->redis.add_to(app, WithoutUrl::local);
  return [options] { return run_list(*options); };
}

}  // namespace

const Verb kListVerb{"list",
                     "Lists the limiters under a pattern, blocked and most used first (uses SCAN, "
                     "never KEYS).",
                     "  rlctl list\n"
                     "  rlctl list 'ratelimit:ip:*' --blocked\n"
                     "  rlctl list --stuck --json",
                     add_list_options};

}  // namespace rlctl
