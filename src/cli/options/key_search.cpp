#include "cli/options/key_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/glob.h"
#include "base/units.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "inspect/client_name.h"
#include "io/redis/keyspace.h"

namespace rlctl {

void sort_out(std::vector<std::string>& keys) {
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

KeySearch search_pattern(RedisSession& session, const std::string& pattern, bool quiet,
                         const std::function<bool(const std::vector<std::string>&)>& enough) {
  KeySearch search;
  KeyScan scan(session.redis(), pattern);
  const std::optional<std::int64_t> all = session.run(count_keys(session.redis()));
  const Progress progress(session.loop(), !quiet, [&] {
    return Work{"scanning", "keys", scan.passed(), all.value_or(0)};
  });
  while (!scan.done() && !session.loop().interrupted() && !(enough && enough(search.keys)))
    for (std::string& key : session.run(scan.next())) search.keys.push_back(std::move(key));
  search.complete = scan.done();
  if (const std::string unseen = session.redis().unseen(); !unseen.empty()) {
    tell("partial: not searched: " + unseen);
    search.complete = false;
  }
  search.passed = scan.done() && all ? *all : scan.passed();
  sort_out(search.keys);
  return search;
}

KeySearch search_client(RedisSession& session, const Layouts& layouts, const std::string& client,
                        bool quiet) {
  KeySearch search;
  for (const std::string& form : forms_of_client(client)) {
    const KeySearch one = search_pattern(session, '*' + escape_pattern(form) + '*', quiet);
    for (const std::string& key : one.keys)
      (mention_of(key, form) == Mention::whole || layouts.has_client(key, form) ? search.keys
                                                                                : search.longer)
          .push_back(key);
    search.passed = one.passed;
    search.complete = search.complete && one.complete;
  }
  sort_out(search.keys);
  sort_out(search.longer);
  return search;
}

NamedLimiter find_named(RedisSession& session, const Layouts& layouts, const std::string& text,
                        const std::string& block_key) {
  NamedLimiter named;
  if (is_address(text)) return named;
  named.limiter = session.run(find_limiter(session.redis(), layouts, text, block_key));
  named.exists = !named.limiter.keys.empty() ||
                 session.run(find_existing(session.redis(), {named.limiter.block_key})).front();
  return named;
}

void tell_about_search(const KeySearch& search, const std::string& client) {
  if (search.keys.empty() && search.longer.empty() && search.complete)
    tell(fmt::format("no key contains {}; {} searched", in_quotes(client),
                     counted(search.passed, "key was", "keys were")));
  if (search.longer.empty()) return;
  tell(fmt::format("{} {} only in a longer name, such as {}; to see them: rlctl inspect {}",
                   counted(static_cast<std::int64_t>(search.longer.size()), "key"),
                   search.longer.size() == 1 ? "has it" : "have it",
                   in_quotes(search.longer.front()),
                   escape_for_terminal(shell_word("*" + escape_pattern(client) + "*"))));
}

}  // namespace rlctl
