// A valid scenario, from which tests make invalid ones, and files that exist only in memory.
#pragma once

#include <map>
#include <string>

#include "base/error.h"
#include "scenario/read/scenario_reader.h"

namespace rlctl {

class FilesInMemory final : public ScenarioFiles {
 public:
  std::map<std::string, std::string> files{{"mine.lua", "return 1"},
                                           {"people.csv", "ip,user\n10.0.0.1,ann\n::1,bob\n"}};

  std::map<std::string, std::string, std::less<>> variables{{"TOKEN", "canary"},
                                                            {"API", "http://127.0.0.1:8080"},
                                                            {"RLS", "rls://127.0.0.1:8081"},
                                                            {"HOST", "127.0.0.1:8081"},
                                                            {"EMPTY", ""}};

  std::optional<std::string> variable(std::string_view name) override {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  }
  std::string resolve(std::string_view path) override {
    if (!files.contains(std::string(path)))
      throw Error(Exit::usage, "there is no file '" + std::string(path) + "'");
    return "/root/" + std::string(path);
  }
  std::string read(const std::string& resolved) override { return files.at(resolved.substr(6)); }
};

// The example of the README, whole.
std::string whole_scenario();

// The smallest valid scenario.
std::string small_scenario();

// `text` with the first `from` replaced, which must be there.
std::string replaced(std::string text, const std::string& from, const std::string& to);

ParsedScenario parsed(const std::string& text);

// The mistakes in it; "" if it has none.
std::string mistakes_in(const std::string& text);

}  // namespace rlctl
