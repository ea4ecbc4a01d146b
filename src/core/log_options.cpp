#include "core/log_options.h"

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/escape.h"

namespace rlctl {
namespace {

Error wrong_status(std::string_view text, std::string_view field) {
  return Error(Exit::usage, std::string(field) + ": " + in_quotes(text) + " is no HTTP status",
               "give three digits, a range or a list: 200-399,404");
}

int parse_status(std::string_view text, std::string_view field) {
  int status = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), status);
  if (error != std::errc() || end != text.data() + text.size() || status < 100 || status > 999)
    throw wrong_status(text, field);
  return status;
}

}  // namespace

StatusSet::StatusSet(std::string_view text, std::string_view field) {
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    more = comma != std::string_view::npos;
    const std::string_view part = text.substr(0, comma);
    const std::size_t dash = part.find('-');
    const int first = parse_status(part.substr(0, dash), field);
    const int last =
        dash == std::string_view::npos ? first : parse_status(part.substr(dash + 1), field);
    if (last < first) throw wrong_status(part, field);
    ranges_.push_back({first, last});
    if (more) text.remove_prefix(comma + 1);
  }
}

bool StatusSet::has(int status) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
    return status >= range.first && status <= range.last;
  });
}

}  // namespace rlctl
