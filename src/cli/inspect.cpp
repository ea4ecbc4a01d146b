// rlctl inspect: shows what a limiter's keys hold.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/escape.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/options/key_options.h"
#include "cli/options/key_search.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/options/server_share_options.h"
#include "cli/output/output.h"
#include "cli/verb.h"
#include "inspect/inspection_text.h"
#include "io/redis/keyspace.h"
#include "policy/key.h"

namespace rlctl {
namespace {

struct InspectOptions {
  RedisOptions redis;
  ServerShareOptions load;
  RegistryOptions registry;
  LayoutOptions layouts;
  PolicyOptions policy;
  KeyOptions keys;
  std::string algorithm;
  std::string entries;
  std::string most;
  bool json = false;
  bool quiet = false;

  std::size_t most_or(std::size_t by_default) const {
    return most.empty() ? by_default : static_cast<std::size_t>(parse_count(most, "--most"));
  }
};

struct Found {
  std::vector<LimiterKeys> limiters;
  std::vector<std::string> absent;  // patterns and keys that were not found
  bool more = false;                // `limiters` has only the first
  bool complete = true;             // everything was searched
};

// The most that are shown: of a pattern the first ones, of a client all that a person can read.
constexpr const char* kEntries = "20";
constexpr std::size_t kMostOfPattern = 20;
constexpr std::size_t kMostOfClient = 200;

void take(const FirstLimiters& first, Found& found) {
  for (LimiterKeys& limiter : first.limiters()) found.limiters.push_back(std::move(limiter));
  found.more = found.more || first.has_more();
}

// Adds limiters whose keys match, at most `most`, and stops the scan there.
void find_by_pattern(RedisSession& session, const Layouts& layouts, const std::string& pattern,
                     std::size_t most, bool quiet, Found& found) {
  FirstLimiters first(layouts, most);
  const Search search = search_pattern(session, pattern, quiet, [&](std::vector<std::string> page) {
    first.add(std::move(page));
    return !first.has_more();
  });
  if (search.found == 0) found.absent.push_back(pattern);
  found.complete = found.complete && (search.complete || first.has_more());
  take(first, found);
}

void find_client(RedisSession& session, const Layouts& layouts, const std::string& client,
                 std::size_t most, bool quiet, Found& found) {
  FirstLimiters first(layouts, most);
  const auto add = [&](std::vector<std::string> page) {
    first.add(std::move(page));
    return true;
  };
  const Search search = search_client(session, layouts, client, Perhaps::taken, quiet, add);
  if (!session.loop().interrupted()) tell_about_search(search, client);
  found.complete = found.complete && search.complete;
  take(first, found);
}

std::vector<std::string> find_matches(RedisSession& session, const KeyMatch& match, bool quiet,
                                      Found& found) {
  if (!match.is_pattern) {
    const Existence there = session.run(find_existing(session.redis(), {match.text})).front();
    return there == Existence::absent ? std::vector<std::string>() : std::vector{match.text};
  }
  std::vector<std::string> keys;
  const auto add = [&](const std::vector<std::string>& page) {
    keys.insert(keys.end(), page.begin(), page.end());
    return true;
  };
  found.complete = search_pattern(session, match.text, quiet, add).complete && found.complete;
  sort_out(keys);
  return keys;
}

// The keys that the algorithm's manifest derives from this one; those of its windows and slots are
// searched.
void find_by_manifest(RedisSession& session, const Manifest& manifest, const std::string& key,
                      const std::string& block_key, bool quiet, Found& found) {
  LimiterKeys limiter{key, {}, block_key.empty() ? block_key_beside(key) : block_key};
  for (const std::string& name : manifest.keys) {
    if (name.empty() || name == "<block_key>") continue;
    for (std::string& match : find_matches(session, match_of(name, key), quiet, found))
      if (std::ranges::find(limiter.keys, match) == limiter.keys.end())
        limiter.keys.push_back(std::move(match));
  }
  if (limiter.keys.empty()) return found.absent.push_back(key);
  found.limiters.push_back(std::move(limiter));
}

void find_text(RedisSession& session, const Layouts& layouts, const std::string& text,
               const InspectOptions& options, Found& found) {
  const std::string block_key = options.keys.block_key();
  if (!options.algorithm.empty())
    return find_by_manifest(session, options.registry.registry().find(options.algorithm).manifest,
                            text, block_key, options.quiet, found);
  NamedLimiter named = find_named(session, layouts, text, block_key);
  if (named.exists) return found.limiters.push_back(std::move(named.limiter));
  find_client(session, layouts, text, options.most_or(kMostOfClient), options.quiet, found);
}

Found find(RedisSession& session, const Layouts& layouts, const InspectOptions& options) {
  Found found;
  for (const KeyTarget& target : options.keys.targets())
    if (target.pattern)
      find_by_pattern(session, layouts, target.bytes, options.most_or(kMostOfPattern),
                      options.quiet, found);
    else
      find_text(session, layouts, target.bytes, options, found);
  return found;
}

void tell_what_is_missing(const Found& found) {
  for (const std::string& text : found.absent) tell("no key " + in_quotes(text) + " found");
  if (found.more)
    tell(fmt::format(
        "only the first {} limiters are shown; see all with rlctl list, or more here with --most N",
        found.limiters.size()));
}

// The user says which library wrote them; a value that it could not have written says otherwise.
void tell_what_does_not_fit(const std::vector<Inspection>& inspections, const std::string& as) {
  const auto fits = [](const InspectedKey& key) {
    return key.reading.layout.fits() || !key.state.problem.empty();
  };
  std::vector<std::string> others;
  for (const Inspection& inspection : inspections)
    if (!inspection.keys.empty() && std::ranges::none_of(inspection.keys, fits))
      others.push_back(in_quotes(inspection.name));
  if (others.empty()) return;
  tell("not as " + escape_for_terminal(as) + " stores it: " + others.front() +
       (others.size() == 1
            ? ""
            : fmt::format(" and {} more", format_count(static_cast<int>(others.size()) - 1))));
}

// One line for each limiter, the most urgent first, and what they come to.
void print_table(const std::vector<Inspection>& inspections, const Policy& policy) {
  std::vector<LimiterRow> rows;
  std::vector<std::string> others;
  for (const Inspection& inspection : inspections) {
    LimiterRow row = row_of(inspection, policy);
    if (row.keys > 0 || row.block.is_set || !row.problem.empty())
      rows.push_back(std::move(row));
    else
      others.push_back(escape_for_terminal(inspection.name));
  }
  const std::int64_t now_us = inspections.front().now.us;
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [&](const LimiterRow& row) { return row.state_at(now_us); });
  print(in_words(count_rows(rows, now_us)) + "\n" +
        limiter_table(rows, {kNameColumn, kKindColumn, kUsedColumn, kExpiryColumn, kStateColumn},
                      now_us, columns_or(0)));
  if (!others.empty()) print("not a limiter's data: " + joined(others) + "\n");
  if (const std::string note = guess_note(rows); !note.empty()) tell(note);
}

// One limiter in full; several as a table, unless the user asks for their entries.
void print_inspections(const std::vector<Inspection>& inspections, const InspectionOptions& options,
                       bool undisturbed, bool as_table) {
  if (inspections.size() > 1 && as_table) return print_table(inspections, options.policy);
  for (const Inspection& inspection : inspections)
    print((&inspection == inspections.data() ? "" : "\n") +
          to_text(inspection, options, !undisturbed));
}

void print_object(const std::vector<Inspection>& inspections, const Found& found,
                  const InspectionOptions& options, bool undisturbed) {
  Json body;
  body["limiters"] = Json::array();
  for (const Inspection& inspection : inspections)
    body["limiters"].push_back(to_json(inspection, options));
  body["idle_time_disturbed"] = !undisturbed;
  body["more"] = found.more;
  body["complete"] = found.complete;
  print_json("inspect", std::move(body));
}
// 0: free, as far as the keys tell; 1: denied now; 4: some of it could not be read.
Exit exit_of(const std::vector<Inspection>& inspections, const Policy& policy, const Found& found) {
  const auto denies = [&](const Inspection& one) {
    return row_of(one, policy).denies_at(one.now.us);
  };
  if (std::ranges::any_of(inspections, denies)) return Exit::violated;
  const bool all =
      found.complete && !found.more && std::ranges::none_of(inspections, &Inspection::is_partial);
  return all ? Exit::done : Exit::inconclusive;
}

Exit run_inspect(const InspectOptions& options) {
  InspectionOptions inspection_options;
  inspection_options.policy = options.policy.optional_policy();
  inspection_options.most_entries =
      parse_count(options.entries.empty() ? kEntries : options.entries, "--entries", 0);
  options.most_or(kMostOfPattern);
  KeyReader reader(options.registry.registry(), options.algorithm, options.layouts.layouts());
  options.keys.targets();
  RedisSession session(options.redis, options.load.of_search());
  const bool undisturbed = session.run(leave_idle_times_alone(session.redis()));
  Found found = find(session, reader.layouts(), options);
  if (const std::string lag = session.lag(); found.complete && !lag.empty()) {
    tell("partial: not seen: " + lag);
    found.complete = false;
  }

  std::vector<Inspection> inspections;
  for (const LimiterKeys& limiter : found.limiters) {
    if (!session.run(session.turn())) break;
    inspections.push_back(
        session.run(inspect_limiter(session.redis(), reader, limiter, inspection_options)));
  }
  if (options.json)
    print_object(inspections, found, inspection_options, undisturbed);
  else
    print_inspections(inspections, inspection_options, undisturbed, options.entries.empty());
  tell_what_is_missing(found);
  if (!options.layouts.as().empty()) tell_what_does_not_fit(inspections, options.layouts.as());
  if (session.loop().interrupted()) {
    tell("interrupted: not all keys were read");
    return Exit::interrupted;
  }
  return exit_of(inspections, inspection_options.policy, found);
}

Action add_inspect_options(Options& app) {
  auto options = std::make_shared<InspectOptions>();
  options->keys.add_to(app, KeyOptions::Takes::keys_or_patterns);
  options->keys.add_block_key_to(app);
  app.add_option("--entries", options->entries, "show the newest N entries of each log [20]")
      .type_name("N");
  app.add_option("--most", options->most,
                 "show at most N limiters [20 of a pattern, 200 of a client]")
      .type_name("N");
  app.add_option("--algo", options->algorithm,
                 "the algorithm that writes the key [detected from its content]")
      .type_name("NAME|FILE.lua");
  app.add_flag("--json", options->json, "print one JSON object");
  app.add_flag("--quiet", options->quiet, "no progress line");
  options->policy.add_optional_to(app);
  options->registry.add_to(app);
  options->layouts.add_to(app);
  options->load.add_to(app);
  options->redis.add_to(app, WithoutUrl::local);
  return [options] { return run_inspect(*options); };
}

}  // namespace

const Verb kInspectVerb{"inspect",
                        "Shows what limits a client, or what a key holds; exit 1 if it is blocked "
                        "or full.",
                        "  rlctl inspect 203.0.113.7\n"
                        "  rlctl inspect ratelimit:ip:203.0.113.7 --limit 20 --window 60s\n"
                        "  rlctl inspect 'api:*' --entries 5 --json",
                        add_inspect_options};

}  // namespace rlctl
