// How a library calls its own script: the lines of its layout (lua/layouts/) that are lines of a
// manifest. Each line `keys` there begins the call of another version of the script. `approximate`
// says that the contract is how it counts, and no promise. Pure. Throws Error(Exit::usage): unknown
// layout, a layout without a call, a script that is not the library's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace rlctl {

// The layouts that say it.
std::vector<std::string> layouts_with_call();

// How many keys and arguments a script reads.
struct ScriptReads {
  std::size_t keys = 0;
  std::size_t args = 0;
  bool operator==(const ScriptReads&) const = default;
};

// The lines for a script that reads so many, with the call that gives as many. If `is_base`, the
// user gives keys or arguments, too: then the first call will do.
std::string layout_call(const std::string& name, const ScriptReads& reads, bool is_base);

}  // namespace rlctl
