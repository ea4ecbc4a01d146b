#include "log/formats/json_rows.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostNames = 64;

// Whether the line has no escapes, no control characters and no bytes that need a UTF-8 check. The
// loop has no branch, so that the compiler can process 16 bytes at a time.
bool is_plain(std::string_view line) {
  unsigned odd = 0;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    odd |= static_cast<unsigned>(byte < 0x20) | static_cast<unsigned>(byte >= 0x7F) |
           static_cast<unsigned>(byte == '\\');
  }
  return odd == 0;
}

std::size_t digits_from(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

// The length of the number at the front, in a form that is usual in logs; 0: something else.
std::size_t number_length(std::string_view rest) {
  const std::size_t sign = rest.starts_with('-') ? 1 : 0;
  const std::size_t whole = digits_from(rest, sign);
  if (whole == 0 || (whole > 1 && rest[sign] == '0')) return 0;
  const std::size_t end = sign + whole;
  if (end >= rest.size() || rest[end] != '.') return end;
  const std::size_t fraction = digits_from(rest, end + 1);
  return fraction == 0 ? 0 : end + 1 + fraction;
}

}  // namespace

// Collects what nlohmann's parser finds; fields of nested objects under "outer.inner".
class JsonFields final : public nlohmann::json_sax<Json> {
 public:
  JsonFields(JsonRows& rows, LogRow& row) : rows_(rows), row_(row) {}

  const char* problem = nullptr;

  bool null() override {
    if (is_message() && arrays_ == 0 && rows_.columns_.meaning_of(name_).is_read())
      return fail("its text was left out: give journalctl --all");
    if (!starts_.empty() && arrays_ == 0) rows_.noted(name_);
    return value_done();
  }
  bool boolean(bool value) override { return take(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return take(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    if (is_message() && arrays_ > 0) bytes_ += static_cast<char>(value);
    return take(std::to_string(value));
  }
  bool number_float(number_float_t, const string_t& text) override { return take(text); }
  bool string(string_t& text) override { return take(std::move(text)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override {
    if (starts_.size() + static_cast<std::size_t>(arrays_) >= kDeepestJson)
      return fail("nested too deeply");
    starts_.push_back(name_.size());
    if (starts_.size() > 1) name_ += '.';
    return true;
  }
  bool key(string_t& name) override {
    name_.resize(starts_.back() + (starts_.size() > 1 ? 1 : 0));
    name_ += name;
    return true;
  }
  bool end_object() override {
    name_.resize(starts_.back());
    starts_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override {
    if (starts_.empty()) return fail("not a JSON object");
    if (starts_.size() + static_cast<std::size_t>(++arrays_) > kDeepestJson)
      return fail("nested too deeply");
    bytes_.clear();
    return true;
  }
  bool end_array() override {
    if (--arrays_ > 0 || bytes_.empty()) return true;
    return take(std::exchange(bytes_, {}));
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return fail("not a JSON object");
  }

 private:
  bool fail(const char* what) {
    if (problem == nullptr) problem = what;
    return false;
  }

  bool is_message() const { return rows_.use_ == JsonRows::Use::message; }

  bool value_done() { return !starts_.empty() || fail("not a JSON object"); }

  bool take(std::string text) {
    if (arrays_ > 0) return true;
    if (!value_done()) return false;
    const LogColumns::Meaning& meaning = rows_.noted(name_);
    if (!meaning.is_read()) return true;
    rows_.decoded_.push_back(std::move(text));
    return rows_.keep(meaning, rows_.decoded_.back(), row_) || fail("a field comes twice");
  }

  JsonRows& rows_;
  LogRow& row_;
  std::string name_;                 // of the next value
  std::vector<std::size_t> starts_;  // where each open object's own names begin in it
  int arrays_ = 0;
  std::string bytes_;  // of a message
};

const char* JsonRows::parse(std::string_view line, LogRow& row) {
  if (scan(line, row)) return nullptr;
  return read(line, row);
}

// What names mean may have changed with a header.
void JsonRows::begin_own_log() {
  in_order_.clear();
  names_.clear();
  others_.clear();
}

std::unique_ptr<RowParser> JsonRows::copy() const {
  auto copied = std::make_unique<JsonRows>(columns_, use_);
  copied->names_ = names_;
  copied->time_unit_ = time_unit_;
  copied->duration_unit_ = duration_unit_;
  return copied;
}

std::vector<std::string> JsonRows::columns() const {
  std::vector<std::string> all;
  for (const Name& name : names_) all.push_back(name.opening.substr(1, name.opening.size() - 3));
  // Of an object the quick scan knows the name, which is no column; others_ has its members.
  std::erase_if(all, [&](const std::string& name) {
    return std::ranges::any_of(others_, [&](const Name& other) {
      return other.opening == name || other.opening.starts_with(name + '.');
    });
  });
  for (const Name& other : others_) all.push_back(other.opening);
  return all;
}

const LogColumns::Meaning& JsonRows::noted(const std::string& name) {
  const auto known = std::ranges::find(others_, name, &Name::opening);
  if (known != others_.end()) return known->meaning;
  Name other{name, columns_.meaning_of(name)};
  if (others_.size() < kMostNames) return others_.emplace_back(std::move(other)).meaning;
  unnoted_ = std::move(other.meaning);
  return unnoted_;
}

bool JsonRows::keep(const LogColumns::Meaning& meaning, std::string_view text, LogRow& row) {
  if (meaning.field == Field::none) return meaning.set(text, row), true;
  const std::uint32_t bit = 1U << static_cast<unsigned>(meaning.field);
  if (meaning.rank == 0) {
    if ((sure_ & bit) != 0) return false;
    sure_ |= bit;
  } else if (row.has(meaning.field) && (meaning.is_loose() || (loose_ & bit) == 0)) {
    return meaning.set_names(text, row), true;
  }
  loose_ = meaning.is_loose() ? loose_ | bit : loose_ & ~bit;
  meaning.set(text, row);
  if (meaning.unit != TimeUnit::detected) {
    if (meaning.field == Field::time) time_unit_ = meaning.unit;
    if (meaning.field == Field::duration) duration_unit_ = meaning.unit;
  }
  return true;
}

// The name at the start of `rest`. Mostly it is the one at this position of the line before.
const JsonRows::Name* JsonRows::name_at(std::string_view rest, std::size_t position) {
  if (position < in_order_.size() && rest.starts_with(in_order_[position]->opening))
    return in_order_[position];
  const std::size_t end = rest.starts_with('"') ? rest.find('"', 1) : std::string_view::npos;
  if (end == std::string_view::npos || end + 1 >= rest.size() || rest[end + 1] != ':')
    return nullptr;
  const std::string_view opening = rest.substr(0, end + 2);
  const Name* found = nullptr;
  for (const Name& name : names_)
    if (name.opening == opening) found = &name;
  if (found == nullptr && names_.size() < kMostNames)
    found = &names_.emplace_back(
        Name{std::string(opening), columns_.meaning_of(rest.substr(1, end - 1))});
  if (found == nullptr) return nullptr;
  in_order_.resize(position);
  in_order_.push_back(found);
  return found;
}

bool JsonRows::scan(std::string_view line, LogRow& row) {
  if (!line.starts_with('{') || !is_plain(line)) return false;
  row.clear();
  sure_ = loose_ = 0;
  std::string_view rest = line.substr(1);
  for (std::size_t position = 0;; ++position) {
    const Name* name = name_at(rest, position);
    if (name == nullptr) return false;
    rest.remove_prefix(name->opening.size());
    std::size_t length = 0;
    if (rest.starts_with('"')) {
      const std::size_t end = rest.find('"', 1);
      if (end == std::string_view::npos) return false;
      if (name->meaning.is_read() && !keep(name->meaning, rest.substr(1, end - 1), row))
        return false;
      length = end + 1;
    } else if (rest.starts_with("null")) {
      if (use_ == Use::message) return false;
      length = 4;
    } else {
      length = number_length(rest);
      if (length == 0) return false;
      if (name->meaning.is_read() && !keep(name->meaning, rest.substr(0, length), row))
        return false;
    }
    rest.remove_prefix(length);
    if (rest.starts_with('}')) return rest.size() == 1;
    if (!rest.starts_with(',')) return false;
    rest.remove_prefix(1);
  }
}

const char* JsonRows::read(std::string_view line, LogRow& row) {
  row.clear();
  sure_ = loose_ = 0;
  decoded_.clear();
  JsonFields fields(*this, row);
  if (Json::sax_parse(line, &fields)) return nullptr;
  return fields.problem != nullptr ? fields.problem : "not a JSON object";
}

}  // namespace rlctl
