#include "inspect/watch/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.h"
#include "base/units.h"
#include "base/utf8.h"

namespace rlctl {
namespace {

// The last `width` columns of the text.
std::string_view tail_of(std::string_view text, std::size_t width) {
  while (display_width(text) > width) text.remove_prefix(first_character(text).length);
  return text;
}

std::string percent(double share) {
  const double percent = share * 100;
  return percent < 10 ? fmt::format("{:.2g} %", percent) : fmt::format("{:.0f} %", percent);
}

}  // namespace

std::string load_in_words(const WatchStatus& status) {
  return "load " + percent(status.load) + " of " + percent(status.load_limit);
}

std::string common_front(const std::vector<LimiterRow>& rows) {
  if (rows.size() < 2) return {};
  std::string front = rows.front().name;
  for (const LimiterRow& row : rows) {
    const auto differ = std::ranges::mismatch(front, row.name).in1;
    front.erase(differ, front.end());
  }
  return front.substr(0, front.rfind(':') + 1);
}

std::string short_name(const std::string& name, std::size_t width, const std::string& front) {
  std::string escaped = escape_for_terminal(name);
  if (display_width(escaped) <= width) return escaped;
  if (!front.empty() && name.starts_with(front)) {
    escaped = "…" + escape_for_terminal(name.substr(front.size()));
    if (display_width(escaped) <= width) return escaped;
  }
  if (width < 8) return cut_to_width(escaped, width);
  const std::size_t head = width / 3;
  // The first part ends with the sign that marks the cut.
  return cut_to_width(escaped, head + 1) + std::string(tail_of(escaped, width - head - 1));
}

}  // namespace rlctl
