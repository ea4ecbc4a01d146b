#include "scenario/read/context.h"

#include <algorithm>

#include "base/escape.h"
#include "base/text.h"
#include "policy/identity.h"

namespace rlctl {

std::string ScenarioContext::path_of(ObjectFields& fields, std::string_view name) const {
  const std::string path = fields.text(name);
  if (path.empty()) {
    if (fields.has(name) && fields.find(name)->kind == JsonKind::string)
      fields.complain(name, "the file name is empty");
    return {};
  }
  try {
    return files.resolve(path);
  } catch (const Error& error) {
    fields.complain(name, error.what(), error.hint());
    return {};
  }
}

void ScenarioContext::check_name(const std::string& name, SourceSpan span,
                                 const std::string& pointer) const {
  const auto fits = [](char c) { return is_name_character(c) || c == '-' || c == '.'; };
  if (!name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), fits)) return;
  problems.add(span, pointer, in_quotes(name) + " is not a valid name",
               "use 1 to 64 letters, digits, underscores, dots and dashes");
}

std::optional<Error> template_problem(const std::string& text) {
  try {
    key_of(text, Identity{});
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

}  // namespace rlctl
