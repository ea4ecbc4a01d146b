// The text of --help, wrapped at `width` columns. Pure; never fails.
#pragma once

#include <cstddef>
#include <string>

#include "cli/help/command_table.h"

namespace rlctl {

std::string help_text(const CommandTable& table, std::size_t width);

// The examples come first, because most people look for them.
std::string help_text(const VerbPage& verb, std::size_t width);

// The headings of the options, in the order in which they were first used.
std::vector<std::string> groups_of(const std::vector<Parameter>& options);

}  // namespace rlctl
