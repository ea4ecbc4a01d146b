#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "scenario/read/part_readers.h"

namespace rlctl {

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
  if (!named && (plus != std::string::npos || !is_digit(written[0]))) {
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
