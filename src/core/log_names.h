// The words of a log, shared by its writer and its reader. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/record.h"

namespace rlctl {

const char* name_of(Outcome outcome);
std::optional<Outcome> outcome_of(std::string_view name);

const char* log_name_of(ContractKind kind);
std::optional<ContractKind> contract_kind_of(std::string_view name);

// The text as a cell that is safe to open in a spreadsheet (OWASP, "CSV Injection"), and the
// inverse.
std::string protected_cell(std::string_view text);
std::string_view unprotected_cell(std::string_view cell);

}  // namespace rlctl
