// Reads a scenario file's text into a Scenario (README, "run: scenario files"). All mistakes are
// reported at once, before anything is sent, each with file:line:column, JSON pointer, the
// underlined line and a suggestion. Pure, except for the files that the scenario names, which are
// read through ScenarioFiles.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenario/read/context.h"
#include "scenario/scenario.h"
#include "scenario/scenario_result.h"

namespace rlctl {

struct ParsedScenario {
  std::string name;                  // also of a file with mistakes, as far as it could be read
  std::optional<Scenario> scenario;  // empty: there were mistakes
  std::string mistakes;              // described, ready to be shown; ends with a newline
  std::vector<FileMistake> placed_mistakes;  // all of them, in the order of the text
};

// `file`: the name used in messages. Its stem is the default name of the scenario.
ParsedScenario parse_scenario(const std::string& file, std::string text, ScenarioFiles& files);

}  // namespace rlctl
