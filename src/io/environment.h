// The variables of this process's environment.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rlctl {

// Empty if it is not set.
std::optional<std::string> environment_variable(std::string_view name);

}  // namespace rlctl
