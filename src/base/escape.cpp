#include "base/escape.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/template_text.h"
#include "base/text.h"
#include "base/utf8.h"

namespace rlctl {
namespace {

// Control characters, and characters that are invisible or move their neighbours.
constexpr CodeRange kHidden[] = {
    {0x0000, 0x001F},    // C0
    {0x005C, 0x005C},    // the backslash: it starts our own escapes
    {0x007F, 0x009F},    // DEL, C1
    {0x00AD, 0x00AD},    // soft hyphen
    {0x034F, 0x034F},    // combining grapheme joiner
    {0x061C, 0x061C},    // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x17B4, 0x17B5},    // Khmer inherent vowels
    {0x180B, 0x180F},    // Mongolian selectors
    {0x200B, 0x200F},    // zero width, LRM, RLM
    {0x2028, 0x202E},    // line and paragraph separators, bidi embeddings
    {0x2060, 0x206F},    // word joiner, invisible operators, bidi isolates
    {0x2800, 0x2800},    // braille blank
    {0x3164, 0x3164},    // Hangul filler
    {0xE000, 0xF8FF},    // private use: the look depends on the font
    {0xFDD0, 0xFDEF},    // noncharacters
    {0xFE00, 0xFE0F},    // variation selectors
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFA0, 0xFFA0},    // Hangul filler
    {0xFFF0, 0xFFFB},    // interlinear annotations
    {0x1BCA0, 0x1BCA3},  // shorthand format controls
    {0x1D173, 0x1D17A},  // musical format controls
    {0xE0000, 0x10FFFF}  // tags, selectors, private use
};

bool is_shown(const Character& character) {
  if (!character.valid || (character.code & 0xFFFEU) == 0xFFFEU) return false;
  return !contains(kHidden, character.code);
}

void append_escaped(std::string& out, std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += "\\x";
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
}

int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

void append_markup(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      default:
        out += c;
    }
  }
}

// What makes a spreadsheet calculate, also behind blanks; and our own mark, to tell it apart.
bool is_taken_for_formula(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first != std::string_view::npos &&
         std::string_view("=+-@'\t\r").find(text[first]) != std::string_view::npos;
}

std::string escaped(std::string_view bytes, bool keeps_backslash) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const Character character = first_character(bytes);
    const std::string_view own = bytes.substr(0, character.length);
    if (is_shown(character) || (keeps_backslash && own == "\\")) {
      out += own;
    } else {
      append_escaped(out, own);
    }
    bytes.remove_prefix(character.length);
  }
  return out;
}

}  // namespace

std::string escape_for_terminal(std::string_view bytes) { return escaped(bytes, false); }

std::string escape_command(std::string_view line) { return escaped(line, true); }

std::optional<std::string> unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (i + 3 >= text.size() || text[i + 1] != 'x') return std::nullopt;
    const int high = hex_value(text[i + 2]);
    const int low = hex_value(text[i + 3]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 3;
  }
  return out;
}

std::string in_quotes(std::string_view bytes, std::size_t most) {
  if (bytes.size() <= most) return "'" + escape_for_terminal(bytes) + "'";
  std::size_t end = most;  // back to the start of the character that would be cut
  while (end > 0 && most - end < 3 && (static_cast<unsigned char>(bytes[end]) & 0xC0U) == 0x80U)
    --end;
  return "'" + escape_for_terminal(bytes.substr(0, end)) + "'...";
}

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j)
      group = (group << 8U) | (j < here ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      out += j <= here ? kDigits[(group >> (18 - 6 * j)) & 63U] : '=';
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string out;
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < text.size() - padding; ++i) {
    const int value = base64_value(text[i]);
    if (value < 0) return std::nullopt;
    group = (group << 6U) | static_cast<std::uint32_t>(value);
    if (i % 4 > 0) out += static_cast<char>((group >> (6U - 2U * (i % 4))) & 0xFFU);
  }
  return out;
}

std::string xml_escape(std::string_view bytes, bool lines) {
  // Backslashes are kept: text that is already escaped must not be escaped again.
  std::string out;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find_first_of("\\\n"), bytes.size());
    append_markup(out, escape_for_terminal(bytes.substr(0, end)));
    if (end < bytes.size()) out += bytes[end] == '\\' ? "\\" : lines ? "\n" : "\\x0a";
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return out;
}

std::string protected_cell(std::string_view text) {
  return is_taken_for_formula(text) ? "'" + std::string(text) : std::string(text);
}

std::string_view unprotected_cell(std::string_view cell) {
  const bool marked = cell.starts_with('\'') && is_taken_for_formula(cell.substr(1));
  return marked ? cell.substr(1) : cell;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return std::string(word);
  // A shell reads our own escapes in $'...', but nothing in '...'.
  const bool is_printable = escape_command(word) == word;
  const std::string text = is_printable ? std::string(word) : escape_for_terminal(word);
  std::string quoted = is_printable ? "'" : "$'";
  for (const char c : text) {
    if (c == '\'')
      quoted += is_printable ? "'\\''" : "\\x27";
    else
      quoted += c;
  }
  return quoted + "'";
}

namespace {

// Whether the value of such a name must not be shown.
bool is_secret(std::string_view name, std::string_view value) {
  constexpr std::array<std::string_view, 10> kSecret{
      "auth", "cookie", "token", "key", "secret", "pass", "pwd", "credential", "session", "sig"};
  const std::string lower = lower_case(name);
  const auto has = [&](std::string_view part) { return lower.find(part) != lower.npos; };
  const auto is_word = [](const TemplatePart& part) {
    return part.kind != TemplatePart::Kind::text;
  };
  return std::ranges::any_of(kSecret, has) && std::ranges::none_of(template_parts(value), is_word);
}

// Where the host begins, behind "user:password@". What ends before a '/' is no host if its port is
// no number: the password has the '/'.
std::size_t host_of(std::string_view url, std::size_t from) {
  const std::size_t end = std::min(url.find_first_of("/?#", from), url.size());
  const std::string_view authority = url.substr(from, end - from);
  const std::size_t colon = std::min(authority.rfind(':'), authority.size());
  const bool is_whole = url.starts_with("http") &&
                        authority.substr(colon).find_first_not_of(":0123456789") == url.npos;
  const std::size_t at =
      url.rfind('@', is_whole || authority.find('@') != url.npos ? end : url.npos);
  return at == url.npos || at < from ? from : at + 1;
}

std::string shown_query(std::string_view query, const ShownSecret& shown) {
  std::string text;
  bool is_first = true;
  for (const std::string_view part : split(query, '&')) {
    const std::size_t equals = part.find('=');
    if (!std::exchange(is_first, false)) text += '&';
    text += part.substr(0, equals);
    if (equals != part.npos)
      text += "=" + without_secret(part.substr(0, equals), part.substr(equals + 1), shown);
  }
  return text;
}

}  // namespace

std::string three_dots(std::string_view) { return "..."; }

std::string without_secret(std::string_view name, std::string_view value,
                           const ShownSecret& shown) {
  return is_secret(name, value) ? shown(name) : std::string(value);
}

std::string without_secrets(std::string_view url, const ShownSecret& shown) {
  std::string text;
  if (const std::size_t scheme = url.find("://"); scheme != url.npos) {
    const std::size_t from = scheme + 3;
    const std::size_t host = host_of(url, from);
    text = std::string(url.substr(0, from)) + (host > from ? shown("credentials") + "@" : "");
    url.remove_prefix(host);
  }
  const std::size_t query = std::min(url.find('?'), url.size());
  const std::size_t fragment = std::min(url.find('#', query), url.size());
  text += url.substr(0, query);
  if (query < fragment)
    text += "?" + shown_query(url.substr(query + 1, fragment - query - 1), shown);
  return text + std::string(url.substr(fragment));
}

std::string without_credential(std::string_view header) {
  const std::size_t colon = header.find(':');
  const bool hides =
      colon != header.npos && is_secret(header.substr(0, colon), header.substr(colon));
  return hides ? std::string(header.substr(0, colon)) + ": ..." : std::string(header);
}

std::string shown_value(std::string_view option, std::string_view value) {
  // Also what others call it: a message repeats a line that rlctl does not understand.
  constexpr std::string_view kHidden[] = {"-a", "--pass", "--password", "--auth", "--body"};
  if (std::ranges::find(kHidden, option) != std::end(kHidden)) return "...";
  return option == "--header" || option == "-H" ? without_credential(value)
                                                : without_secrets(value);
}

std::string shown_word(std::string_view before, std::string_view word) {
  if (word.starts_with("-a") && word.size() > 2) return "-a...";
  if (word.starts_with("-H") && word.size() > 2) return without_credential(word);
  const std::size_t equals = word.starts_with("--") ? word.find('=') : word.npos;
  if (equals == word.npos) return shown_value(before, word);
  return std::string(word.substr(0, equals + 1)) +
         shown_value(word.substr(0, equals), word.substr(equals + 1));
}

}  // namespace rlctl
