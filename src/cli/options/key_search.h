// The keys that a PATTERN or a CLIENT on the command line stands for, by SCAN. Error(Exit::target)
// if Redis does not answer; Ctrl-C ends a search early, with what was found so far. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/options/redis_options.h"
#include "inspect/limiter_keys.h"

namespace rlctl {

struct KeySearch {
  std::vector<std::string> keys;    // sorted
  std::vector<std::string> longer;  // of a client: they hold it only in a longer name; sorted
  std::int64_t passed = 0;          // how many keys SCAN has gone through, about
  bool complete = true;             // false: interrupted, or `enough`
};

// Sorts, and drops what is there twice: SCAN may return a key twice, and a key may match two forms
// of a client.
void sort_out(std::vector<std::string>& keys);

// All keys that match, or so many that `enough` is true.
KeySearch search_pattern(RedisSession& session, const std::string& pattern, bool quiet,
                         const std::function<bool(const std::vector<std::string>&)>& enough = {});

// All keys whose names speak of this client (inspect/client_name.h), or have it by a layout.
KeySearch search_client(RedisSession& session, const Layouts& layouts, const std::string& client,
                        bool quiet);

// What a text without wildcards stands for.
struct NamedLimiter {
  LimiterKeys limiter;  // if a key or a block flag of that name exists
  bool exists = false;  // false: look for a client of that name
};
// An address is always a client, whether or not there is also a key of that name.
NamedLimiter find_named(RedisSession& session, const Layouts& layouts, const std::string& text,
                        const std::string& block_key);

// Tells on standard error why nothing, or not everything, was found.
void tell_about_search(const KeySearch& search, const std::string& client);

}  // namespace rlctl
