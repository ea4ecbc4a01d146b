#include "tools/json_schema.h"

#include <algorithm>
#include <regex>
#include <stdexcept>

namespace rlctl {
namespace {

using Json = nlohmann::json;

class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  std::string check(const Json& schema, const Json& value, const std::string& at) const {
    for (const auto& [keyword, rule] : schema.items()) {
      std::string problem = check_keyword(schema, keyword, rule, value, at);
      if (!problem.empty()) return problem;
    }
    return {};
  }

 private:
  std::string check_keyword(const Json& schema, const std::string& keyword, const Json& rule,
                            const Json& value, const std::string& at) const {
    const auto unless = [&](bool fine) { return fine ? std::string() : at + ": " + keyword; };
    if (keyword == "description" || keyword == "title" || keyword == "examples" ||
        keyword == "$schema" || keyword == "$defs")
      return {};
    if (keyword == "$ref") {
      const std::string pointer = rule.get<std::string>().substr(1);
      return check(root_.at(Json::json_pointer(pointer)), value, at);
    }
    if (keyword == "type") return unless(is_type(value, rule));
    if (keyword == "enum") return unless(std::find(rule.begin(), rule.end(), value) != rule.end());
    if (keyword == "pattern")
      return unless(!value.is_string() || std::regex_search(value.get<std::string>(),
                                                            std::regex(rule.get<std::string>())));
    if (keyword == "minLength")
      return unless(!value.is_string() || value.get<std::string>().size() >= rule);
    if (keyword == "minimum") return unless(!value.is_number() || value >= rule);
    if (keyword == "maximum") return unless(!value.is_number() || value <= rule);
    if (keyword == "minItems") return unless(!value.is_array() || value.size() >= rule);
    if (keyword == "maxItems") return unless(!value.is_array() || value.size() <= rule);
    if (keyword == "minProperties") return unless(!value.is_object() || value.size() >= rule);
    if (keyword == "required") return required(rule, value, at);
    if (keyword == "items") return items(rule, value, at);
    if (keyword == "properties") return properties(rule, value, at);
    if (keyword == "propertyNames") return property_names(rule, value, at);
    if (keyword == "additionalProperties") return additional(schema, rule, value, at);
    if (keyword == "dependentRequired") return dependent_required(rule, value, at);
    if (keyword == "anyOf") return any_of(rule, value, at);
    if (keyword == "allOf") return all_of(rule, value, at);
    throw std::runtime_error("the schema's keyword " + keyword + " is not tested");
  }

  static bool is_type(const Json& value, const Json& type) {
    if (type.is_array())
      return std::any_of(type.begin(), type.end(),
                         [&](const Json& one) { return is_type(value, one); });
    if (type == "null") return value.is_null();
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    throw std::runtime_error("the schema's type " + type.dump() + " is not tested");
  }

  static std::string required(const Json& names, const Json& value, const std::string& at) {
    if (!value.is_object()) return {};
    for (const std::string name : names)
      if (!value.contains(name)) return at + ": " + name + " is required";
    return {};
  }

  static std::string dependent_required(const Json& rule, const Json& value,
                                        const std::string& at) {
    for (const auto& [name, names] : rule.items()) {
      if (!value.is_object() || !value.contains(name)) continue;
      if (std::string problem = required(names, value, at); !problem.empty()) return problem;
    }
    return {};
  }

  std::string items(const Json& rule, const Json& value, const std::string& at) const {
    if (!value.is_array()) return {};
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string problem = check(rule, value[i], at + "/" + std::to_string(i));
      if (!problem.empty()) return problem;
    }
    return {};
  }

  std::string properties(const Json& rule, const Json& value, const std::string& at) const {
    if (!value.is_object()) return {};
    for (const auto& [name, schema] : rule.items()) {
      if (!value.contains(name)) continue;
      const std::string problem = check(schema, value.at(name), at + "/" + name);
      if (!problem.empty()) return problem;
    }
    return {};
  }

  std::string property_names(const Json& rule, const Json& value, const std::string& at) const {
    if (!value.is_object()) return {};
    for (const auto& [name, inner] : value.items()) {
      const std::string problem = check(rule, Json(name), at + "/" + name);
      if (!problem.empty()) return problem;
    }
    return {};
  }

  std::string additional(const Json& schema, const Json& rule, const Json& value,
                         const std::string& at) const {
    if (!value.is_object()) return {};
    const Json known = schema.value("properties", Json::object());
    for (const auto& [name, inner] : value.items()) {
      if (known.contains(name)) continue;
      if (rule == Json(false)) return at + "/" + name + ": unknown";
      const std::string problem = check(rule, inner, at + "/" + name);
      if (!problem.empty()) return problem;
    }
    return {};
  }

  std::string any_of(const Json& rules, const Json& value, const std::string& at) const {
    std::string problem;
    for (const Json& rule : rules) {
      problem = check(rule, value, at);
      if (problem.empty()) return {};
    }
    return problem;
  }

  std::string all_of(const Json& rules, const Json& value, const std::string& at) const {
    for (const Json& rule : rules) {
      const std::string problem = check(rule, value, at);
      if (!problem.empty()) return problem;
    }
    return {};
  }

  const Json& root_;
};

}  // namespace

std::string schema_violation(const nlohmann::json& root, const nlohmann::json& value) {
  return Validator(root).check(root, value, "");
}

}  // namespace rlctl
