#include "io/redis/script_error.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace rlctl {
namespace {

constexpr std::string_view kScript = "user_script:";
constexpr std::string_view kStrictLua = "enable_strict_lua:";  // Redis's own, around ours

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_name(std::string_view error) {
  const auto name = error.rfind(" script: ");
  return name != error.npos && error.find(", on @", name) != error.npos ? error.substr(0, name)
                                                                        : error;
}

// Removes "@NAME7: ", "@NAME 7: " and "NAME7: ".
void remove_places(std::string& text, std::string_view name) {
  for (auto at = text.find(name); at != text.npos; at = text.find(name, at)) {
    const std::size_t begin = at > 0 && text[at - 1] == '@' ? at - 1 : at;
    std::size_t end = text.find_first_not_of(' ', at + name.size());
    while (end < text.size() && is_digit(text[end])) ++end;
    if (text.compare(std::min(end, text.size()), 2, ": ") != 0) {
      ++at;
      continue;
    }
    text.erase(begin, end + 2 - begin);
    at = begin;
  }
}

std::size_t line_in(std::string_view error) {
  const auto at = error.rfind(kScript);
  if (at == error.npos) return 0;
  std::string_view rest = error.substr(at + kScript.size());
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  const auto digits = rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size()));
  return parse_whole<std::size_t>(digits).value_or(0);
}

// A code, such as WRONGTYPE, is the first word.
bool has_code(std::string_view text) {
  const std::string_view first = take_until(text, ' ');
  return !first.empty() && std::ranges::all_of(first, [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

ScriptError read_script_error(std::string_view error) {
  ScriptError result{std::string(without_name(error)), line_in(error)};
  std::string& message = result.message;
  const auto name_end = message.find("): ");
  const bool is_wrapped =
      message.starts_with("ERR Error running script (call to f_") && name_end != message.npos;
  if (is_wrapped) message.erase(0, name_end + 3);
  remove_places(message, kScript);
  if (!is_wrapped) return result;
  remove_places(message, kStrictLua);
  result.is_refusal = message.starts_with('-');
  if (result.is_refusal) message.erase(0, 1);
  message.resize(message.find_last_not_of(' ') + 1);
  if (!has_code(message)) message.insert(0, "ERR ");
  return result;
}

}  // namespace rlctl
