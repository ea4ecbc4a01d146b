// The groups of options in help: an option stands in the same group, and the groups in the same
// order, in every verb. Pure; never fails.
#pragma once

#include <string_view>
#include <vector>

#include "cli/help/command_table.h"

namespace rlctl {

// Sets the group of each option and puts the options in the order of help. An option that only one
// verb understands has no place in the table: it comes first, under "Options".
void arrange_in_groups(std::vector<Parameter>& options);

}  // namespace rlctl
