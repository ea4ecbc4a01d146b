// rlctl reset: frees limited clients by removing their limiters' keys.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/escape.h"
#include "base/glob.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/options/key_options.h"
#include "cli/options/redis_options.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/verb.h"
#include "inspect/limiter_keys.h"
#include "io/redis/keyspace.h"

namespace rlctl {
namespace {

constexpr std::size_t kChunk = 250;
constexpr std::int64_t kMostByYes = 1'000;
constexpr std::size_t kSample = 10;

struct ResetOptions {
  RedisOptions redis;
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
  bool by_pattern = false;
  std::vector<std::string> absent;  // targets that match nothing

  std::int64_t count(Removal what) const {
    return std::ranges::count(keys, what, &RemovedKey::what);
  }
};

// Checked before anything is sent: a pattern that can match the whole database is always a mistake.
void refuse_patterns_without_prefix(const std::vector<KeyTarget>& targets) {
  for (const KeyTarget& target : targets)
    if (target.pattern && literal_prefix(target.bytes).empty())
      throw Error(Exit::usage,
                  "reset " + in_quotes(target.bytes) + " is refused: it could match every key",
                  "begin the pattern with a prefix, such as 'ratelimit:*'");
}

// The keys that match a pattern, and their block flags.
std::vector<std::string> keys_of_pattern(RedisSession& session, const std::string& pattern,
                                         bool quiet) {
  std::set<std::string> keys;
  KeyScan scan(session.connection(), pattern);
  const std::int64_t all = session.run(count_keys(session.connection())).value_or(0);
  const Progress progress(session.loop(), !quiet, [&] {
    return Work{"scanning", "keys", scan.passed(), all};
  });
  while (!scan.done() && !session.loop().interrupted())
    for (std::string& key : session.run(scan.next())) {
      keys.insert(block_key_beside(key));
      keys.insert(std::move(key));
    }
  return {keys.begin(), keys.end()};
}

std::vector<std::string> keys_of(RedisSession& session, const KeyTarget& target,
                                 const ResetOptions& options) {
  if (target.pattern) return keys_of_pattern(session, target.bytes, options.quiet);
  LimiterKeys limiter =
      session.run(find_limiter(session.connection(), target.bytes, options.keys.block_key()));
  limiter.keys.push_back(limiter.block_key);
  return limiter.keys;
}

// Calls `act` for at most kChunk keys at a time, so that Ctrl-C can stop between the calls.
template <typename Act>
std::vector<RemovedKey> in_chunks(RedisSession& session, const std::vector<std::string>& keys,
                                  Work work, bool quiet, Act act) {
  std::vector<RemovedKey> done;
  work.all = static_cast<std::int64_t>(keys.size());
  const Progress progress(session.loop(), !quiet, [&] { return work; });
  for (std::size_t i = 0; i < keys.size() && !session.loop().interrupted(); i += kChunk) {
    work.done = static_cast<std::int64_t>(i);
    const auto first = keys.begin() + static_cast<std::ptrdiff_t>(i);
    const auto size = static_cast<std::ptrdiff_t>(std::min(kChunk, keys.size() - i));
    std::vector<std::string> chunk(first, first + size);
    for (RemovedKey& key : session.run(act(session.connection(), std::move(chunk))))
      if (key.what != Removal::absent) done.push_back(std::move(key));
  }
  return done;
}

Plan removal_plan(RedisSession& session, const ResetOptions& options) {
  Plan plan;
  std::set<std::string> seen;
  for (const KeyTarget& target : options.keys.targets()) {
    plan.by_pattern = plan.by_pattern || target.pattern;
    std::vector<std::string> keys = keys_of(session, target, options);
    std::vector<RemovedKey> found =
        in_chunks(session, keys, Work{"checking", "keys"}, options.quiet, check_removable);
    if (found.empty()) plan.absent.push_back(target.bytes);
    for (RemovedKey& key : found)
      if (seen.insert(key.key).second) plan.keys.push_back(std::move(key));
  }
  return plan;
}

bool may_ask() { return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1; }

std::string sample_of(const Plan& plan) {
  std::string text;
  std::size_t shown = 0;
  for (const RemovedKey& key : plan.keys) {
    if (key.what != Removal::removed) continue;
    if (shown++ == kSample) break;
    text += "  " + escape_for_terminal(key.key) + "\n";
  }
  const std::int64_t rest = plan.count(Removal::removed) - static_cast<std::int64_t>(kSample);
  if (rest > 0) text += fmt::format("  … and {} more\n", format_count(rest));
  return text;
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
  std::fputs(sample_of(plan).c_str(), stderr);
  std::fprintf(stderr, "rlctl: remove %s? [y/N] ", counted(count, "key").c_str());
  const InterruptibleByDefault interruptible;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

// Before keys are removed by a pattern, the user must have seen how many there are.
void ask_for_consent(const Plan& plan, const ResetOptions& options) {
  const std::int64_t count = plan.count(Removal::removed);
  if (!plan.by_pattern || count == 0) return;
  if (!options.confirm.empty()) {
    if (parse_count(options.confirm, "--confirm", 0) == count) return;
    throw Error(Exit::usage,
                fmt::format("--confirm {}: the patterns match {} now; nothing was removed",
                            escape_for_terminal(options.confirm), counted(count, "key")),
                "check with --dry-run");
  }
  if (count > kMostByYes)
    throw Error(Exit::usage,
                fmt::format("the patterns match {}; nothing was removed", counted(count, "key")),
                fmt::format("add --confirm {} to remove them", count));
  if (options.yes) return;
  if (may_ask()) {
    if (is_agreed_on_terminal(plan, count)) return;
    throw Error(Exit::usage, "nothing was removed");
  }
  std::fputs(sample_of(plan).c_str(), stderr);
  throw Error(Exit::usage,
              fmt::format("the patterns match {}; nothing was removed", counted(count, "key")),
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
  for (const std::string& target : done.absent)
    tell("no key " + in_quotes(target) + ": nothing to reset");
  for (const RemovedKey& key : done.keys) {
    if (key.what == Removal::of_other_type)
      tell(in_quotes(key.key) + " not removed: no limiter uses a " +
           escape_for_terminal(key.words));
    if (key.what == Removal::refused)
      tell(in_quotes(key.key) + " not removed: " + escape_for_terminal(key.words));
  }
}

// Removes the keys of the plan, and records in it what happened to each key.
void carry_out(RedisSession& session, Plan& plan, bool quiet) {
  std::vector<std::string> keys;
  for (const RemovedKey& key : plan.keys)
    if (key.what == Removal::removed) keys.push_back(key.key);
  std::vector<RemovedKey> done =
      in_chunks(session, keys, Work{"removing", "keys"}, quiet, remove_keys);
  std::erase_if(plan.keys, [](const RemovedKey& key) { return key.what == Removal::removed; });
  plan.keys.insert(plan.keys.end(), done.begin(), done.end());
}

Exit run_reset(const ResetOptions& options) {
  const std::vector<KeyTarget> targets = options.keys.targets();
  refuse_patterns_without_prefix(targets);
  if (!options.confirm.empty()) parse_count(options.confirm, "--confirm", 0);
  RedisSession session(options.redis);
  Plan plan = removal_plan(session, options);
  const bool interrupted_early = session.loop().interrupted();
  if (!options.dry_run && !interrupted_early) {
    ask_for_consent(plan, options);
    carry_out(session, plan, options.quiet);
  }
  const bool interrupted = session.loop().interrupted();
  const bool left_what_was_named = !plan.by_pattern && plan.count(Removal::of_other_type) > 0;
  const bool complete = !interrupted && plan.count(Removal::refused) == 0 && !left_what_was_named;
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
  app.add_flag("--yes", options->yes, "remove the keys of a pattern without asking");
  app.add_option("--confirm", options->confirm,
                 "the number of keys; required if a pattern matches more than 1,000")
      .type_name("COUNT");
  app.add_flag("--json", options->json, "print one JSON object");
  app.add_flag("--quiet", options->quiet, "no progress line");
  options->redis.add_to(app, WithoutUrl::local);
  return [options] { return run_reset(*options); };
}

}  // namespace

const Verb kResetVerb{
    "reset", "Removes a limiter's keys and its block flag, so that the client starts anew.",
    "  rlctl reset ratelimit:ip:203.0.113.7\n"
    "  rlctl reset 'ratelimit:ip:203.0.113.*' --dry-run\n"
    "  rlctl reset 'ratelimit:ip:203.0.113.*' --yes",
    add_reset_options};

}  // namespace rlctl
