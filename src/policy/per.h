// What a rule counts by: `per user`, `per ip/64`. The value of that name is the request's key under
// the rule; with a prefix, the network of the address in it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/rule.h"

namespace rlctl {

// The name without its prefix: "ip" of "ip/64".
std::string_view name_in_per(std::string_view per);

// Empty: it can be used. Otherwise what is wrong with "ip/64": its name, or its prefix.
std::string problem_of_per(std::string_view per);

// The key that a value gives: "2001:db8::/64" of 2001:db8::1 under "ip/64". An address that is
// shorter than the prefix (IPv4 under /64) and a value that is no address are kept as they are.
std::string key_per(std::string_view per, std::string_view value);

// The names that the rules count by, each once, without prefixes.
std::vector<std::string> names_in(const Rules& rules);

}  // namespace rlctl
