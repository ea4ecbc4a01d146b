#include "inspect/watch/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.h"
#include "base/units.h"
#include "base/utf8.h"

namespace rlctl {
namespace {

std::string percent(double share) {
  const double percent = share * 100;
  return percent < 10 ? fmt::format("{:.2g} %", percent) : fmt::format("{:.0f} %", percent);
}

constexpr std::string_view kSeparators = ":/|{}";

SharedParts parts_of(const std::vector<std::string_view>& names) {
  std::string_view front = names.front(), back = names.front();
  for (const std::string_view name : names) {
    front = front.substr(0, std::ranges::mismatch(front, name).in1 - front.begin());
    const auto differ = std::mismatch(back.rbegin(), back.rend(), name.rbegin(), name.rend()).first;
    back.remove_prefix(static_cast<std::size_t>(back.rend() - differ));
  }
  front = front.substr(0, front.find_last_of(kSeparators) + 1);
  back.remove_prefix(std::min(back.find_first_of(kSeparators), back.size()));
  return {std::string(front), std::string(back)};
}

// A front that is cut needs a column for its "…".
bool fits_behind(std::string_view front, std::string_view rest, std::size_t width) {
  return display_width(rest) + (front.empty() ? 0 : 1) <= width;
}

}  // namespace

std::string load_in_words(const WatchStatus& status) {
  return "load " + percent(status.load) + " of " + percent(status.load_limit);
}

std::string_view kind_of_name(std::string_view name) {
  return name.substr(0, name.find_first_of(kSeparators));
}

PartsOfKinds shared_parts(const std::vector<LimiterRow>& rows) {
  std::map<std::string, std::vector<std::string_view>, std::less<>> kinds;
  for (const LimiterRow& row : rows) kinds[std::string(kind_of_name(row.name))].push_back(row.name);
  PartsOfKinds parts;
  for (const auto& [kind, names] : kinds)
    if (names.size() > 1) parts[kind] = parts_of(names);
  return parts;
}

std::string short_name(const std::string& name, std::size_t width, const SharedParts& shared) {
  const std::string escaped = name_cell(name);
  if (display_width(escaped) <= width) return escaped;
  const bool has_front = !shared.front.empty() && name.starts_with(shared.front);
  const std::string front = has_front ? escape_for_terminal(shared.front) : "";
  std::string_view rest = std::string_view(name).substr(has_front ? shared.front.size() : 0);
  const std::string own = escape_for_terminal(rest);
  if (fits_behind(front, own, width)) return cut_to_width(front, width - display_width(own)) + own;
  rest.remove_suffix(rest.size() > shared.back.size() ? shared.back.size() : 0);
  const std::string least = escape_for_terminal(rest) + (shared.back.empty() ? "" : "…");
  if (fits_behind(front, least, width))
    return cut_to_width(front, width - display_width(least)) + least;
  return cut_in_middle(cut_to_width(front, 1) + least, width);
}

}  // namespace rlctl
