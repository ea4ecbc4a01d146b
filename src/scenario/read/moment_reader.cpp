#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "scenario/read/part_readers.h"

namespace rlctl {
namespace {

// Also "-1s", a time that is refused as one.
bool looks_like_time(std::string_view text) {
  const bool has_sign = text.starts_with('+') || text.starts_with('-');
  text.remove_prefix(has_sign ? 1 : 0);
  return !text.empty() && is_digit(text.front());
}

}  // namespace

Moment read_moment(ObjectFields& fields, std::string_view name, std::span<const Phase> phases) {
  const std::string written = fields.text(name);
  const JsonValue* value = fields.find(name);
  if (value == nullptr || value->kind != JsonKind::string) return {};
  const std::size_t plus = written.find('+');
  const std::string phase = written.substr(0, plus);
  Moment moment;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    names.push_back(phases[i].name);
    if (phases[i].name == phase) moment.phase = static_cast<std::int32_t>(i);
  }
  const bool named = moment.phase >= 0;
  const bool has_phase = plus != std::string::npos && plus > 0;
  if (!named && (has_phase || !looks_like_time(written))) {
    const std::string nearest = suggestion(phase, names);
    fields.complain(
        name, "there is no phase " + in_quotes(phase) + " here",
        nearest.empty() ? "for a time after the start of the scenario, write \"10s\"" : nearest);
    return {};
  }
  if (named && plus == std::string::npos) return moment;
  try {
    moment.after_us = parse_duration_us(named ? written.substr(plus + 1) : written, name);
  } catch (const Error& error) {
    fields.complain(name, error);
  }
  return moment;
}

}  // namespace rlctl
