// The words of a log: what its writer and its reader must agree on. Pure.
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

// A cell that is safe to open in a spreadsheet (OWASP, "CSV Injection"), and the text again.
std::string protected_cell(std::string_view text);
std::string_view unprotected_cell(std::string_view cell);

}  // namespace rlctl
