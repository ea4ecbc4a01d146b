// Shell completion scripts, generated from the command table. They offer `algorithms` for
// NAME|FILE.lua. Pure; never fails.
#pragma once

#include <string>
#include <vector>

#include "cli/help/command_table.h"

namespace rlctl {

std::string bash_completion(const CommandTable& table, const std::vector<std::string>& algorithms);
std::string zsh_completion(const CommandTable& table, const std::vector<std::string>& algorithms);
std::string fish_completion(const CommandTable& table, const std::vector<std::string>& algorithms);

// `text` quoted as one word for a POSIX shell or fish.
std::string in_shell_quotes(const std::string& text);

}  // namespace rlctl
