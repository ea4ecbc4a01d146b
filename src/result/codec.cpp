#include "result/codec.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json.h"

namespace rlctl {
namespace {

bool has_value(const Leaf& leaf) {
  if (const auto* number = std::get_if<Number*>(&leaf.value)) return (*number)->is_known();
  if (const auto* text = std::get_if<Text*>(&leaf.value)) return !(*text)->empty();
  return *std::get<bool*>(leaf.value);
}

Json json_of(const Number& number) {
  return std::visit(
      [](const auto& value) -> Json {
        if constexpr (std::is_same_v<decltype(value), const std::monostate&>)
          return nullptr;
        else
          return value;
      },
      number.value());
}

class Writer : public Fields {
 public:
  explicit Writer(Json& json) : open_{&json} {}

 protected:
  void leaf(const Member& member, const Leaf& leaf) override {
    if (member.presence != Presence::always && !has_value(leaf)) {
      if (member.presence == Presence::or_null) place(member) = nullptr;
    } else if (const auto* number = std::get_if<Number*>(&leaf.value)) {
      place(member) = json_of(**number);
    } else if (const auto* flag = std::get_if<bool*>(&leaf.value)) {
      place(member) = **flag;
    } else if (leaf.kind == LeafKind::bytes) {
      put_bytes(*open_.back(), member.name, std::get<Text*>(leaf.value)->bytes());
    } else {
      place(member) = std::get<Text*>(leaf.value)->bytes();
    }
  }

  bool begin_object(const Member& member, const char*, bool present) override {
    return begin(member, present, Json::object());
  }

  std::optional<std::size_t> begin_list(const Member& member,
                                        std::optional<std::size_t> count) override {
    if (!begin(member, count.has_value(), Json::array())) return std::nullopt;
    open_.back()->get_ref<Json::array_t&>().resize(*count);
    return count;
  }

  bool begin_item(std::size_t index, const char*) override {
    open_.push_back(&(*open_.back())[index]);
    return true;
  }

  void end() override { open_.pop_back(); }
  bool begin_group(bool present) override { return present; }

 private:
  Json& place(const Member& member) {
    return *member.name == '\0' ? *open_.back() : (*open_.back())[member.name];
  }

  bool begin(const Member& member, bool present, Json empty) {
    if (!present && member.presence == Presence::if_any) return false;
    Json& json = place(member);
    json = present ? std::move(empty) : Json(nullptr);
    if (present) open_.push_back(&json);
    return present;
  }

  // From the document to the part that is being written. Nothing is added to a part while one
  // inside it is open, so the pointers stay valid.
  std::vector<Json*> open_;
};

const Json kNothing;

class Reader : public Fields {
 public:
  explicit Reader(const Json& json) : open_{&json} {}

 protected:
  void leaf(const Member& member, const Leaf& leaf) override {
    const Json& json = place(member);
    if (auto* const* number = std::get_if<Number*>(&leaf.value)) {
      read(json, **number);
    } else if (auto* const* text = std::get_if<Text*>(&leaf.value)) {
      if (json.is_string()) **text = text_of(json, member);
    } else if (json.is_boolean()) {
      *std::get<bool*>(leaf.value) = json.get<bool>();
    }
  }

  bool begin_object(const Member& member, const char*, bool) override {
    const Json& json = place(member);
    if (json.is_object()) open_.push_back(&json);
    return json.is_object();
  }

  std::optional<std::size_t> begin_list(const Member& member, std::optional<std::size_t>) override {
    const Json& json = place(member);
    if (!json.is_array()) return std::nullopt;
    open_.push_back(&json);
    return json.size();
  }

  bool begin_item(std::size_t index, const char*) override {
    open_.push_back(&(*open_.back())[index]);
    return true;
  }

  void end() override { open_.pop_back(); }
  bool begin_group(bool) override { return true; }

 private:
  const Json& place(const Member& member) const {
    if (*member.name == '\0') return *open_.back();
    if (!open_.back()->is_object()) return kNothing;
    const auto found = open_.back()->find(member.name);
    return found == open_.back()->end() ? kNothing : *found;
  }

  static void read(const Json& json, Number& number) {
    if (json.is_number_unsigned())
      number = json.get<std::uint64_t>();
    else if (json.is_number_integer())
      number = json.get<std::int64_t>();
    else if (json.is_number() && std::isfinite(json.get<double>()))
      number = json.get<double>();
  }

  // Text that could not be written as it was is escaped in the file.
  std::string text_of(const Json& json, const Member& member) const {
    const std::string& text = json.get_ref<const std::string&>();
    if (!open_.back()->is_object() || !open_.back()->contains(std::string(member.name) + "_b64"))
      return text;
    return unescape(text).value_or(text);
  }

  std::vector<const Json*> open_;
};

class Finder : public Fields {
 public:
  explicit Finder(std::string_view name) : name_(name) {}
  const Number& found() const { return found_; }

 protected:
  void leaf(const Member& member, const Leaf& leaf) override {
    auto* const* number = std::get_if<Number*>(&leaf.value);
    if (number != nullptr && member.name == name_) found_ = **number;
  }
  bool begin_object(const Member&, const char*, bool) override { return false; }
  std::optional<std::size_t> begin_list(const Member&, std::optional<std::size_t>) override {
    return std::nullopt;
  }
  bool begin_item(std::size_t, const char*) override { return false; }
  void end() override {}
  bool begin_group(bool) override { return true; }

 private:
  std::string_view name_;
  Number found_;
};

}  // namespace

void Fields::heading(const char* schema, Text& version) {
  Text name = schema;
  leaf({"schema", "what this is, and the version of its form"}, {&name, LeafKind::constant});
  text({"version", "of the rlctl that wrote it"}, version);
}

Json written(const DescribeDocument& describe_document) {
  Json json = Json::object();
  Writer writer(json);
  describe_document(writer);
  return json;
}

void read_into(const Json& json, const DescribeDocument& describe_document) {
  Reader reader(json);
  describe_document(reader);
}

Number found_number(const DescribeDocument& describe_document, std::string_view name) {
  Finder finder(name);
  describe_document(finder);
  return finder.found();
}

}  // namespace rlctl
