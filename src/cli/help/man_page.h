// The man page, rlctl(1), generated from the command table. Pure; never fails.
#pragma once

#include <string>

#include "cli/help/command_table.h"

namespace rlctl {

// man(7) macros for groff and mandoc. There is no date, so that builds are reproducible.
std::string man_page(const CommandTable& table, const std::string& version);

}  // namespace rlctl
