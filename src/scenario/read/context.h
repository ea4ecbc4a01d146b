// The state shared by the readers of a scenario file's parts (part_readers.h): the
// scenario that they fill, the source, and the problems. It only holds references.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/escape.h"
#include "base/object_fields.h"
#include "base/source_text.h"
#include "scenario/scenario.h"

namespace rlctl {

// What a scenario takes from outside: files, and variables of the environment. The functions for
// files throw Error(Exit::usage) with what is wrong.
class ScenarioFiles {
 public:
  virtual ~ScenarioFiles() = default;
  // Empty if it is not set.
  virtual std::optional<std::string> variable(std::string_view name) = 0;
  // The absolute path of the scenario's `path`: a regular file under the scenario's root.
  virtual std::string resolve(std::string_view path) = 0;
  // The bytes of a resolved file.
  virtual std::string read(const std::string& resolved) = 0;
};

struct ScenarioContext {
  Scenario& scenario;
  const SourceText& source;
  SourceProblems& problems;
  ScenarioFiles& files;

  SourcePlace place_of(SourceSpan span) const { return source.place_of(span.begin); }

  // Resolves the member's path. On failure, adds a problem and returns empty.
  std::string path_of(ObjectFields& fields, std::string_view name) const;

  // Reports a name that selectors and reports cannot show. Allowed: letters, digits, _ . -
  void check_name(const std::string& name, SourceSpan span, const std::string& pointer) const;
};

// The index of the entry with this name; empty if there is none.
template <typename Named>
std::optional<std::uint32_t> index_of(const std::vector<Named>& entries, std::string_view name) {
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].name == name) return static_cast<std::uint32_t>(i);
  return std::nullopt;
}

template <typename Named>
std::vector<std::string> names_of(const std::vector<Named>& entries) {
  std::vector<std::string> names;
  for (const Named& entry : entries) names.push_back(entry.name);
  return names;
}

// The index of the entry that a member names. If there is none, adds a problem and returns 0.
template <typename Named>
std::uint32_t reference(ObjectFields& fields, std::string_view name, const char* kind,
                        const std::vector<Named>& entries) {
  const std::string written = fields.text(name);
  const JsonValue* value = fields.find(name);
  if (value == nullptr || value->kind != JsonKind::string) return 0;
  if (const auto index = index_of(entries, written)) return *index;
  fields.complain(name, std::string("there is no ") + kind + " " + in_quotes(written),
                  suggestion(written, names_of(entries)));
  return 0;
}

// Why the template of a key or a name cannot be filled in; empty: it is valid.
std::optional<Error> template_problem(const std::string& text);

}  // namespace rlctl
