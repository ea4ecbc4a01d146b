// The members of a result document, each named once. `describe(Fields&, Document&)` names them in
// the order in which they are published; the visitors behind Fields write them, read them, describe
// them as a JSON Schema, or find one by name (result/codec.h). Pure.
//
// The room result: what bench, run, simulate, verify, explore and compare publish with --json.
// - It includes scenario, verdict, arrivals, log, policy and base, for their words. It is pure.
// - It must not measure, judge or word anything: report/documents.h fills the documents.
//
// Begin with this file and one document, such as verify_document.h and .cpp. Then: codec.h (what
// can be done with every document), result_file.h (a file that someone else may have written),
// published_schemas.h (`rlctl schema`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/words.h"
#include "result/values.h"

namespace rlctl {

// What is written if there is no value: always: there is one; or_null: null; if_any: no member.
enum class Presence : std::uint8_t { always, or_null, if_any };
inline constexpr Presence kOrNull = Presence::or_null;
inline constexpr Presence kIfAny = Presence::if_any;

struct Member {
  const char* name = "";   // empty: the item of a list
  const char* about = "";  // one line for the schema; units are told by the name
  Presence presence = Presence::always;
};

enum class LeafKind : std::uint8_t {
  integer,
  count_or_digits,
  number,
  text,
  bytes,
  word,
  constant,
  flag
};

struct Leaf {
  std::variant<Number*, Text*, bool*> value;
  LeafKind kind = LeafKind::text;
  std::vector<std::string> (*words)() = nullptr;  // word: the published words
};

class Fields {
 public:
  virtual ~Fields() = default;

  void count(const Member& member, Number& value) { leaf(member, {&value, LeafKind::integer}); }
  void number(const Member& member, Number& value) { leaf(member, {&value, LeafKind::number}); }
  void flag(const Member& member, bool& value) { leaf(member, {&value, LeafKind::flag}); }
  // UTF-8.
  void text(const Member& member, Text& value) { leaf(member, {&value, LeafKind::text}); }
  // Any bytes: what is not UTF-8 is written escaped, and as NAME_b64 (base/escape.h).
  void bytes(const Member& member, Text& value) { leaf(member, {&value, LeafKind::bytes}); }
  template <class Meaning>
  void word(const Member& member, Text& value) {
    leaf(member, {&value, LeafKind::word, all_words<Meaning>});
  }
  // A number; its digits if it is larger than a double can hold exactly.
  void count_or_digits(const Member& member, Number& count, Text& digits) {
    if (digits.empty()) leaf(member, {&count, LeafKind::count_or_digits});
    if (!count.is_known()) leaf(member, {&digits, LeafKind::count_or_digits});
  }
  // The first two members of every published result.
  void heading(const char* schema, Text& version);

  template <class Part>
  void object(const Member& member, Part& part) {
    if (begin_object(member, Part::kName, true)) described(part);
  }
  template <class Part>
  void object(const Member& member, std::optional<Part>& part) {
    if (!begin_object(member, Part::kName, part.has_value())) return;
    if (!part) part.emplace();
    described(*part);
  }
  template <class Item>
  void list(const Member& member, std::vector<Item>& items) {
    if (const auto count = begin_list(member, items.size())) listed(items, *count);
  }
  template <class Item>
  void list(const Member& member, std::optional<std::vector<Item>>& items) {
    const auto count = begin_list(member, items ? std::optional(items->size()) : std::nullopt);
    if (!count) return;
    if (!items) items.emplace();
    listed(*items, *count);
  }
  // Members that are all written, or none of them.
  template <class Describe>
  void when(bool present, Describe describe_members) {
    if (!begin_group(present)) return;
    describe_members();
    end_group();
  }

 protected:
  virtual void leaf(const Member& member, const Leaf& leaf) = 0;
  // `name`: the object's name in the schema; null: it has none. Each begin_ that returns true or a
  // count is followed by the contents and one end().
  virtual bool begin_object(const Member& member, const char* name, bool present) = 0;
  virtual std::optional<std::size_t> begin_list(const Member& member,
                                                std::optional<std::size_t> count) = 0;
  virtual bool begin_item(std::size_t index, const char* name) = 0;
  virtual void end() = 0;
  virtual bool begin_group(bool present) = 0;
  virtual void end_group() {}

 private:
  template <class Part>
  void described(Part& part) {
    describe(*this, part);
    end();
  }
  template <class Item>
  void listed(std::vector<Item>& items, std::size_t count) {
    items.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const char* name = nullptr;
      if constexpr (requires { Item::kName; }) name = Item::kName;
      if (begin_item(i, name)) described(items[i]);
    }
    end();
  }
};

inline void describe(Fields& fields, Number& number) { fields.count({}, number); }
inline void describe(Fields& fields, Text& text) { fields.text({}, text); }
template <class Item>
void describe(Fields& fields, std::vector<Item>& items) {
  fields.list({}, items);
}

}  // namespace rlctl
