// Keys as the words of proposed commands. Pure.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

// What to write on a command line, with its options, for just this key, whatever is in its name;
// and for all keys that have these bytes in their names.
std::string words_for_key(std::string_view key);
std::string words_for_keys_with(std::string_view bytes);

}  // namespace rlctl
