// What the readers of a scenario file's parts share (policy_reader.h and the others): the scenario
// that they fill, the source, and the list of what is wrong. Borrows all of it.
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

// The files beside a scenario. Both throw Error(Exit::usage) with what is wrong.
class ScenarioFiles {
 public:
  virtual ~ScenarioFiles() = default;
  // The absolute path of what the scenario calls `path`: a regular file under its root.
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

  // Resolves the member's path; empty, and a problem, when that cannot be.
  std::string path_of(ObjectFields& fields, std::string_view name) const;

  // Tells of a name that selectors and reports could not show: it needs letters, digits, _ . -
  void check_name(const std::string& name, SourceSpan span, const std::string& pointer) const;
};

// The index of the entry with this name; empty when there is none.
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

// The index that a member's text names; 0, and a problem, when there is none of that name.
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

// Why a key, header or path template cannot be filled in; empty: it can.
std::optional<Error> template_problem(const std::string& text);

}  // namespace rlctl
