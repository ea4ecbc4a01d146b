// Paths of a Lua limiter on which a key that it writes gets no expiry. Pure.
//
// A condition on what Redis answered tells new keys from old ones: `if n == 1 then EXPIRE` is as
// good as an EXPIRE on all paths. Any other condition, such as one on ARGV, is not. What is not
// certain (a key whose name is computed, an EXPIRE in another function) is no finding.
#pragma once

#include <cstddef>
#include <optional>

#include "inspect/doctor/script_source.h"

namespace rlctl {

// The place in the code where the first such path leaves: a return, or the write itself if it goes
// to the end.
std::optional<std::size_t> path_without_expiry(const ScriptSource& source);

}  // namespace rlctl
