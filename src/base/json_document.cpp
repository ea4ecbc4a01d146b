#include "base/json_document.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <set>

#include "base/escape.h"
#include "base/text.h"
#include "base/utf8.h"

namespace rlctl {
namespace {

constexpr int kDeepest = 64;
constexpr std::size_t kMostValues = 100'000;

bool is_name_letter(char c) { return is_letter(c) || c == '_' || c == '$'; }

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&out](std::uint32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0U | code >> 6U);
  } else if (code < 0x10000) {
    byte(0xE0U | code >> 12U);
    byte(0x80U | (code >> 6U & 0x3FU));
  } else {
    byte(0xF0U | code >> 18U);
    byte(0x80U | (code >> 12U & 0x3FU));
    byte(0x80U | (code >> 6U & 0x3FU));
  }
  byte(0x80U | (code & 0x3FU));
}

// Thrown after a mistake that makes the rest unreadable.
struct Stop {};

class DocumentReader {
 public:
  DocumentReader(std::string_view text, JsonDocument& document)
      : text_(text), document_(document) {}

  void read() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    skip_blanks();
    if (at_ == text_.size()) stop({0, 0}, "the file is empty", "write one JSON object: { … }");
    document_.root = value("", 0);
    skip_blanks();
    if (at_ < text_.size()) report(here(), "", "there is more after the end of the object");
    document_.complete = true;
  }

 private:
  SourceSpan here(std::size_t length = 1) const {
    return {at_, std::min(at_ + length, text_.size())};
  }

  void report(SourceSpan span, std::string pointer, std::string what, std::string hint = {}) {
    document_.problems.push_back({span, std::move(pointer), std::move(what), std::move(hint)});
  }

  [[noreturn]] void stop(SourceSpan span, std::string what, std::string hint = {}) {
    report(span, "", std::move(what), std::move(hint));
    throw Stop{};
  }

  bool at_end() const { return at_ >= text_.size(); }
  bool next_is(char c) const { return !at_end() && text_[at_] == c; }

  void skip_comment() {
    const std::size_t begin = at_;
    const bool block = text_.substr(at_).starts_with("/*");
    if (!block && !text_.substr(at_).starts_with("//"))
      stop(here(), "a lone slash", "comments are // … or /* … */");
    const std::size_t end = text_.find(block ? "*/" : "\n", at_ + 2);
    if (block && end == std::string_view::npos)
      stop({begin, begin + 2}, "this comment never ends", "close it with */");
    at_ = end == std::string_view::npos ? text_.size() : end + (block ? 2 : 1);
  }

  void skip_blanks() {
    while (!at_end()) {
      const char c = text_[at_];
      if (c == '/') {
        skip_comment();
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else {
        return;
      }
    }
  }

  JsonValue value(const std::string& pointer, int depth) {
    if (depth > kDeepest)
      stop(here(), fmt::format("nested more than {} levels deep", kDeepest), "use fewer levels");
    if (++values_ > kMostValues) stop(here(), "more values than a scenario can have");
    if (at_end()) stop({text_.size(), text_.size()}, "the file ends in the middle of a value");
    JsonValue result;
    result.span.begin = at_;
    const char c = text_[at_];
    if (c == '{') {
      object(result, pointer, depth);
    } else if (c == '[') {
      array(result, pointer, depth);
    } else if (c == '"') {
      result.kind = JsonKind::string;
      string(result);
    } else if (is_digit(c) || c == '-') {
      number(result);
    } else {
      word(result);
    }
    result.span.end = at_;
    return result;
  }

  // After a value: true if there is another one. Reports missing and extra commas.
  bool another(char close, SourceSpan open) {
    skip_blanks();
    if (next_is(close)) return ++at_, false;
    if (at_end())
      stop(open, fmt::format("this {} is never closed", text_[open.begin]),
           fmt::format("the file ends without its {}", close));
    if (!next_is(',')) {
      const bool value_comes = next_is('"') || next_is('{') || next_is('[');
      if (!value_comes) stop(here(), fmt::format("expected , or {}", close), "");
      report({at_, at_ + 1}, "", "a comma is missing before this");
      return true;
    }
    const SourceSpan comma = here();
    ++at_;
    skip_blanks();
    if (!next_is(close)) return true;
    report(comma, "", "a comma after the last entry", "remove it");
    return ++at_, false;
  }

  void array(JsonValue& result, const std::string& pointer, int depth) {
    result.kind = JsonKind::array;
    const SourceSpan open = here();
    ++at_;
    skip_blanks();
    if (next_is(']')) return void(++at_);
    do {
      skip_blanks();
      result.items.push_back(value(pointer_to(pointer, result.items.size()), depth + 1));
    } while (another(']', open));
  }

  void object(JsonValue& result, const std::string& pointer, int depth) {
    result.kind = JsonKind::object;
    const SourceSpan open = here();
    ++at_;
    skip_blanks();
    if (next_is('}')) return void(++at_);
    std::set<std::string> names;
    do {
      skip_blanks();
      member(result, names, pointer, depth);
    } while (another('}', open));
  }

  void member(JsonValue& object, std::set<std::string>& names, const std::string& pointer,
              int depth) {
    if (!next_is('"')) {
      if (at_end()) stop(here(), "the file ends where a name is expected");
      std::size_t end = at_;
      while (end < text_.size() && is_name_letter(text_[end])) ++end;
      stop({at_, std::max(end, at_ + 1)}, "expected a name in double quotes",
           end > at_ ? fmt::format("write \"{}\"", text_.substr(at_, end - at_)) : "");
    }
    JsonValue name;
    name.span.begin = at_;
    string(name);
    name.span.end = at_;
    const std::string inner = pointer_to(pointer, name.text);
    skip_blanks();
    if (!next_is(':')) stop(here(), "expected : after the name " + in_quotes(name.text));
    ++at_;
    skip_blanks();
    JsonValue content = value(inner, depth + 1);
    if (!names.insert(name.text).second) {
      report(name.span, inner, in_quotes(name.text) + " comes twice", "keep one of them");
      return;
    }
    object.members.push_back({std::move(name.text), name.span, std::move(content)});
  }

  void number(JsonValue& result) {
    result.kind = JsonKind::number;
    const std::size_t begin = at_;
    while (!at_end() && (is_digit(text_[at_]) || is_name_letter(text_[at_]) || text_[at_] == '.' ||
                         text_[at_] == '-' || text_[at_] == '+'))
      ++at_;
    result.text = std::string(text_.substr(begin, at_ - begin));
    if (is_number(result.text)) return;
    const bool bare_unit = is_name_letter(result.text.back());
    report({begin, at_}, "", in_quotes(result.text) + " is not a number",
           bare_unit ? "a value with a unit goes in double quotes: \"" + result.text + "\"" : "");
    result.told = true;
  }

  static bool is_number(std::string_view text) {
    std::size_t at = text.starts_with('-') ? 1 : 0;
    const auto digits = [&text, &at] {
      const std::size_t begin = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return at - begin;
    };
    const bool zero = at < text.size() && text[at] == '0';
    const std::size_t whole = digits();
    if (whole == 0 || (zero && whole > 1)) return false;
    if (at < text.size() && text[at] == '.' && (++at, digits() == 0)) return false;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
      ++at;
      if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
      if (digits() == 0) return false;
    }
    return at == text.size();
  }

  void word(JsonValue& result) {
    const std::size_t begin = at_;
    while (!at_end() && (is_name_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view text = text_.substr(begin, at_ - begin);
    if (text == "null") return;
    result.kind = JsonKind::boolean;
    result.boolean = text == "true";
    if (text == "true" || text == "false") return;
    if (text.empty()) stop_at_odd_byte();
    stop({begin, at_}, in_quotes(text) + " is not JSON",
         text == "NaN" || text == "Infinity"
             ? "JSON has no such number"
             : fmt::format("text goes in double quotes: \"{}\"", text));
  }

  [[noreturn]] void stop_at_odd_byte() {
    if (next_is('\'')) stop(here(), "single quotes are not JSON", "write \"…\"");
    const Character odd = first_character(text_.substr(at_));
    stop(here(odd.length), in_quotes(text_.substr(at_, odd.length)) + " where a value is expected");
  }

  void string(JsonValue& result) {
    const std::size_t begin = at_++;
    result.plain = true;
    while (!next_is('"')) {
      if (at_end() || text_[at_] == '\n')
        stop({begin, at_}, "this text is never closed", "end it with a double quote");
      if (text_[at_] == '\\') {
        result.plain = false;
        escape(result.text);
        continue;
      }
      const Character character = first_character(text_.substr(at_));
      if (!character.valid) stop(here(), "a byte that is not UTF-8", "save the file as UTF-8");
      if (character.code < 0x20)
        stop(here(), "a control character in a text",
             fmt::format("write \\u{:04x}", static_cast<unsigned>(character.code)));
      result.text += text_.substr(at_, character.length);
      at_ += character.length;
    }
    ++at_;
  }

  void escape(std::string& out) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t begin = at_++;
    const char name = at_end() ? '\0' : text_[at_];
    if (const std::size_t index = kNames.find(name); index != kNames.npos && name != '\0') {
      out += kMeanings[index];
      ++at_;
      return;
    }
    const std::optional<std::uint32_t> code = name == 'u' ? code_point() : std::nullopt;
    if (!code) {
      stop({begin, std::min(at_ + 1, text_.size())}, "this is not a JSON escape",
           "a backslash itself is written \\\\");
    }
    append_utf8(out, *code);
  }

  // \uXXXX, or a pair of them for one character. Half a pair is an error.
  std::optional<std::uint32_t> code_point() {
    const std::optional<std::uint32_t> first = unit();
    if (!first || *first < 0xD800 || *first > 0xDFFF) return first;
    if (*first > 0xDBFF || !text_.substr(at_).starts_with("\\u")) return std::nullopt;
    ++at_;
    const std::optional<std::uint32_t> second = unit();
    if (!second || *second < 0xDC00 || *second > 0xDFFF) return std::nullopt;
    return 0x10000U + ((*first - 0xD800U) << 10U) + (*second - 0xDC00U);
  }

  // Reads four hex digits; at_ is at the u before them.
  std::optional<std::uint32_t> unit() {
    if (text_.size() - at_ < 5) return std::nullopt;
    std::uint32_t code = 0;
    for (std::size_t i = 1; i <= 4; ++i) {
      const int digit = hex_value(text_[at_ + i]);
      if (digit < 0) return std::nullopt;
      code = code << 4U | static_cast<std::uint32_t>(digit);
    }
    at_ += 5;
    return code;
  }

  std::string_view text_;
  JsonDocument& document_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  for (const JsonMember& member : members)
    if (member.name == name) return &member.value;
  return nullptr;
}

JsonDocument parse_json_document(std::string_view text) {
  JsonDocument document;
  if (text.size() > kLongestJsonBytes) {
    document.problems.push_back({{0, 0}, "", "the file is larger than 1 MiB", ""});
    return document;
  }
  try {
    DocumentReader(text, document).read();
  } catch (const Stop&) {
    // The reason is the last of the problems.
  }
  return document;
}

SourceSpan span_in_text(const JsonValue& value, SourceSpan part) {
  if (!value.plain) return value.span;
  return {value.span.begin + 1 + part.begin, value.span.begin + 1 + part.end};
}

const char* name_of(JsonKind kind) {
  constexpr std::array kNames{"null", "true or false", "a number", "a text", "a list", "an object"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string pointer_to(const std::string& parent, std::string_view name) {
  std::string pointer = parent + '/';
  for (const char c : name) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

std::string pointer_to(const std::string& parent, std::size_t index) {
  return parent + '/' + std::to_string(index);
}

}  // namespace rlctl
