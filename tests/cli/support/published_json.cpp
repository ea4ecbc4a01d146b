#include "cli/support/published_json.h"

#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cli/support/process.h"
#include "tools/json_schema.h"

namespace {

using nlohmann::json;

// Null: it is not published. Tests that play side by side ask at the same time.
const json& schema_named(const std::string& name) {
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  static std::map<std::string, json> schemas;
  const auto [schema, is_new] = schemas.try_emplace(name);
  if (is_new) {
    const Outcome printed = run_program(RLCTL_BINARY, {"schema", name});
    if (printed.exit == 0) schema->second = json::parse(printed.out);
  }
  return schema->second;
}

}  // namespace

void check_published_json(const std::string& text) {
  if (!text.starts_with("{")) return;
  const json result = json::parse(text, nullptr, false);
  if (!result.is_object() || !result.contains("schema") || !result["schema"].is_string()) return;
  const std::string name = result["schema"];
  if (!name.starts_with("rlctl.") || !name.ends_with("/1")) return;
  const std::string verb = name.substr(6, name.size() - 8);
  const json& schema = schema_named(verb);
  if (schema.is_null()) return;
  const std::string violation = rlctl::schema_violation(schema, result);
  if (!violation.empty())
    throw std::runtime_error("the JSON of " + name + " breaks its own schema: " + violation);
}
