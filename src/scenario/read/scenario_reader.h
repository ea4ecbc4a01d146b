// A scenario file's text to a Scenario (README, "Scenario files"). All mistakes are told at once,
// each with file:line:column, JSON pointer, the line underlined and what may have been meant: then
// nothing was sent. Pure but for the files that the scenario names, which come through
// ScenarioFiles.
#pragma once

#include <optional>
#include <string>

#include "scenario/read/context.h"
#include "scenario/scenario.h"

namespace rlctl {

struct ParsedScenario {
  std::optional<Scenario> scenario;  // empty: there were mistakes
  std::string mistakes;              // described, ready to be shown; ends with a newline
  std::size_t mistake_count = 0;
};

// `file`: as messages call it; its stem is the scenario's name where it has none of its own.
ParsedScenario parse_scenario(const std::string& file, std::string text, ScenarioFiles& files);

}  // namespace rlctl
