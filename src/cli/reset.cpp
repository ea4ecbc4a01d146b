// rlctl reset: frees limited clients by removing their limiters' keys.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/escape.h"
#include "base/glob.h"
#include "base/sort.h"
#include "base/table.h"
#include "base/units.h"
#include "cli/options/key_options.h"
#include "cli/options/key_search.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/options/server_share_options.h"
#include "cli/output/output.h"
#include "cli/output/paced_progress.h"
#include "cli/output/removal_record.h"
#include "cli/verb.h"
#include "inspect/fingerprints.h"
#include "inspect/limiter_keys.h"
#include "inspect/removable.h"
#include "io/redis/keyspace.h"

namespace rlctl {
namespace {

constexpr std::size_t kChunk = 250;
constexpr std::size_t kMostByYes = 1'000;   // what a person may have read
constexpr std::size_t kMostKept = 100'000;  // of more keys only fingerprints are in memory
constexpr std::size_t kSample = 10;         // of what is refused

struct ResetOptions {
  RedisOptions redis;
  ServerShareOptions load;
  LayoutOptions layouts;
  KeyOptions keys;
  std::string confirm;
  bool yes = false;
  bool any_data = false;
  bool dry_run = false;
  bool json = false;
  bool quiet = false;
};

enum class Chosen : std::uint8_t { by_name, by_pattern, of_client };

struct Target {
  KeyTarget text;
  Chosen how = Chosen::by_name;
  std::vector<std::string> keys = {};  // by_name: those, and the block flag
  bool is_doubtful = false;            // of a client: a key has just this name, and may be anything
  bool complete = true;                // everything was searched to know how
};

// The mark of a key that was found: the number of its type in kRemovable, or one of these.
enum Mark : unsigned { kLeft = std::size(kRemovable), kDone };

// The keys that were found. All are in `met`; `keys` has them by name, unless there are too many:
// these are searched once more to be removed, and `met` tells which of them were there before.
struct RemovalPlan {
  std::vector<Target> targets;
  Fingerprints met;
  std::int64_t removable = 0;
  bool by_search = false;     // by a pattern or a client: rlctl chose the keys
  bool complete = true;       // everything was searched
  bool leaves_named = false;  // what has the name that the user gave, or all of it
  bool many = false;
  std::vector<RemovedKey> keys;
  SeenKeys seen;  // what the first keys hold, as the removal compares it
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
Search search_with_flags(RedisSession& session, const std::string& pattern, bool quiet,
                         const TakeKeys& take) {
  const auto with_flags = [&](std::vector<std::string> keys) -> Task<bool> {
    std::vector<std::string> flags;
    for (const std::string& key : keys)
      if (std::string flag = block_key_beside(key); !is_found_by(pattern, flag))
        flags.push_back(std::move(flag));
    const std::vector<Existence> exist = co_await find_existing(session.redis(), flags);
    for (std::size_t i = 0; i < flags.size(); ++i)
      if (exist[i] != Existence::absent) keys.push_back(std::move(flags[i]));
    sort_unique(keys);
    co_return co_await take(std::move(keys));
  };
  return search_pattern(session, pattern, quiet, with_flags);
}

bool may_ask() { return isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1; }

// Whoever writes how the names begin has chosen these keys; `*203.0.113.7*` is a search.
bool names_its_keys(const Target& target) {
  if (target.how != Chosen::by_pattern) return target.how == Chosen::by_name;
  return has_literal(escape_pattern(literal_prefix(target.text.bytes)));
}

RemovalRule rule_for(const Target& target, const ResetOptions& options) {
  const bool is_asked = !options.yes && !options.dry_run && options.confirm.empty() && may_ask();
  return {options.any_data, !names_its_keys(target), is_asked, options.keys.block_key(),
          target.is_doubtful ? target.text.bytes : ""};
}

// What keys hold: before they are shown, and again before they are removed by a second search.
class Examiner {
 public:
  Examiner(RedisSession& session, const ResetOptions& options)
      : session_(session), options_(options) {}

  Task<std::vector<ExaminedKey>> of(const Target& target, std::vector<std::string> names) {
    return examine(session_.redis(), reader_, std::move(names), rule_for(target, options_));
  }

  KeyReader& reader() { return reader_; }

 private:
  RedisSession& session_;
  const ResetOptions& options_;
  KeyReader reader_{Registry(), {}, options_.layouts.layouts()};
};

Search search_target(RedisSession& session, const Target& target, const ResetOptions& options,
                     Examiner& examiner, const TakeKeys& take) {
  const std::string& text = target.text.bytes;
  if (target.how == Chosen::by_pattern)
    return search_with_flags(session, text, options.quiet, take);
  if (target.how == Chosen::of_client)
    return search_client(session, examiner.reader().layouts(), text, Perhaps::left, options.quiet,
                         take);
  session.run(take(target.keys));
  return {};
}

// What a search finds of a client besides the keys that have just its name.
enum class Others : std::uint8_t { none, perhaps, some };

// Who may remove the keys of the name need not be allowed to search.
Others look_for_client(RedisSession& session, const ResetOptions& options, KeyReader& reader,
                       Target& named, bool is_full_key) {
  Others others = Others::none;
  const RemovalRule rule{.searched = true, .block_key = options.keys.block_key()};
  const auto take = [&](std::vector<std::string> keys) -> Task<bool> {
    std::erase_if(keys, [&](const std::string& key) {
      return std::ranges::find(named.keys, key) != named.keys.end();
    });
    for (const ExaminedKey& one : co_await examine(session.redis(), reader, std::move(keys), rule))
      if (one.key.what == Removal::removed)
        others = Others::some;
      else if (one.key.what == Removal::perhaps_other)
        others = std::max(others, Others::perhaps);
    co_return others != Others::some;
  };
  const std::string& client = named.text.bytes;
  try {
    named.complete =
        search_client(session, reader.layouts(), client, Perhaps::left, options.quiet, take)
            .complete;
  } catch (const Error& error) {
    tell_not_searched(client, error);
    named.complete = is_full_key && is_refusal(error);
    return Others::none;
  }
  named.complete = named.complete || others != Others::none;  // it is searched again
  return others;
}

// A text without wildcards, as key_search.h says: the keys of that name, the client, or both. What
// has just the name of a client may be anything, unless the name is that of a key as well.
std::vector<Target> targets_of(RedisSession& session, const KeyTarget& text,
                               const ResetOptions& options, KeyReader& reader) {
  if (text.pattern) return {{text, Chosen::by_pattern}};
  const Target client{text, Chosen::of_client};
  NamedLimiter named = find_named(session, reader, text.bytes, options.keys.block_key());
  Target by_name{text, Chosen::by_name, named.limiter.keys};
  if (named.is_flag) by_name.keys.push_back(named.limiter.block_key);
  if (by_name.keys.empty()) return {client};
  if (named.is_sure) return {by_name};
  if (named.is_only_flag || (named.is_full_key && options.any_data)) {
    tell_taken_for_key(session, text.bytes);
    return {by_name};
  }
  const Others others = look_for_client(session, options, reader, by_name, named.is_full_key);
  if (others == Others::none) return {by_name};
  if (others == Others::perhaps || named.is_full_key) return {by_name, client};
  return {{text, Chosen::of_client, {}, true}};
}

// What the user has named goes first, so that a search does not count it among its own.
std::vector<Target> sorted_out(RedisSession& session, const std::vector<KeyTarget>& texts,
                               const ResetOptions& options, KeyReader& reader) {
  std::vector<Target> targets;
  for (const KeyTarget& text : texts)
    std::ranges::move(targets_of(session, text, options, reader), std::back_inserter(targets));
  std::ranges::stable_partition(targets, names_its_keys);
  return targets;
}

std::vector<std::string> names_of(const std::vector<RemovedKey>& keys) {
  std::vector<std::string> names;
  for (const RemovedKey& key : keys) names.push_back(key.key);
  return names;
}

unsigned mark_of(const RemovedKey& key) {
  if (key.what != Removal::removed) return kLeft;
  return static_cast<unsigned>(std::ranges::find(kRemovable, key.words) - kRemovable);
}

// Looks at what the keys of a target are, page by page, and removes nothing.
class Preview {
 public:
  Preview(RedisSession& session, const ResetOptions& options, Examiner& examiner,
          RemovalRecord& record, RemovalPlan& plan)
      : session_(session), options_(options), examiner_(examiner), record_(record), plan_(plan) {}

  void add(const Target& target) {
    const std::int64_t before = found_, going_before = going_;
    const auto take = [&](std::vector<std::string> names) -> Task<bool> {
      if (!names.empty()) add(target, co_await examiner_.of(target, std::move(names)));
      co_return true;
    };
    const Search search = search_target(session_, target, options_, examiner_, take);
    plan_.complete = plan_.complete && search.complete && target.complete;
    plan_.by_search = plan_.by_search || target.how != Chosen::by_name;
    plan_.targets.push_back(target);
    plan_.leaves_named = plan_.leaves_named || (found_ > before && going_ == going_before);
    const bool is_none = found_ == before && !session_.loop().interrupted();
    if (is_none) refuse_other_name(target.text);
    if (target.how == Chosen::of_client)
      tell_about_search(session_, search, target.text);
    else if (is_none)
      tell(target.text.not_found() + ": nothing to reset");
  }

 private:
  // Only what was named beyond doubt is removed.
  void refuse_other_name(const KeyTarget& text) {
    const Layouts& layouts = examiner_.reader().layouts();
    if (const auto other = find_other_name(session_, layouts, text, options_.quiet))
      throw Error(Exit::usage,
                  text.in_words() + " names a " + noun_of(*other) + " only with " + other->option +
                      ": nothing was removed",
                  std::string("add ") + other->option);
  }

  void add(const Target& target, std::vector<ExaminedKey> page) {
    std::vector<RemovedKey> keys;
    for (ExaminedKey& examined : page) {
      ++found_;
      const bool is_named = target.how == Chosen::by_name || examined.key.key == target.text.bytes;
      if (is_named && examined.key.what != Removal::removed) plan_.leaves_named = true;
      const bool is_first = is_new(examined.key);
      going_ += plan_.met.mark_of(examined.key.key) != kLeft ? 1 : 0;
      if (!is_first) continue;
      if (plan_.seen.size() <= kMostByYes && !examined.seen.empty())
        plan_.seen[examined.key.key] = std::move(examined.seen);
      keys.push_back(std::move(examined.key));
    }
    if (!plan_.many)
      std::ranges::move(keys, std::back_inserter(plan_.keys));
    else if (options_.dry_run)
      record_.add(keys);
    if (plan_.keys.size() > kMostKept) keep_fingerprints();
  }

  bool is_new(const RemovedKey& key) {
    if (!plan_.met.add(key.key, mark_of(key))) return false;
    plan_.removable += key.what == Removal::removed ? 1 : 0;
    return true;
  }

  void keep_fingerprints() {
    if (options_.dry_run) record_.add(plan_.keys);
    plan_.many = true;
    plan_.keys = {};
  }

  RedisSession& session_;
  const ResetOptions& options_;
  Examiner& examiner_;
  RemovalRecord& record_;
  RemovalPlan& plan_;
  std::int64_t found_ = 0;
  std::int64_t going_ = 0;  // of them: what will be removed
};

// What would be removed: at most `most` keys.
std::string list_of(const RemovalPlan& plan, std::size_t most) {
  Table table({{""}, {""}}, 2);
  std::size_t shown = 0;
  for (const RemovedKey& key : plan.keys) {
    if (key.what != Removal::removed) continue;
    if (shown++ == most) break;
    table.add_row({escape_for_terminal(key.key), key.holds});
  }
  const std::int64_t rest = plan.removable - static_cast<std::int64_t>(most);
  return table.text() + (rest > 0 ? fmt::format("  … and {} more\n", format_count(rest)) : "");
}

// No loop runs while rlctl waits for the answer, so Ctrl-C must end the process by itself.
class InterruptibleByDefault {
 public:
  InterruptibleByDefault() {
    struct sigaction once {};
    once.sa_handler = [](int signal) {
      constexpr std::string_view kWords = "\nrlctl: nothing was removed\n";
      static_cast<void>(::write(STDERR_FILENO, kWords.data(), kWords.size()));
      ::raise(signal);
    };
    once.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &once, &before_);
  }
  ~InterruptibleByDefault() { sigaction(SIGINT, &before_, nullptr); }
  InterruptibleByDefault(const InterruptibleByDefault&) = delete;
  InterruptibleByDefault& operator=(const InterruptibleByDefault&) = delete;

 private:
  struct sigaction before_ {};
};

bool is_agreed_on_terminal(const RemovalPlan& plan) {
  std::fputs(list_of(plan, kMostByYes).c_str(), stderr);
  std::fprintf(stderr, "rlctl: remove %s? [y/N] ", counted(plan.removable, "key").c_str());
  const InterruptibleByDefault interruptible;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

// Before keys that rlctl has searched are removed, the user must have seen them, or how many.
void ask_for_consent(const RemovalPlan& plan, const ResetOptions& options) {
  const std::int64_t count = plan.removable;
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
    if (is_agreed_on_terminal(plan)) return;
    throw Error(Exit::usage, "nothing was removed");
  }
  std::fputs(list_of(plan, kSample).c_str(), stderr);
  throw Error(
      Exit::usage, found + "; nothing was removed",
      fmt::format("add --yes to remove {0}, or --dry-run to list {0}", count == 1 ? "it" : "them"));
}

// Removes what was seen, and nothing else. Ends early at Ctrl-C and when the connection is lost:
// what that leaves is told.
class Execution {
 public:
  Execution(RedisSession& session, const ResetOptions& options, Examiner& examiner,
            RemovalRecord& record, RemovalPlan& plan)
      : session_(session), options_(options), examiner_(examiner), record_(record), plan_(plan) {}

  // False if Redis did not answer to the end.
  bool run() {
    plan_.many ? remove_by_search() : remove_by_name();
    if (came_ > 0) tell(counted(came_, "key") + " came after the count: not removed");
    if (!may_go_on()) tell_what_was_not_reached();
    return problem_.empty();
  }

 private:
  void remove_by_name() {
    Work work{"removing", "keys", 0, static_cast<std::int64_t>(plan_.keys.size())};
    const PacedProgress progress(session_.loop(), session_.paced(), options_.quiet,
                                 [&] { return work; });
    for (std::size_t i = 0; i < plan_.keys.size() && may_go_on(); i += kChunk) {
      if (!session_.run(session_.turn())) return;
      work.done = static_cast<std::int64_t>(i);
      const auto first = plan_.keys.begin() + static_cast<std::ptrdiff_t>(i);
      const std::size_t size = std::min(kChunk, plan_.keys.size() - i);
      session_.run(remove({first, first + static_cast<std::ptrdiff_t>(size)}));
    }
  }

  void remove_by_search() {
    try {
      for (const Target& target : plan_.targets) {
        if (!may_go_on()) return;
        const auto take = [&](std::vector<std::string> names) -> Task<bool> {
          std::vector<RemovedKey> keys = co_await met_of(std::move(names), target);
          if (may_go_on()) co_await remove(std::move(keys));
          co_return may_go_on();
        };
        const Search search = search_target(session_, target, options_, examiner_, take);
        plan_.complete = plan_.complete && search.complete;
      }
    } catch (const Error& error) {
      problem_ = error.what();
    }
  }

  // Of the keys that a search finds, those that were there before and were not met since; and what
  // they are now, since no more than their types is remembered.
  Task<std::vector<RemovedKey>> met_of(std::vector<std::string> names, const Target& target) {
    std::vector<std::string> met;
    std::map<std::string, unsigned> marks;
    for (const std::string& name : names) {
      const std::optional<unsigned> mark = plan_.met.mark_of(name);
      came_ += !mark && !is_block_key(name) ? 1 : 0;
      if (!mark || *mark == kDone) continue;
      plan_.met.mark(name, kDone);
      marks[name] = *mark;
      met.push_back(name);
    }
    std::vector<RemovedKey> keys;
    if (met.empty()) co_return keys;
    for (ExaminedKey& examined : co_await examiner_.of(target, std::move(met))) {
      RemovedKey& key = examined.key;
      if (mark_of(key) != marks[key.key])
        key = {key.key, Removal::refused, std::string(kChangedSinceShown)};
      keys.push_back(std::move(key));
    }
    co_return keys;
  }

  Task<> remove(std::vector<RemovedKey> keys) {
    const auto others = std::ranges::partition(
        keys, [](const RemovedKey& key) { return key.what == Removal::removed; });
    record_.add({others.begin(), others.end()});
    keys.erase(others.begin(), others.end());
    SeenKeys seen;
    for (const RemovedKey& key : keys) {
      const auto known = plan_.seen.find(key.key);
      seen[key.key] = known != plan_.seen.end() ? known->second : std::vector{key.words};
    }
    const std::vector<RemovedKey> done =
        co_await remove_keys(session_.redis(), names_of(keys), std::move(seen));
    record_.add(done);
    if (!done.empty() && done.back().what == Removal::unknown)
      problem_ = "no answer from Redis: " + done.back().words;
  }

  bool may_go_on() const { return problem_.empty() && !session_.loop().interrupted(); }

  void tell_what_was_not_reached() const {
    const std::string of_them =
        fmt::format("{} of {} removed", format_count(record_.count(Removal::removed)),
                    counted(plan_.removable, "key"));
    if (session_.loop().interrupted()) tell("interrupted: " + of_them);
    if (problem_.empty()) return;
    const std::int64_t unknown = record_.count(Removal::unknown);
    tell(fmt::format(
        "{}: {}{}; to see which are left: --dry-run", escape_for_terminal(problem_), of_them,
        unknown == 0 ? "" : fmt::format(", and perhaps {} more", format_count(unknown))));
  }

  RedisSession& session_;
  const ResetOptions& options_;
  Examiner& examiner_;
  RemovalRecord& record_;
  RemovalPlan& plan_;
  std::string problem_;    // why Redis gave no answer
  std::int64_t came_ = 0;  // keys that match, but were not there before
};

// A master that was replaced meanwhile has kept for itself what was removed there.
void tell_what_moved(RedisSession& session, const std::string& unseen_before, RemovalPlan& plan) {
  const std::string unseen = session.unseen();
  if (unseen.empty() || unseen == unseen_before) return;
  tell("partial: not removed: " + unseen + "; to see which are left: --dry-run");
  plan.complete = false;
}

Exit run_reset(const ResetOptions& options) {
  const std::vector<KeyTarget> targets = options.keys.targets();
  refuse_patterns_of_everything(targets);
  if (!options.confirm.empty()) parse_count(options.confirm, "--confirm", 0);
  RedisSession session(options.redis, options.load.of_search());
  if (!options.dry_run) session.require_master();
  RemovalRecord record(options.json, options.dry_run, session.deployment().endpoint());
  RemovalPlan plan;
  Examiner examiner(session, options);
  Preview preview(session, options, examiner, record, plan);
  for (const Target& target : sorted_out(session, targets, options, examiner.reader()))
    if (!session.loop().interrupted()) preview.add(target);
  const bool interrupted_early = session.loop().interrupted();
  bool answered = true;
  std::ranges::sort(plan.keys, {}, &RemovedKey::key);
  if (options.dry_run && !interrupted_early) record.add(plan.keys);
  if (!options.dry_run && !interrupted_early) {
    ask_for_consent(plan, options);
    const std::string unseen = session.unseen();
    answered = Execution(session, options, examiner, record, plan).run();
    tell_what_moved(session, unseen, plan);
  }
  const bool interrupted = session.loop().interrupted();
  // The work is not done if what the user named is left, or what perhaps limits the client. Other
  // data beside what was removed is none of it.
  const bool complete = !interrupted && answered && plan.complete &&
                        record.count(Removal::refused) == 0 &&
                        record.count(Removal::perhaps_other) == 0 && !plan.leaves_named;
  record.finish(complete);
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
  app.add_flag("--any-data", options->any_data,
               "remove also keys that hold no limiter's data, as far as rlctl can tell");
  app.add_option("--confirm", options->confirm,
                 "the number of keys; required if more than 1,000 are found")
      .type_name("COUNT");
  app.add_flag("--json", options->json, "print one JSON object");
  app.add_flag("--quiet", options->quiet, "no progress line");
  options->layouts.add_to(app);
  options->load.add_to(app);
  options->redis.add_to(app, WithoutUrl::local);
  return [options] { return run_reset(*options); };
}

}  // namespace

const Verb kResetVerb{
    "reset",
    "Removes limiters with their block flags; asks first, unless a limiter's full KEY is given.",
    "  rlctl reset 203.0.113.7\n"
    "  rlctl reset ratelimit:ip:203.0.113.7\n"
    "  rlctl reset '*203.0.113.7*' --dry-run\n"
    "  rlctl reset 'ratelimit:ip:203.0.113.*' --yes",
    add_reset_options};

}  // namespace rlctl
