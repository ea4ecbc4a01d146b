#include "core/log_names.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace rlctl {
namespace {

constexpr std::array kOutcomes{"allowed", "denied", "unknown", "failed"};
constexpr std::array kKinds{"none", "sliding", "fixed", "anchored", "bucket"};

template <class Enum, class Names>
std::optional<Enum> find_name(const Names& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

// Characters that make a spreadsheet calculate, also after blanks; and our own mark ('), so that
// the reader can distinguish it from a ' in the text.
bool is_taken_for_formula(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first != std::string_view::npos &&
         std::string_view("=+-@'\t\r").find(text[first]) != std::string_view::npos;
}

}  // namespace

const char* name_of(Outcome outcome) { return kOutcomes[static_cast<std::size_t>(outcome)]; }

std::optional<Outcome> outcome_of(std::string_view name) {
  return find_name<Outcome>(kOutcomes, name);
}

const char* log_name_of(ContractKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::optional<ContractKind> contract_kind_of(std::string_view name) {
  return find_name<ContractKind>(kKinds, name);
}

std::string protected_cell(std::string_view text) {
  return is_taken_for_formula(text) ? "'" + std::string(text) : std::string(text);
}

std::string_view unprotected_cell(std::string_view cell) {
  const bool marked = cell.starts_with('\'') && is_taken_for_formula(cell.substr(1));
  return marked ? cell.substr(1) : cell;
}

}  // namespace rlctl
