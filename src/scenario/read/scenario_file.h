// Scenario files on disk: finds those that a command line names, and reads them with all files that
// they refer to. Reads only regular files of bounded size, and nothing outside the root folder.
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
  std::filesystem::path root;  // the scenario may refer only to files below it
};

// Files are taken as they are. Folders stand for all files below them that say that they are
// scenarios, in the order of their names: *.scenario.json, and *.json whose "$schema" is
// scenario.schema.json. Left out are what .gitignore names, hidden folders and node_modules. The
// root is the given folder; for a file, it is the working directory if the file lies below that, or
// else the file's own folder. A file that is named twice is taken once.
std::vector<ScenarioPath> find_scenarios(const std::vector<std::string>& names);

ParsedScenario load_scenario(const ScenarioPath& path);

}  // namespace rlctl
