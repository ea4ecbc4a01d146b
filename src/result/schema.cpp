// The visitor that publishes a document as JSON Schema.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "result/codec.h"

namespace rlctl {
namespace {

// The unit is the last part of a member's name.
constexpr std::pair<const char*, const char*> kUnits[] = {
    {"_us", "microseconds"}, {"_percent", "percent"}, {"_bytes", "bytes"}, {"seconds", "seconds"}};

std::string description_of(const Member& member) {
  std::string text = member.about;
  for (const auto& [suffix, unit] : kUnits)
    if (std::string_view(member.name).ends_with(suffix) && text.find(unit) == text.npos) {
      text += (text.empty() ? "" : ", ") + std::string(unit);
      break;
    }
  return text;
}

Json leaf_schema(const Leaf& leaf) {
  switch (leaf.kind) {
    case LeafKind::integer:
      return {{"type", "integer"}};
    case LeafKind::count_or_digits:
      return {{"type", {"integer", "string"}}};
    case LeafKind::number:
      return {{"type", "number"}};
    case LeafKind::flag:
      return {{"type", "boolean"}};
    case LeafKind::word:
      return {{"enum", leaf.words()}};
    case LeafKind::constant:
      return {{"enum", {std::get<Text*>(leaf.value)->bytes()}}};
    case LeafKind::text:
    case LeafKind::bytes:
      break;
  }
  return {{"type", "string"}};
}

Json nullable(Json schema) {
  if (schema.contains("type")) {
    schema["type"] = {schema["type"], "null"};
    return schema;
  }
  if (schema.contains("enum")) {
    schema["enum"].push_back(nullptr);
    return schema;
  }
  return {{"anyOf", {std::move(schema), {{"type", "null"}}}}};
}

Json empty_object() {
  return {{"type", "object"},
          {"properties", Json::object()},
          {"required", Json::array()},
          {"additionalProperties", false}};
}

class SchemaWriter : public Fields {
 public:
  SchemaWriter() { open_.push_back({.schema = empty_object()}); }

  Json finished() {
    Json json{{"$schema", "https://json-schema.org/draft/2020-12/schema"}};
    json.update(open_.front().schema);
    json["$defs"] = std::move(definitions_);
    return json;
  }

 protected:
  void leaf(const Member& member, const Leaf& leaf) override {
    add(member, leaf_schema(leaf));
    if (leaf.kind == LeafKind::bytes)
      add({kept_name(member.name), "the bytes in base64, if they are not UTF-8", Presence::if_any},
          {{"type", "string"}});
  }

  bool begin_object(const Member& member, const char* name, bool) override {
    if (definitions_.contains(name)) {
      add(member, reference(name));
      return false;
    }
    open_.push_back({.member = member, .name = name, .schema = empty_object()});
    return true;
  }

  std::optional<std::size_t> begin_list(const Member& member, std::optional<std::size_t>) override {
    open_.push_back({.member = member, .schema = {{"type", "array"}}});
    return 1;
  }

  bool begin_item(std::size_t, const char* name) override {
    if (name != nullptr) return begin_object({}, name, true);
    open_.push_back({});
    return true;
  }

  void end() override {
    Part part = std::move(open_.back());
    open_.pop_back();
    if (part.name == nullptr) {
      add(part.member, std::move(part.schema));
      return;
    }
    definitions_[part.name] = std::move(part.schema);
    add(part.member, reference(part.name));
  }

  bool begin_group(bool) override {
    open_.back().groups.emplace_back();
    return true;
  }

  // With the first member of a group come all others.
  void end_group() override {
    Part& part = open_.back();
    const std::vector<std::string> group = std::move(part.groups.back());
    part.groups.pop_back();
    if (group.size() > 1)
      part.schema["dependentRequired"][group.front()] =
          std::vector<std::string>(group.begin() + 1, group.end());
  }

 private:
  // An object, a list or the item of a list, while it is described.
  struct Part {
    Member member = {};
    const char* name = nullptr;
    Json schema = {};
    std::vector<std::vector<std::string>> groups = {};
  };

  static Json reference(const std::string& name) { return {{"$ref", "#/$defs/" + name}}; }

  const char* kept_name(const char* name) {
    kept_ = std::string(name) + "_b64";
    return kept_.c_str();
  }

  void add(const Member& member, Json schema) {
    if (member.presence == Presence::or_null) schema = nullable(std::move(schema));
    if (const std::string text = description_of(member); !text.empty())
      schema["description"] = text;
    Part& part = open_.back();
    if (*member.name != '\0') {
      part.schema["properties"][member.name] = std::move(schema);
      if (member.presence != Presence::if_any) require(part, member.name);
    } else if (part.schema.contains("type")) {
      part.schema["items"] = std::move(schema);
    } else {
      part.schema = std::move(schema);
    }
  }

  static void require(Part& part, const std::string& name) {
    Json& required = part.schema["required"];
    if (!part.groups.empty())
      part.groups.back().push_back(name);
    else if (std::find(required.begin(), required.end(), name) == required.end())
      required.push_back(name);
  }

  std::vector<Part> open_;
  Json definitions_ = Json::object();
  std::string kept_;
};

}  // namespace

nlohmann::ordered_json published_schema(const DescribeDocument& describe_document) {
  SchemaWriter writer;
  describe_document(writer);
  return writer.finished();
}

}  // namespace rlctl
