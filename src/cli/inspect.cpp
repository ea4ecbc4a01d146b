// rlctl inspect: shows what a limiter's keys hold.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <vector>

#include "base/escape.h"
#include "base/json.h"
#include "base/sort.h"
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
#include "inspect/own_state.h"
#include "inspect/unread_keys.h"
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

// What one argument stands for.
struct Match {
  std::vector<LimiterKeys> limiters;
  std::size_t total = 0;  // all, of which `limiters` are the first by name
  std::size_t most = 0;   // that are shown
};

struct Found {
  std::vector<Match> matches;
  std::vector<std::string> absent;  // in words: patterns and keys that were not found
  std::size_t expired = 0;          // that a search had found
  bool complete = true;             // everything was searched
};

constexpr const char* kEntries = "20";
// The most that are shown: of a pattern some, of a client all that a person can read.
constexpr std::size_t kMostOfPattern = 20;
constexpr std::size_t kMostOfClient = 200;
// So many are read to choose those that are shown.
constexpr std::size_t kMostRead = 1'000;

FirstLimiters first_limiters(const Layouts& layouts, std::size_t most) {
  return {layouts, std::max(most, kMostRead)};
}

TakeKeys adding_to(FirstLimiters& first) {
  return [&first](std::vector<std::string> page) -> Task<bool> {
    first.add(std::move(page));
    co_return true;
  };
}

void take(const FirstLimiters& first, std::size_t most, Found& found) {
  found.matches.push_back({first.limiters(), static_cast<std::size_t>(first.total()), most});
}

void take(LimiterKeys limiter, Found& found) {
  found.matches.push_back({{std::move(limiter)}, 1, 1});
}

// False if there is nothing; so do the others below.
bool find_by_pattern(RedisSession& session, const Layouts& layouts, const KeyTarget& target,
                     const InspectOptions& options, Found& found) {
  const std::size_t most = options.most_or(kMostOfPattern);
  FirstLimiters first = first_limiters(layouts, most);
  const Search search = search_pattern(session, target.bytes, options.quiet, adding_to(first));
  found.complete = found.complete && search.complete;
  take(first, most, found);
  return search.found > 0;
}

bool find_by_other_name(RedisSession& session, KeyReader& reader, const KeyTarget& target,
                        const InspectOptions& options, Found& found);

bool find_client(RedisSession& session, KeyReader& reader, const KeyTarget& client,
                 const InspectOptions& options, Found& found) {
  const std::size_t most = options.most_or(kMostOfClient);
  FirstLimiters first = first_limiters(reader.layouts(), most);
  const Search search = search_client(session, reader.layouts(), client.bytes, Perhaps::taken,
                                      options.quiet, adding_to(first));
  const bool interrupted = session.loop().interrupted();
  if (search.found == 0 && !interrupted &&
      find_by_other_name(session, reader, client, options, found))
    return true;
  if (!interrupted) tell_about_search(session, search, client);
  found.complete = found.complete && search.complete;
  take(first, most, found);
  return search.found > 0;
}

// A search that finds the named key, too, groups it by its own rules: here it is as the user calls
// it, with what else the search knows of it.
void put_first(LimiterKeys named, Match& match) {
  const auto is_of_named = [&](const std::string& key) {
    return key == named.block_key || std::ranges::find(named.keys, key) != named.keys.end();
  };
  std::vector<std::string> more;
  match.total -= std::erase_if(match.limiters, [&](const LimiterKeys& other) {
    if (other.block_key != named.block_key && std::ranges::none_of(other.keys, is_of_named))
      return false;
    std::ranges::remove_copy_if(other.keys, std::back_inserter(more), is_of_named);
    return true;
  });
  std::ranges::move(more, std::back_inserter(named.keys));
  match.limiters.insert(match.limiters.begin(), std::move(named));
  ++match.total;
}

// A key that has the client's name may be anything, so it hides nothing of the client. Who may read
// it need not be allowed to search.
void find_client_beside(NamedLimiter named, RedisSession& session, KeyReader& reader,
                        const InspectOptions& options, Found& found) {
  const std::string client = named.limiter.name;
  try {
    find_client(session, reader, {client}, options, found);
  } catch (const Error& error) {
    tell_not_searched(client, error);
    found.complete = false;
    return take(std::move(named.limiter), found);
  }
  put_first(std::move(named.limiter), found.matches.back());
}

std::vector<std::string> find_matches(RedisSession& session, const KeyMatch& match, bool quiet,
                                      Found& found) {
  if (!match.is_pattern) {
    const Existence there = session.run(find_existing(session.redis(), {match.text})).front();
    return there == Existence::absent ? std::vector<std::string>() : std::vector{match.text};
  }
  std::vector<std::string> keys;
  const auto add = [&](std::vector<std::string> page) -> Task<bool> {
    keys.insert(keys.end(), page.begin(), page.end());
    co_return true;
  };
  found.complete = search_pattern(session, match.text, quiet, add).complete && found.complete;
  sort_unique(keys);
  return keys;
}

// The keys that the algorithm's manifest derives from this one; those of its windows and slots are
// searched.
bool find_by_manifest(RedisSession& session, const Manifest& manifest, const KeyTarget& target,
                      const InspectOptions& options, Found& found) {
  const std::string& key = target.bytes;
  const std::string block_key = options.keys.block_key();
  LimiterKeys limiter{key, {}, block_key.empty() ? block_key_beside(key) : block_key};
  for (const std::string& name : manifest.keys) {
    if (name.empty() || name == "<block_key>") continue;
    for (std::string& match : find_matches(session, match_of(name, key), options.quiet, found))
      if (std::ranges::find(limiter.keys, match) == limiter.keys.end())
        limiter.keys.push_back(std::move(match));
  }
  if (limiter.keys.empty()) {
    found.absent.push_back(target.not_found());
    return false;
  }
  take(std::move(limiter), found);
  return true;
}

void find_text(RedisSession& session, KeyReader& reader, const KeyTarget& target,
               const InspectOptions& options, Found& found) {
  if (!options.algorithm.empty()) {
    const Manifest& manifest = options.registry.registry().find(options.algorithm).manifest;
    if (!find_by_manifest(session, manifest, target, options, found))
      find_by_other_name(session, reader, target, options, found);
    return;
  }
  NamedLimiter named = find_named(session, reader, target.bytes, options.keys.block_key());
  if (!named.exists)
    find_client(session, reader, target, options, found);
  else if (named.is_sure || named.is_only_flag)
    take(std::move(named.limiter), found);
  else
    find_client_beside(std::move(named), session, reader, options, found);
}

// What was not found may be a key with a * in its name, or a name as rlctl prints it.
bool find_by_other_name(RedisSession& session, KeyReader& reader, const KeyTarget& target,
                        const InspectOptions& options, Found& found) {
  const auto other = find_other_name(session, reader.layouts(), target, options.quiet);
  if (!other) return false;
  tell(target.in_words() + " names a " + noun_of(*other) + " with " + other->option +
       ": that one is shown");
  find_text(session, reader, {other->bytes}, options, found);
  return true;
}

Found find(RedisSession& session, KeyReader& reader, const InspectOptions& options) {
  Found found;
  for (const KeyTarget& target : options.keys.targets()) {
    if (!target.pattern)
      find_text(session, reader, target, options, found);
    else if (!find_by_pattern(session, reader.layouts(), target, options, found) &&
             (session.loop().interrupted() ||
              !find_by_other_name(session, reader, target, options, found)))
      found.absent.push_back(target.not_found());
  }
  return found;
}

// What is shown of all that was found, in the order of the arguments.
struct Shown {
  std::vector<Inspection> inspections;
  RowCounts counts;       // of all that were read
  std::size_t read = 0;   // limiters, and keys that are none
  std::size_t total = 0;  // that were found
  bool denies = false;
  bool partial = false;  // some is hidden from this user, or was not read
};

// The most urgent first, of these the most used, if there are more than are shown. What is no
// limiter's takes no place of one.
void keep(std::size_t most, const Policy& policy, std::vector<Inspection>& inspections) {
  if (inspections.size() <= most) return;
  std::vector<std::pair<LimiterRow, std::size_t>> rows;
  for (const Inspection& one : inspections) rows.emplace_back(row_of(one, policy), rows.size());
  const std::int64_t now_us = inspections.front().now.us;
  std::ranges::stable_sort(rows, std::ranges::greater{}, [&](const auto& row) {
    return std::tuple(row.first.is_limiter(), row.first.state_at(now_us),
                      row.first.used.value_or(-1));
  });
  std::vector<Inspection> kept;
  for (std::size_t i = 0; i < most; ++i) kept.push_back(std::move(inspections[rows[i].second]));
  inspections = std::move(kept);
}

void add(std::vector<Inspection> inspections, const Match& match, const Policy& policy,
         Shown& shown) {
  for (const Inspection& one : inspections) {
    const LimiterRow row = row_of(one, policy);
    if (row.is_limiter()) shown.counts.add(row, one.now.us);
    shown.denies = shown.denies || row.denies_at(one.now.us);
    shown.partial = shown.partial || one.is_partial() || row.perhaps_denies();
  }
  shown.read += inspections.size();
  shown.total += match.total;
  shown.partial = shown.partial || shown.read < shown.total;
  keep(match.most, policy, inspections);
  std::ranges::move(inspections, std::back_inserter(shown.inspections));
}

void tell_what_is_missing(const Found& found, const Shown& shown, const Policy& policy) {
  for (const std::string& absent : found.absent) tell(absent);
  if (found.expired > 0)
    tell(counted(static_cast<std::int64_t>(found.expired), "name") + " expired before it was read");
  const auto all = static_cast<std::size_t>(shown.counts.limiters);
  const auto limiters = static_cast<std::size_t>(std::ranges::count_if(
      shown.inspections,
      [&](const Inspection& inspection) { return row_of(inspection, policy).is_limiter(); }));
  if (const std::string note = cut_note(limiters, all, "most urgent"); !note.empty()) tell(note);
  const std::size_t others = shown.read - all - (shown.inspections.size() - limiters);
  if (others > 0) tell(counted(others, "other key") + " not shown: not the data of a limiter");
}

// One limiter in full says so itself. What has a problem is told once: a flag that this user may
// not read need not be there.
void tell_unread(const std::vector<Inspection>& inspections) {
  UnreadKeys unread;
  for (const Inspection& one : inspections) {
    for (const InspectedKey& key : one.keys) unread.add(key.state);
    if (one.keys.empty()) unread.add(one.block_state);
  }
  if (const std::string words = unread.in_words(); !words.empty() && inspections.size() > 1)
    tell("partial: " + words);
}

void tell_what_was_not_read(const Shown& shown) {
  if (shown.read < shown.total)
    tell(fmt::format("partial: only the first {} of {} names were read; --most {} reads all",
                     format_count(static_cast<std::int64_t>(shown.read)),
                     format_count(static_cast<std::int64_t>(shown.total)), shown.total));
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

// The user says which algorithm wrote them; `hit` says the same of a key that holds something else.
bool tell_strangers(const std::vector<Inspection>& inspections, const InspectOptions& options) {
  if (options.algorithm.empty()) return false;
  const Registry registry = options.registry.registry();
  OwnState own(registry, registry.find(options.algorithm));
  bool any = false;
  for (const Inspection& inspection : inspections)
    for (const InspectedKey& key : inspection.keys)
      if (const auto stranger =
              key.state.key == inspection.name ? own.stranger(key.state) : std::nullopt) {
        tell(stranger->what());
        any = true;
      }
  return any;
}

// One line for each limiter, the most urgent first, and what they come to.
void print_table(const Shown& shown, const Policy& policy) {
  std::vector<LimiterRow> rows;
  std::vector<std::string> others;
  for (const Inspection& inspection : shown.inspections) {
    LimiterRow row = row_of(inspection, policy);
    if (row.is_limiter())
      rows.push_back(std::move(row));
    else
      others.push_back(name_cell(inspection.name));
  }
  const std::int64_t now_us = shown.inspections.front().now.us;
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [&](const LimiterRow& row) { return row.state_at(now_us); });
  print(in_words(shown.counts) + "\n" +
        limiter_table(rows, {kNameColumn, kKindColumn, kUsedColumn, kExpiryColumn, kStateColumn},
                      now_us, columns_or(0)));
  if (!others.empty()) print(fitted("not a limiter's data: " + joined(others) + "\n"));
  if (const std::string notes = notes_on(rows); !notes.empty()) tell(notes);
}

// One limiter in full; several as a table, unless the user asks for their entries.
void print_inspections(const Shown& shown, const InspectionOptions& options, bool undisturbed,
                       bool as_table) {
  if (shown.inspections.size() > 1 && as_table) return print_table(shown, options.policy);
  for (const Inspection& inspection : shown.inspections)
    print((&inspection == shown.inspections.data() ? "" : "\n") +
          fitted(to_text(inspection, options, !undisturbed)));
}

void print_object(const Shown& shown, bool complete, const InspectionOptions& options,
                  bool undisturbed) {
  Json body;
  body["limiters"] = Json::array();
  for (const Inspection& inspection : shown.inspections)
    body["limiters"].push_back(to_json(inspection, options));
  body["total"] = shown.total;
  body["idle_time_disturbed"] = !undisturbed;
  body["more"] = shown.inspections.size() < shown.total;
  body["complete"] = complete;
  print_json("inspect", std::move(body));
}

// 0: free, as far as the keys tell; 1: denied now; 4: some of it could not be read.
Exit exit_of(const Shown& shown, bool complete) {
  if (shown.denies) return Exit::violated;
  return complete && !shown.partial ? Exit::done : Exit::inconclusive;
}

// Two arguments may name the same limiter: a client and its key.
bool is_seen(const LimiterKeys& limiter, std::set<std::string>& seen) {
  bool is_new = seen.insert(limiter.block_key).second;
  for (const std::string& key : limiter.keys) is_new = seen.insert(key).second || is_new;
  return !is_new;
}

Shown inspect(RedisSession& session, KeyReader& reader, Found& found,
              const InspectionOptions& options) {
  Shown shown;
  std::set<std::string> seen;
  for (Match& match : found.matches) {
    std::vector<Inspection> inspections;
    const bool is_one = match.total == 1;
    for (LimiterKeys& limiter : match.limiters) {
      if (!session.run(session.turn())) break;
      if (is_seen(limiter, seen)) {
        --match.total;
        continue;
      }
      Inspection one =
          session.run(inspect_limiter(session.redis(), reader, std::move(limiter), options));
      if (one.exists()) {
        inspections.push_back(std::move(one));
        continue;
      }
      --match.total;
      if (is_one)
        found.absent.push_back(KeyTarget{one.name}.not_found());
      else
        ++found.expired;
    }
    add(std::move(inspections), match, options.policy, shown);
  }
  return shown;
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
  Found found = find(session, reader, options);
  if (const std::string lag = session.lag(); found.complete && !lag.empty()) {
    tell("partial: not seen: " + lag);
    found.complete = false;
  }
  Shown shown = inspect(session, reader, found, inspection_options);
  if (options.json)
    print_object(shown, found.complete, inspection_options, undisturbed);
  else
    print_inspections(shown, inspection_options, undisturbed, options.entries.empty());
  tell_what_is_missing(found, shown, inspection_options.policy);
  tell_unread(shown.inspections);
  if (!options.layouts.as().empty())
    tell_what_does_not_fit(shown.inspections, options.layouts.as());
  if (tell_strangers(shown.inspections, options)) shown.partial = true;
  if (session.loop().interrupted()) {
    tell("interrupted: not all keys were read");
    return Exit::interrupted;
  }
  tell_what_was_not_read(shown);
  return exit_of(shown, found.complete);
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
