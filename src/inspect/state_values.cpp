#include "inspect/state_values.h"

#include <algorithm>

#include "base/text.h"
#include "inspect/stored_time.h"

namespace rlctl {
namespace {

// The unit from the ending of a state's name; empty if it is not a time.
std::string_view unit_in_name(std::string_view name) {
  if (name.ends_with("_us")) return "µs";
  if (name.ends_with("_ms")) return "ms";
  if (name.ends_with("_ns")) return "ns";
  if (name.ends_with("_s")) return "s";
  return {};
}

bool has_unit(double number, std::string_view unit) {
  const auto time = stored_time_from(number);
  return time ? time->unit == unit : unit.empty();
}

// There must be as many numbers as names, or fewer: a state may lack its last values.
bool fits_string(const State& state, const Numbers& numbers) {
  if (numbers.empty() || numbers.size() > state.names.size()) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!has_unit(numbers[i], unit_in_name(state.names[i]))) return false;
  return true;
}

const std::string* field_of(const KeyState& state, const std::string& name) {
  for (const auto& [field, value] : state.fields)
    if (field == name) return &value;
  return nullptr;
}

bool fits_hash(const State& state, const KeyState& key) {
  return !state.names.empty() && std::ranges::all_of(state.names, [&](const std::string& name) {
    const std::string* value = field_of(key, name);
    return value != nullptr && parse_whole<double>(*value);
  });
}

}  // namespace

Numbers numbers_in(std::string_view value) {
  Numbers numbers;
  while (!value.empty()) {
    if (!is_digit(value.front())) {
      if (std::string_view("+-/:;, ").find(value.front()) == std::string_view::npos) return {};
      value.remove_prefix(1);
      continue;
    }
    const auto end = std::min(value.find_first_of("+-/:;, "), value.size());
    const auto number = parse_whole<double>(value.substr(0, end));
    if (!number) return {};
    numbers.push_back(*number);
    value.remove_prefix(end);
  }
  return numbers;
}

bool fits(const State& state, const KeyState& key, const Numbers& numbers) {
  if (state.type != key.type || state.type == StateType::none) return false;
  if (state.type == StateType::string) return fits_string(state, numbers);
  if (state.type == StateType::hash) return fits_hash(state, key);
  return !state.names.empty() && !key.time_unit.empty() &&
         unit_in_name(state.names.front()) == key.time_unit;
}

std::optional<double> value_of(const State& state, std::size_t index, const KeyState& key,
                               const Numbers& numbers) {
  if (key.type == StateType::string && index < numbers.size()) return numbers[index];
  const std::string* field = field_of(key, state.names[index]);
  return field == nullptr ? std::nullopt : parse_whole<double>(*field);
}

}  // namespace rlctl
