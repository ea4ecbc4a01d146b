// The keys that a PATTERN or a CLIENT on the command line stands for, by SCAN. Error(Exit::target)
// if Redis does not answer; Ctrl-C ends a search early, with what was found so far. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/options/key_options.h"
#include "cli/options/redis_options.h"
#include "inspect/key_reading.h"
#include "inspect/limiter_keys.h"

namespace rlctl {

struct Search {
  std::int64_t found = 0;    // some perhaps twice
  std::int64_t longer = 0;   // of a client: keys that hold it only in a longer name
  std::string longer_key;    // the first of them by name
  std::int64_t perhaps = 0;  // of those found: this client's only if it is one part of a name
  std::string perhaps_key;   // the first of them by name
  std::string perhaps_of;    // what its name then has: "a route and a client"
  std::int64_t passed = 0;   // how many keys SCAN has gone through, about
  bool complete = true;      // false: interrupted, or enough
};

// Called with the keys of each page, of some pages side by side; SCAN may return a key twice.
// False: enough.
using TakeKeys = std::function<Task<bool>(std::vector<std::string>)>;

// All keys that match, of a session that is paced.
Search search_pattern(RedisSession& session, const std::string& pattern, bool quiet,
                      const TakeKeys& take);

// Keys in whose names this client may be one part of what a layout calls the client.
enum class Perhaps : std::uint8_t { left, taken };

// All keys whose names speak of this client (inspect/client_name.h), or have it by a layout; in one
// pass for all forms of its name.
Search search_client(RedisSession& session, const Layouts& layouts, const std::string& client,
                     Perhaps perhaps, bool quiet, const TakeKeys& take);

// What a text without wildcards stands for. It may be a key, or a client with limiters under other
// names: clients have separators in their names, too (`user:42`, a MAC address), and a key of just
// that name may be anything. So all keys are searched for the client, unless the text is surely a
// key:
// - it is a library's by its name or its data, or has a separator and holds the state of a script;
// - it says what it is before its last part (`hits:alice`), or is the name of a block flag.
// With a separator, and nothing else there but a certain flag, it is taken for a key, too: the
// client is then blocked at any rate. A word alone is rather a client.
struct NamedLimiter {
  LimiterKeys limiter;        // if a key or a block flag of that name exists
  bool exists = false;        // false: look for a client of that name
  bool is_sure = false;       // as above
  bool is_full_key = false;   // it has a separator
  bool is_flag = false;       // the flag that exists is one, or the user says so
  bool is_only_flag = false;  // of a full key
};
// An address is always a client, whether or not there is also a key of that name.
NamedLimiter find_named(RedisSession& session, KeyReader& reader, const std::string& text,
                        const std::string& block_key);

// Of a text that names nothing as it stands: the key, or the client, that it names with another
// option.
std::optional<OtherName> find_other_name(RedisSession& session, const Layouts& layouts,
                                         const KeyTarget& target, bool quiet);
// What it names: "key"; "limiter", if it has a separator; else "client".
std::string noun_of(const OtherName& name);

// Tells on standard error why nothing, or not everything, was found.
void tell_about_search(const RedisSession& session, const Search& search, const KeyTarget& client);
void tell_not_searched(const std::string& client, const Error& error);
bool is_refusal(const Error& error);  // this user may not search
// What may be a client all the same, but was not searched for, because the user named the key.
void tell_taken_for_key(const RedisSession& session, const std::string& text);

}  // namespace rlctl
