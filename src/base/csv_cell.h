// A cell that is safe to open in a spreadsheet (OWASP, "CSV Injection"), and the text again. Pure;
// never fails.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

std::string protected_cell(std::string_view text);
std::string_view unprotected_cell(std::string_view cell);

}  // namespace rlctl
