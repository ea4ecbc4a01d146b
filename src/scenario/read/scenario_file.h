// Scenario files on disk: which ones a command line names, and their texts with all that they name
// beside them. Reads regular files only, of bounded size, and nothing outside of the root folder.
//
// Throws Error(Exit::usage). One thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scenario/read/scenario_reader.h"

namespace rlctl {

struct ScenarioPath {
  std::string file;            // as the user would name it
  std::filesystem::path root;  // what the scenario names must lie under this
};

// Files as they are, folders with every *.json below them that is no *.schema.json, in the order of
// names. The root is the folder given; of a file, the working directory where it lies below it,
// else its own folder. A file that is named twice is taken once.
std::vector<ScenarioPath> find_scenarios(const std::vector<std::string>& names);

ParsedScenario load_scenario(const ScenarioPath& path);

}  // namespace rlctl
