#include "cli/options/key_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/escape.h"
#include "base/glob.h"
#include "base/suggest.h"
#include "base/units.h"
#include "cli/output/key_words.h"
#include "cli/output/output.h"
#include "cli/output/paced_progress.h"
#include "inspect/block_flag.h"
#include "inspect/client_name.h"
#include "inspect/companions.h"
#include "inspect/fingerprints.h"
#include "inspect/limiter_words.h"
#include "io/redis/keyspace.h"

namespace rlctl {

Search search_pattern(RedisSession& session, const std::string& pattern, bool quiet,
                      const TakeKeys& take) {
  Search search;
  KeyScan scan(session.redis(), pattern, [&] { return session.turn(); });
  const std::optional<std::int64_t> all = session.run(count_keys(session.redis()));
  const PacedProgress progress(session.loop(), session.paced(), quiet, [&] {
    return Work{"scanning", "keys", scan.passed(), all.value_or(0)};
  });
  session.run(look_at_pages(session.loop(), scan, [&](std::vector<std::string> keys) -> Task<> {
    search.found += static_cast<std::int64_t>(keys.size());
    if (co_await take(std::move(keys))) co_return;
    search.complete = false;
    scan.stop();
  }));
  search.complete = search.complete && scan.done();
  if (const std::string unseen = session.unseen(); !unseen.empty()) {
    session.tell_once("partial: not searched: " + unseen);
    search.complete = false;
  }
  search.passed = scan.done() && all ? *all : scan.passed();
  return search;
}

namespace {

// What matches every form: the beginning and the end that they have in common.
std::string pattern_around(const std::vector<std::string>& forms) {
  const std::string& first = forms.front();
  std::size_t before = first.size(), shortest = first.size();
  for (const std::string& form : forms) {
    const auto differ = std::ranges::mismatch(first, form).in1 - first.begin();
    before = std::min(before, static_cast<std::size_t>(differ));
    shortest = std::min(shortest, form.size());
  }
  std::size_t after = shortest - before;
  for (const std::string& form : forms)
    while (!form.ends_with(first.substr(first.size() - after))) --after;
  return '*' + escape_pattern(first.substr(0, before)) + '*' +
         escape_pattern(first.substr(first.size() - after)) + '*';
}

}  // namespace

Search search_client(RedisSession& session, const Layouts& layouts, const std::string& client,
                     Perhaps perhaps, bool quiet, const TakeKeys& take) {
  Search search;
  Fingerprints longer, possible;
  const auto take_perhaps = [&](const std::string& key, const std::string& form) {
    std::string parts = perhaps == Perhaps::taken ? layouts.split_with(key, form) : "";
    if (parts.empty()) return false;
    if (search.perhaps == 0 || key < search.perhaps_key) search.perhaps_key = key;
    search.perhaps += possible.add(key) ? 1 : 0;
    search.perhaps_of = std::move(parts);
    return true;
  };
  const std::vector<std::string> forms = forms_of_client(client);
  const auto is_taken = [&](const std::string& key) {
    bool is_longer = false;
    for (const std::string& form : forms) {
      const Mention mention = mention_of(key, form);
      if (mention == Mention::none) continue;
      if (mention == Mention::whole || layouts.has_client(key, form) || take_perhaps(key, form))
        return true;
      is_longer = true;
    }
    if (!is_longer) return false;
    if (search.longer == 0 || key < search.longer_key) search.longer_key = key;
    search.longer += longer.add(key) ? 1 : 0;
    return false;
  };
  const auto take_whole = [&](std::vector<std::string> keys) -> Task<bool> {
    std::erase_if(keys, [&](const std::string& key) { return !is_taken(key); });
    search.found += static_cast<std::int64_t>(keys.size());
    co_return co_await take(std::move(keys));
  };
  const Search pass = search_pattern(session, pattern_around(forms), quiet, take_whole);
  search.passed = pass.passed;
  search.complete = pass.complete;
  return search;
}

namespace {

constexpr std::string_view kSeparators = ":/|#{";

bool has_name_of_library(const Layouts& layouts, const KeyState& state) {
  return std::ranges::any_of(layouts.match(state.key, state.type), [&](const NameMatch& match) {
    const LayoutKey& named = match.layout->keys[match.key];
    return named.has_word() && fillings_of(named, state.key);
  });
}

bool is_full_key(std::string_view text) { return text.find_first_of(kSeparators) != text.npos; }

// A word alone is rather a client.
bool has_name_of_limiter(const std::string& text) {
  const auto last_part = text.find_last_of(kSeparators);
  return last_part != text.npos && is_name_of_limiter(text.substr(0, last_part));
}

}  // namespace

NamedLimiter find_named(RedisSession& session, KeyReader& reader, const std::string& text,
                        const std::string& block_key) {
  NamedLimiter named;
  if (is_address(text)) return named;
  Redis& redis = session.redis();
  named.is_full_key = is_full_key(text);
  named.limiter = session.run(find_limiter(redis, reader.layouts(), text, block_key));
  const bool has_keys = !named.limiter.keys.empty();
  std::vector<std::string> names = named.limiter.keys;
  names.push_back(named.limiter.block_key);
  const bool has_flag =
      session.run(find_existing(redis, {names.back()})).front() == Existence::exists;
  named.exists = has_keys || has_flag;
  if (!named.exists) return named;
  std::vector<KeyState> states = session.run(glance_at(redis, std::move(names), IfLost::tell));
  const KeyContext context{{}, session.run(read_time(redis)).us};
  session.run(look_beside_flags(redis, reader, states, context));
  const KeyState flag = std::move(states.back());
  states.pop_back();
  const bool is_told = !block_key.empty() || flag.key == text || !flag.problem.empty();
  named.is_flag = has_flag && (is_told || flag_of(flag, context.now_us).is_certain());
  named.is_only_flag = !has_keys && named.is_flag && named.is_full_key;
  named.is_sure = (has_flag && flag.key == text) || has_name_of_limiter(text) ||
                  std::ranges::any_of(states, [&](const KeyState& state) {
                    const KeyReading reading = reader.read(state, context);
                    return has_name_of_library(reader.layouts(), state) ||
                           reading.is_of_library() ||
                           (named.is_full_key && reading.is_of_known_writer());
                  });
  return named;
}

std::string noun_of(const OtherName& name) {
  if (!name.is_client) return "key";
  return is_full_key(name.bytes) ? "limiter" : "client";
}

std::optional<OtherName> find_other_name(RedisSession& session, const Layouts& layouts,
                                         const KeyTarget& target, bool quiet) {
  for (const OtherName& other : target.others)
    if (session.run(find_existing(session.redis(), {other.bytes})).front() == Existence::exists)
      return other;
  const auto one_is_enough = [](std::vector<std::string> keys) -> Task<bool> {
    co_return keys.empty();
  };
  for (const OtherName& other : target.others)
    if (search_client(session, layouts, other.bytes, Perhaps::taken, quiet, one_is_enough).found >
        0)
      return OtherName{other.bytes, other.option, true};
  return std::nullopt;
}

void tell_about_search(const RedisSession& session, const Search& search, const KeyTarget& client) {
  if (search.found == 0 && search.longer == 0 && search.complete)
    tell(fmt::format("no key contains {}; {} searched", client.in_words(),
                     counted(search.passed, "key was", "keys were")));
  if (search.perhaps > 0)
    tell(fmt::format("{} of {} only if {} has {} in one, such as {}",
                     counted(search.perhaps, "key is", "keys are"), client.in_words(),
                     search.perhaps == 1 ? "its name" : "their name",
                     escape_for_terminal(search.perhaps_of), in_quotes(search.perhaps_key)));
  if (search.longer == 0) return;
  tell(fmt::format("{} {} only in a longer name, such as {}; to see them: {}",
                   counted(search.longer, "key"), search.longer == 1 ? "has it" : "have it",
                   in_quotes(search.longer_key),
                   session.command("inspect " + words_for_keys_with(client.bytes))));
}

void tell_not_searched(const std::string& client, const Error& error) {
  tell(with_hint("not searched for the client " + in_quotes(client) + ": " + error.what(),
                 error.hint()));
}

bool is_refusal(const Error& error) {
  return std::string_view(error.what()).find("NOPERM") != std::string_view::npos;
}

void tell_taken_for_key(const RedisSession& session, const std::string& text) {
  tell(in_quotes(text) + " is taken for a key; to see other keys of a client of that name: " +
       session.command("inspect " + words_for_keys_with(text)));
}

}  // namespace rlctl
