// The man page, rlctl(1), written from the command table. Pure; never fails.
#pragma once

#include <string>

#include "cli/help/command_table.h"

namespace rlctl {

// man(7) macros, as groff and mandoc read them; without a date, so that a build can be repeated.
std::string man_page(const CommandTable& table, const std::string& version);

}  // namespace rlctl
