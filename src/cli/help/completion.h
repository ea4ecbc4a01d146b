// Completion scripts for shells, written from the command table. Pure; never fails. What they offer
// for NAME|FILE.lua are the algorithms this rlctl has.
#pragma once

#include <string>
#include <vector>

#include "cli/help/command_table.h"

namespace rlctl {

std::string bash_completion(const CommandTable& table, const std::vector<std::string>& algorithms);
std::string zsh_completion(const CommandTable& table, const std::vector<std::string>& algorithms);
std::string fish_completion(const CommandTable& table, const std::vector<std::string>& algorithms);

// 'text' as one word of a POSIX shell or fish.
std::string in_shell_quotes(const std::string& text);

}  // namespace rlctl
