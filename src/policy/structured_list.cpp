#include "policy/structured_list.h"

#include <algorithm>

#include "base/header_field.h"
#include "base/text.h"

namespace rlctl {
namespace {

using Dictionary = std::vector<std::pair<std::string, ListItem>>;

constexpr std::size_t kMostDigits = 15;  // RFC 9651, section 3.3.1

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }
bool continues_token(char c) { return is_token_character(c) || is_one_of(c, ":/"); }

// Section 4.2: reads from the front. After the first error, `ok` stays false.
class StructuredReader {
 public:
  explicit StructuredReader(std::string_view text) : rest_(text) { skip(" "); }

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

  ListItem item() {
    ListItem item;
    item.value = bare_item();
    parameters(item);
    return item;
  }

  // A member of a dictionary; `name` alone means true.
  std::pair<std::string, ListItem> member() {
    std::string name = key();
    if (take('=')) return {std::move(name), item()};
    ListItem flag;
    parameters(flag);
    return {std::move(name), std::move(flag)};
  }

  // Goes to the next member; false at the end. A comma without a member after it is malformed.
  bool another() {
    skip(" \t");
    if (at_end() || !ok_) return false;
    if (!take(',')) fail();
    skip(" \t");
    if (at_end()) fail();
    return ok_;
  }

 private:
  void fail() { ok_ = false; }

  void skip(std::string_view set) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(set), rest_.size()));
  }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view take_while(bool (*fits)(char)) {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), fits);
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string key() {
    if (rest_.empty() || !(is_lower(rest_.front()) || rest_.front() == '*')) {
      fail();
      return {};
    }
    return std::string(
        take_while([](char c) { return is_lower(c) || is_digit(c) || is_one_of(c, "_-.*"); }));
  }

  void parameters(ListItem& item) {
    while (ok_ && take(';')) {
      skip(" ");
      std::string name = key();
      BareItem value;
      if (take('=')) value = bare_item();
      const auto same = std::find_if(item.parameters.begin(), item.parameters.end(),
                                     [&](const auto& known) { return known.first == name; });
      if (same != item.parameters.end()) item.parameters.erase(same);
      item.parameters.emplace_back(std::move(name), std::move(value));
    }
  }

  BareItem bare_item() {
    const char first = rest_.empty() ? '\0' : rest_.front();
    if (first == '"') return string();
    if (first == '-' || is_digit(first)) return number();
    if (is_letter(first) || first == '*')
      return {BareItem::Kind::token, 0, std::string(take_while(continues_token))};
    return other(first);
  }

  BareItem string() {
    BareItem item{BareItem::Kind::string, 0, {}};
    take('"');
    while (ok_ && !take('"')) {
      const bool escaped = take('\\');
      const char c = rest_.empty() ? '\0' : rest_.front();
      if (c < 0x20 || c > 0x7e || (escaped && c != '"' && c != '\\')) {
        fail();
      } else {
        item.text += c;
        rest_.remove_prefix(1);
      }
    }
    return item;
  }

  BareItem number() {
    BareItem item{BareItem::Kind::integer, 0, {}};
    const bool negative = take('-');
    const std::string_view digits = take_while(is_digit);
    if (digits.empty() || digits.size() > kMostDigits) fail();
    for (const char digit : digits.substr(0, kMostDigits))
      item.integer = item.integer * 10 + (digit - '0');
    if (negative) item.integer = -item.integer;
    if (take('.')) {
      const std::size_t decimals = take_while(is_digit).size();
      if (decimals < 1 || decimals > 3 || digits.size() > 12) fail();
      item.kind = BareItem::Kind::other;
    }
    return item;
  }

  // Reads the types that our fields do not use, but that may appear in unknown parameters.
  BareItem other(char first) {
    rest_.remove_prefix(rest_.empty() ? 0 : 1);
    if (first == '?') {
      if (!take('0') && !take('1')) fail();
    } else if (first == ':') {
      take_while([](char c) { return is_letter(c) || is_digit(c) || is_one_of(c, "+/="); });
      if (!take(':')) fail();
    } else if (first == '@') {
      if (number().kind != BareItem::Kind::integer) fail();
    } else if (first == '%' && !rest_.empty() && rest_.front() == '"') {
      string();
    } else {
      fail();
    }
    return {};
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

const BareItem* ListItem::parameter(std::string_view name) const {
  for (const auto& [known, item] : parameters)
    if (known == name) return &item;
  return nullptr;
}

std::optional<std::int64_t> ListItem::integer(std::string_view name) const {
  const BareItem* found = parameter(name);
  if (found == nullptr || found->kind != BareItem::Kind::integer) return std::nullopt;
  return found->integer;
}

std::optional<std::vector<ListItem>> parse_structured_list(std::string_view text) {
  StructuredReader reader(text);
  std::vector<ListItem> list;
  if (reader.at_end()) return list;
  do list.push_back(reader.item());
  while (reader.another());
  return reader.ok() ? std::optional(std::move(list)) : std::nullopt;
}

std::optional<Dictionary> parse_structured_dictionary(std::string_view text) {
  StructuredReader reader(text);
  Dictionary dictionary;
  if (reader.at_end()) return dictionary;
  do dictionary.push_back(reader.member());
  while (reader.another());
  return reader.ok() ? std::optional(std::move(dictionary)) : std::nullopt;
}

std::string format_structured_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c >= 0x20 && c <= 0x7e ? c : '_';
  }
  return quoted + '"';
}

}  // namespace rlctl
