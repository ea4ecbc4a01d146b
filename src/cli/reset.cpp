// rlctl reset: frees limited clients by removing their limiters' keys.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/escape.h"
#include "base/glob.h"
#include "base/json.h"
#include "base/table.h"
#include "base/units.h"
#include "cli/options/key_options.h"
#include "cli/options/key_search.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/verb.h"
#include "inspect/inspection_text.h"
#include "inspect/key_reading.h"
#include "inspect/limiter_keys.h"
#include "io/redis/keyspace.h"
#include "io/redis/redis_error.h"

namespace rlctl {
namespace {

constexpr std::size_t kChunk = 250;
constexpr std::size_t kMostByYes = 1'000;  // what a person may have read
constexpr std::size_t kSample = 10;        // of what is refused

struct ResetOptions {
  RedisOptions redis;
  LayoutOptions layouts;
  KeyOptions keys;
  std::string confirm;
  bool yes = false;
  bool dry_run = false;
  bool json = false;
  bool quiet = false;
};

// The keys that will be removed, or that were removed.
struct Plan {
  std::vector<RemovedKey> keys;
  std::map<std::string, std::string> words;  // what each key holds, escaped; of a search
  SeenKeys seen;                             // the same, as the removal compares it
  bool by_search = false;                    // by a pattern or a client: rlctl chose the keys
  bool complete = true;                      // everything was searched

  std::int64_t count(Removal what) const {
    return std::ranges::count(keys, what, &RemovedKey::what);
  }
};

// Checked before anything is sent: a pattern that names nothing is always a mistake.
void refuse_patterns_of_everything(const std::vector<KeyTarget>& targets) {
  for (const KeyTarget& target : targets)
    if (target.pattern && !has_literal(target.bytes))
      throw Error(
          Exit::usage,
          "reset " + in_quotes(target.bytes) + " is refused: no letter or digit of it is fixed",
          "name a part of the keys, such as 'ratelimit:*' or '*203.0.113.7*'");
}

// Whether a search of the pattern `prefix*` has found this key, if it exists.
bool is_found_by(std::string_view pattern, std::string_view key) {
  const std::string prefix = literal_prefix(pattern);
  return pattern == escape_pattern(prefix) + '*' && key.starts_with(prefix);
}

// The keys that match a pattern, and their block flags.
KeySearch keys_of_pattern(RedisSession& session, const std::string& pattern, bool quiet) {
  KeySearch search = search_pattern(session, pattern, quiet);
  const std::size_t found = search.keys.size();
  for (std::size_t i = 0; i < found; ++i)
    if (std::string flag = block_key_beside(search.keys[i]); !is_found_by(pattern, flag))
      search.keys.push_back(std::move(flag));
  sort_out(search.keys);
  return search;
}

enum class Chosen : std::uint8_t { by_name, by_pattern, of_client };

struct Choice {
  Chosen how = Chosen::by_name;
  KeySearch search;
};

Choice choose_keys(RedisSession& session, const KeyTarget& target, const ResetOptions& options) {
  if (target.pattern)
    return {Chosen::by_pattern, keys_of_pattern(session, target.bytes, options.quiet)};
  const Layouts layouts = options.layouts.layouts();
  NamedLimiter named = find_named(session, layouts, target.bytes, options.keys.block_key());
  if (!named.exists)
    return {Chosen::of_client, search_client(session, layouts, target.bytes, options.quiet)};
  Choice choice;
  choice.search.keys = std::move(named.limiter.keys);
  choice.search.keys.push_back(named.limiter.block_key);
  return choice;
}

// Calls `act` for at most kChunk keys at a time, so that Ctrl-C can stop between the calls. Stops
// at keys without an answer: the connection is lost. There may be millions: each name is in memory
// once.
template <typename Act>
std::vector<RemovedKey> in_chunks(RedisSession& session, std::vector<std::string> keys, Work work,
                                  bool quiet, Act act) {
  std::vector<RemovedKey> done;
  work.all = static_cast<std::int64_t>(keys.size());
  const Progress progress(session.loop(), !quiet, [&] { return work; });
  bool lost = false;
  for (std::size_t i = 0; i < keys.size() && !session.loop().interrupted() && !lost; i += kChunk) {
    work.done = static_cast<std::int64_t>(i);
    const auto first = std::make_move_iterator(keys.begin()) + static_cast<std::ptrdiff_t>(i);
    const auto size = static_cast<std::ptrdiff_t>(std::min(kChunk, keys.size() - i));
    std::vector<std::string> chunk(first, first + size);
    for (RemovedKey& key : session.run(act(session.redis(), std::move(chunk))))
      if (key.what != Removal::absent) done.push_back(std::move(key));
    lost = !done.empty() && done.back().what == Removal::unknown;
  }
  return done;
}

std::vector<std::string> seen_of(const KeyState& state) {
  constexpr std::size_t kMostFields = 8;
  std::vector<std::string> seen{state.type_name};
  if (state.type == StateType::string) seen.push_back(state.value);
  for (const auto& [field, value] : state.fields)
    if (seen.size() <= kMostFields) seen.push_back(field);
  return seen;
}

// Looks at what each key holds. A client's keys that hold no limiter's data are left alone: a
// session, a basket.
std::vector<RemovedKey> look_at(RedisSession& session, std::vector<RemovedKey> keys, Chosen how,
                                const Layouts& layouts, Plan& plan) {
  KeyReader reader(Registry(), {}, layouts);
  std::vector<std::string> names;
  for (const RemovedKey& key : keys) names.push_back(key.key);
  const std::vector<KeyState> states = session.run(glance_at(session.redis(), std::move(names)));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const KeyReading reading = reader.read(states[i], {});
    plan.words[keys[i].key] = in_words(states[i], reading);
    if (states[i].problem.empty()) plan.seen[keys[i].key] = seen_of(states[i]);
    const bool limits = reading.shape != Shape::none || is_block_flag(states[i]);
    if (how == Chosen::of_client && keys[i].what == Removal::removed && !limits)
      keys[i].what = Removal::of_other_type;
  }
  return keys;
}

void add_target(RedisSession& session, const KeyTarget& target, const ResetOptions& options,
                Plan& plan) {
  Choice choice = choose_keys(session, target, options);
  plan.complete = plan.complete && choice.search.complete;
  plan.by_search = plan.by_search || choice.how != Chosen::by_name;
  if (choice.how == Chosen::of_client) tell_about_search(choice.search, target.bytes);
  std::vector<RemovedKey> found =
      in_chunks(session, std::exchange(choice.search.keys, {}), Work{"checking", "keys"},
                options.quiet, check_removable);
  if (session.loop().interrupted()) return;
  if (choice.how != Chosen::by_name && found.size() <= kMostByYes)
    found = look_at(session, std::move(found), choice.how, options.layouts.layouts(), plan);
  if (found.empty() && choice.how != Chosen::of_client)
    tell("no key " + in_quotes(target.bytes) + " found: nothing to reset");
  if (plan.keys.empty()) return plan.keys.swap(found);
  std::set<std::string> known;
  for (const RemovedKey& key : plan.keys) known.insert(key.key);
  for (RemovedKey& key : found)
    if (!known.contains(key.key)) plan.keys.push_back(std::move(key));
}

Plan removal_plan(RedisSession& session, const ResetOptions& options) {
  Plan plan;
  for (const KeyTarget& target : options.keys.targets()) add_target(session, target, options, plan);
  return plan;
}

bool may_ask() { return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1; }

// What would be removed: at most `most` keys.
std::string list_of(const Plan& plan, std::size_t most) {
  Table table({{""}, {""}}, 2);
  std::size_t shown = 0;
  for (const RemovedKey& key : plan.keys) {
    if (key.what != Removal::removed) continue;
    if (shown++ == most) break;
    const auto words = plan.words.find(key.key);
    table.add_row({escape_for_terminal(key.key), words == plan.words.end() ? "" : words->second});
  }
  const std::int64_t rest = plan.count(Removal::removed) - static_cast<std::int64_t>(most);
  return table.text() + (rest > 0 ? fmt::format("  … and {} more\n", format_count(rest)) : "");
}

// No loop runs while rlctl waits for the answer, so Ctrl-C must end the process by itself.
class InterruptibleByDefault {
 public:
  InterruptibleByDefault() {
    struct sigaction by_default {};
    by_default.sa_handler = SIG_DFL;
    sigaction(SIGINT, &by_default, &before_);
  }
  ~InterruptibleByDefault() { sigaction(SIGINT, &before_, nullptr); }
  InterruptibleByDefault(const InterruptibleByDefault&) = delete;
  InterruptibleByDefault& operator=(const InterruptibleByDefault&) = delete;

 private:
  struct sigaction before_ {};
};

bool is_agreed_on_terminal(const Plan& plan, std::int64_t count) {
  std::fputs(list_of(plan, kMostByYes).c_str(), stderr);
  std::fprintf(stderr, "rlctl: remove %s? [y/N] ", counted(count, "key").c_str());
  const InterruptibleByDefault interruptible;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

// Before keys that rlctl has searched are removed, the user must have seen them, or how many.
void ask_for_consent(const Plan& plan, const ResetOptions& options) {
  const std::int64_t count = plan.count(Removal::removed);
  if (!plan.by_search || count == 0) return;
  const std::string found = counted(count, "key") + (count == 1 ? " matches" : " match");
  if (!options.confirm.empty()) {
    if (parse_count(options.confirm, "--confirm", 0) == count) return;
    throw Error(Exit::usage,
                fmt::format("--confirm {}: {} now; nothing was removed",
                            escape_for_terminal(options.confirm), found),
                "check with --dry-run");
  }
  if (count > static_cast<std::int64_t>(kMostByYes))
    throw Error(Exit::usage, found + "; nothing was removed",
                fmt::format("add --confirm {} to remove them", count));
  if (options.yes) return;
  if (may_ask()) {
    if (is_agreed_on_terminal(plan, count)) return;
    throw Error(Exit::usage, "nothing was removed");
  }
  std::fputs(list_of(plan, kSample).c_str(), stderr);
  throw Error(Exit::usage, found + "; nothing was removed",
              "add --yes to remove them, or --dry-run to list them");
}

const char* name_of(Removal what, bool dry_run) {
  switch (what) {
    case Removal::removed:
      return dry_run ? "would be removed" : "removed";
    case Removal::of_other_type:
      return "left alone";
    case Removal::refused:
      return "refused";
    case Removal::unknown:
      return "no answer";
    case Removal::absent:
      break;
  }
  return "absent";
}

void print_removed(const Plan& done, bool dry_run) {
  for (const RemovedKey& key : done.keys)
    if (key.what == Removal::removed)
      print(escape_for_terminal(key.key) + ": " + name_of(key.what, dry_run) + "\n");
}

void print_object(const Plan& done, const ResetOptions& options, bool complete) {
  Json body;
  body["dry_run"] = options.dry_run;
  body["removed"] = options.dry_run ? 0 : done.count(Removal::removed);
  body["complete"] = complete;
  body["keys"] = Json::array();
  for (const RemovedKey& key : done.keys) {
    Json json;
    put_bytes(json, "key", key.key);
    json["state"] = name_of(key.what, options.dry_run);
    if (!key.words.empty()) put_bytes(json, "reason", key.words);
    body["keys"].push_back(std::move(json));
  }
  print_json("reset", std::move(body));
}

void tell_what_was_not_done(const Plan& done) {
  for (const RemovedKey& key : done.keys) {
    if (key.what == Removal::of_other_type && !key.words.empty())
      tell(in_quotes(key.key) + " not removed: no limiter uses a " +
           escape_for_terminal(key.words));
    else if (key.what == Removal::of_other_type)
      tell(in_quotes(key.key) + " not removed: no limiter's data, but a " + done.words.at(key.key));
    if (key.what == Removal::refused) {
      const std::string hint = hint_for_error(key.words);
      tell(in_quotes(key.key) + " not removed: " + escape_for_terminal(key.words) +
           (hint.empty() ? "" : "; " + hint));
    }
  }
}

// Removes the keys of the plan, and records in it what happened to each key. What Ctrl-C leaves is
// told.
void carry_out(RedisSession& session, Plan& plan, bool quiet) {
  std::vector<std::string> keys;
  for (RemovedKey& key : plan.keys)
    if (key.what == Removal::removed) keys.push_back(std::move(key.key));
  const std::size_t all = keys.size();
  std::erase_if(plan.keys, [](const RemovedKey& key) { return key.what == Removal::removed; });
  const auto remove = [&plan](Redis& redis, std::vector<std::string> chunk) {
    return remove_keys(redis, std::move(chunk), plan.seen);
  };
  for (RemovedKey& key :
       in_chunks(session, std::move(keys), Work{"removing", "keys"}, quiet, remove))
    plan.keys.push_back(std::move(key));
  const std::int64_t unknown = plan.count(Removal::unknown);
  if (!session.loop().interrupted() && unknown == 0) return;
  const std::string of_them =
      fmt::format("{} of {} removed", format_count(plan.count(Removal::removed)),
                  counted(static_cast<std::int64_t>(all), "key"));
  if (session.loop().interrupted()) tell("interrupted: " + of_them);
  if (unknown > 0)
    tell(fmt::format("no answer from Redis: {}: {}, and perhaps {} more; to see which: --dry-run",
                     escape_for_terminal(plan.keys.back().words), of_them, format_count(unknown)));
}

Exit run_reset(const ResetOptions& options) {
  const std::vector<KeyTarget> targets = options.keys.targets();
  refuse_patterns_of_everything(targets);
  if (!options.confirm.empty()) parse_count(options.confirm, "--confirm", 0);
  RedisSession session(options.redis);
  Plan plan = removal_plan(session, options);
  const bool interrupted_early = session.loop().interrupted();
  if (!options.dry_run && !interrupted_early) {
    ask_for_consent(plan, options);
    carry_out(session, plan, options.quiet);
  }
  const bool interrupted = session.loop().interrupted();
  const bool left_what_was_named = !plan.by_search && plan.count(Removal::of_other_type) > 0;
  const bool complete = !interrupted && plan.complete && plan.count(Removal::refused) == 0 &&
                        plan.count(Removal::unknown) == 0 && !left_what_was_named;
  if (options.json)
    print_object(plan, options, complete);
  else if (!interrupted_early)
    print_removed(plan, options.dry_run);
  tell_what_was_not_done(plan);
  if (interrupted_early) tell("interrupted before anything was removed");
  if (interrupted) return Exit::interrupted;
  return complete ? Exit::done : Exit::inconclusive;
}

Action add_reset_options(Options& app) {
  auto options = std::make_shared<ResetOptions>();
  options->keys.add_to(app, KeyOptions::Takes::keys_or_patterns);
  options->keys.add_block_key_to(app);
  app.add_flag("--dry-run", options->dry_run, "only list what would be removed");
  app.add_flag("--yes", options->yes, "remove what was found without asking");
  app.add_option("--confirm", options->confirm,
                 "the number of keys; required if more than 1,000 are found")
      .type_name("COUNT");
  app.add_flag("--json", options->json, "print one JSON object");
  app.add_flag("--quiet", options->quiet, "no progress line");
  options->layouts.add_to(app);
  options->redis.add_to(app, WithoutUrl::local);
  return [options] { return run_reset(*options); };
}

}  // namespace

const Verb kResetVerb{
    "reset", "Removes a client's limiters, or a limiter's keys and block flag; asks before.",
    "  rlctl reset 203.0.113.7\n"
    "  rlctl reset ratelimit:ip:203.0.113.7\n"
    "  rlctl reset '*203.0.113.7*' --dry-run\n"
    "  rlctl reset 'ratelimit:ip:203.0.113.*' --yes",
    add_reset_options};

}  // namespace rlctl
