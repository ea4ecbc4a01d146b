#include "cli/options/key_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/escape.h"
#include "base/glob.h"
#include "base/suggest.h"
#include "base/units.h"
#include "cli/output/output.h"
#include "cli/output/paced_progress.h"
#include "inspect/client_name.h"
#include "inspect/fingerprints.h"
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
    tell("partial: not searched: " + unseen);
    search.complete = false;
  }
  search.passed = scan.done() && all ? *all : scan.passed();
  return search;
}

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
  for (const std::string& form : forms_of_client(client)) {
    const auto take_whole = [&](std::vector<std::string> keys) -> Task<bool> {
      std::erase_if(keys, [&](const std::string& key) {
        if (mention_of(key, form) == Mention::whole || layouts.has_client(key, form)) return false;
        if (take_perhaps(key, form)) return false;
        if (search.longer == 0 || key < search.longer_key) search.longer_key = key;
        search.longer += longer.add(key) ? 1 : 0;
        return true;
      });
      search.found += static_cast<std::int64_t>(keys.size());
      co_return co_await take(std::move(keys));
    };
    const Search one = search_pattern(session, '*' + escape_pattern(form) + '*', quiet, take_whole);
    search.passed = one.passed;
    search.complete = search.complete && one.complete;
  }
  return search;
}

namespace {

// What may be a limiter's is one if the user wrote the name of a key: `api:alice`. A word alone is
// rather a client, also if `alice:minute` exists. Only what is in doubt costs a search of all keys.
bool is_surely_limiter(const KeyState& state, const std::string& text, KeyReader& reader) {
  for (const NameMatch& match : reader.layouts().match(state.key, state.type)) {
    const LayoutKey& named = match.layout->keys[match.key];
    if (named.has_word() && fillings_of(named, state.key)) return true;
  }
  const KeyReading reading = reader.read(state, {});
  if (reading.layout.fits() && !reading.layout.is_common_name) return true;
  return reading.shape != Shape::none && text.find_first_of(":/|#{") != text.npos;
}

}  // namespace

NamedLimiter find_named(RedisSession& session, KeyReader& reader, const std::string& text,
                        const std::string& block_key) {
  NamedLimiter named;
  if (is_address(text)) return named;
  named.limiter = session.run(find_limiter(session.redis(), reader.layouts(), text, block_key));
  const auto flag = session.run(find_existing(session.redis(), {named.limiter.block_key}));
  named.exists = !named.limiter.keys.empty() || flag.front() == Existence::exists;
  const auto states = session.run(glance_at(session.redis(), named.limiter.keys, IfLost::tell));
  named.is_sure = std::ranges::any_of(
      states, [&](const KeyState& state) { return is_surely_limiter(state, text, reader); });
  return named;
}

std::optional<OtherName> find_other_name(RedisSession& session, const KeyTarget& target) {
  for (const OtherName& other : target.others)
    if (session.run(find_existing(session.redis(), {other.bytes})).front() == Existence::exists)
      return other;
  return std::nullopt;
}

void tell_about_search(const Search& search, const std::string& client) {
  if (search.found == 0 && search.longer == 0 && search.complete)
    tell(fmt::format("no key contains {}; {} searched", in_quotes(client),
                     counted(search.passed, "key was", "keys were")));
  if (search.perhaps > 0)
    tell(fmt::format("{} of {} only if {} has {} in one, such as {}",
                     counted(search.perhaps, "key is", "keys are"), in_quotes(client),
                     search.perhaps == 1 ? "its name" : "their name",
                     escape_for_terminal(search.perhaps_of), in_quotes(search.perhaps_key)));
  if (search.longer == 0) return;
  tell(fmt::format("{} {} only in a longer name, such as {}; to see them: rlctl inspect {}",
                   counted(search.longer, "key"), search.longer == 1 ? "has it" : "have it",
                   in_quotes(search.longer_key), shell_word("*" + escape_pattern(client) + "*")));
}

void tell_not_searched(const std::string& client, const Error& error) {
  tell(with_hint("partial: not searched for the client " + in_quotes(client) + ": " + error.what(),
                 error.hint()));
}

}  // namespace rlctl
