// How long Lua's pattern matcher can take. It is C: nothing interrupts it, and fifty ".-" over
// fifty bytes take it longer than the universe is old. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace rlctl {

// At most so many single steps of string.find, match, gmatch or gsub. Each repetition (`*`, `+`,
// `-`) that something follows may end at any byte, so the matcher may try every way to place their
// ends in this order. A pattern that is wrong has some bound, too.
double most_match_steps(std::string_view pattern, std::size_t text_bytes);

}  // namespace rlctl
