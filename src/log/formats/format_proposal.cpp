#include "log/formats/format_proposal.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "base/host_address.h"
#include "base/json.h"
#include "base/text.h"
#include "base/timestamp.h"

namespace rlctl {
namespace {

struct Part {
  std::string_view value;
  char quote = '\0';     // what it is enclosed by: " or [
  std::string variable;  // "time_local"; empty: nothing is known of it
};

// Separated by blanks; what is in quotes or brackets is one part.
std::vector<Part> parts_of(std::string_view line) {
  constexpr std::size_t kMost = 24;
  std::vector<Part> parts;
  while (!line.empty() && parts.size() < kMost) {
    Part part;
    if (line.front() == '"' || line.front() == '[') part.quote = line.front();
    const char closing = part.quote == '[' ? ']' : part.quote == '"' ? '"' : ' ';
    if (part.quote != '\0') line.remove_prefix(1);
    const std::size_t end = std::min(line.find(closing), line.size());
    part.value = line.substr(0, end);
    line.remove_prefix(std::min(line.size(), end + 1));
    if (part.quote != '\0' && line.starts_with(' ')) line.remove_prefix(1);
    parts.push_back(part);
  }
  return parts;
}

bool is_time(std::string_view text) {
  const bool number = text.find_first_not_of("0123456789.") == std::string_view::npos;
  return number ? likely_unit(text) == TimeUnit::seconds && text.size() >= 10
                : parse_calendar_time(text).has_value();
}

bool is_status(std::string_view text) {
  const auto status = parse_whole<int>(text);
  return text.size() == 3 && status && *status >= 100 && *status < 600;
}

bool is_request(std::string_view text) {
  return std::count(text.begin(), text.end(), ' ') == 2 && text.find(" HTTP/") != text.npos;
}

struct Look {
  const char* variable;
  const char* words;
  bool (*is)(std::string_view);
};

constexpr Look kLooks[] = {
    {"time_local", "a time", is_time},
    {"remote_addr", "an address",
     [](std::string_view text) { return parse_host_address(text).has_value(); }},
    {"status", "a status", is_status},
    {"request", "a request", is_request},
};

// Each look counts once: the first part that has it.
std::string name_parts(std::vector<Part>& parts) {
  std::string found;
  for (const Look& look : kLooks) {
    const auto part = std::ranges::find_if(
        parts, [&](const Part& p) { return p.variable.empty() && look.is(p.value); });
    if (part == parts.end()) continue;
    part->variable = look.variable;
    found +=
        fmt::format("{}{} {}", found.empty() ? "" : ", ", look.words, in_quotes(part->value, 40));
  }
  return found;
}

std::string layout_of(const std::vector<Part>& parts) {
  std::string layout;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    const std::string name = part.variable.empty() ? fmt::format("v{}", i + 1) : part.variable;
    const char* const closing = part.quote == '[' ? "]" : part.quote == '"' ? "\"" : "";
    layout += i == 0 ? "" : " ";
    if (part.quote != '\0') layout += part.quote;
    layout += "$" + name + closing;
  }
  return layout;
}

using Member = std::pair<std::string, std::string>;

// Members of members are named with dots, as JsonRows names them. What is nested deeper is no row.
void add_members(const Json& object, const std::string& prefix, std::size_t depth,
                 std::vector<Member>& members) {
  constexpr std::size_t kMost = 24;
  for (const auto& [name, value] : object.items()) {
    if (members.size() >= kMost || depth > kDeepestJson) return;
    if (value.is_object())
      add_members(value, prefix + name + ".", depth + 1, members);
    else if (!value.is_array())
      members.emplace_back(prefix + name,
                           value.is_string() ? value.get<std::string>() : dump_json(value));
  }
}

std::string option_for(const std::vector<Member>& members, const char* option,
                       bool (*is)(std::string_view)) {
  const auto found = std::ranges::find_if(members, is, &Member::second);
  if (found == members.end()) return {};
  return fmt::format(" {} {}", option, shell_word(found->first));
}

}  // namespace

std::string column_proposal(std::string_view json_line) {
  const Json object = Json::parse(json_line, nullptr, false);
  if (!object.is_object()) return {};
  std::vector<Member> members;
  add_members(object, "", 1, members);
  std::string text;
  for (const auto& [name, value] : members)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", escape_for_terminal(name),
                        in_quotes(value, 30));
  const std::string options = option_for(members, "--time-column", kLooks[0].is) +
                              option_for(members, "--key-column", kLooks[1].is) +
                              option_for(members, "--status-column", kLooks[2].is);
  return options.empty() ? text : text + "; if that is right, add" + options;
}

std::string format_proposal(std::string_view line) {
  std::vector<Part> parts = parts_of(line);
  const std::string found = name_parts(parts);
  if (found.find("a time") == std::string::npos) return {};
  return fmt::format("its first line has {}; if that is right, add --format '{}'", found,
                     layout_of(parts));
}

}  // namespace rlctl
