#include "plan/request_filter.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/escape.h"

namespace rlctl {
namespace {

constexpr std::string_view kStatus = "status";

// By value of the column, so that a pattern is tried once for each.
std::vector<bool> fits_by_value(const NamedValues& values, std::string_view pattern) {
  std::vector<bool> fits;
  for (const std::string& value : values.values) fits.push_back(fits_pattern(pattern, value));
  fits.front() = false;  // no value
  return fits;
}

std::vector<bool> fitting(const Log& log, const RequestFilter& filter) {
  std::vector<bool> all(log.records.size());
  if (filter.column == kStatus) {
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = filter.statuses.has(log.records[i].status);
    return all;
  }
  const auto values = std::ranges::find(log.names, filter.column, &NamedValues::name);
  if (values == log.names.end() || values->values.size() < 2)
    throw Error(Exit::usage, "the log has no column " + in_quotes(filter.column),
                "if it has another name, add --name-column " + filter.column + "=COLUMN");
  const std::vector<bool> fits = fits_by_value(*values, filter.pattern);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = fits[values->number_of(i)];
  return all;
}

}  // namespace

bool fits_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

RequestFilter parse_request_filter(std::string_view text, std::string_view option) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos || equals + 1 == text.size())
    throw Error(Exit::usage,
                std::string(option) + ": " + in_quotes(text) + " is not COLUMN=PATTERN",
                "for example " + std::string(option) + " 'path=/api/*'; * stands for any text");
  RequestFilter filter{
      std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)), {}};
  if (filter.column == kStatus) filter.statuses = StatusSet(filter.pattern, option);
  return filter;
}

std::vector<bool> looked_at(const Log& log, const std::vector<RequestFilter>& only,
                            const std::vector<RequestFilter>& exclude) {
  std::vector<bool> kept(log.records.size(), true);
  std::map<std::string, std::vector<bool>> by_column;
  for (const RequestFilter& filter : only) {
    const std::vector<bool> fits = fitting(log, filter);
    std::vector<bool>& any = by_column.try_emplace(filter.column, kept.size(), false).first->second;
    for (std::size_t i = 0; i < any.size(); ++i) any[i] = any[i] || fits[i];
  }
  for (const auto& [column, any] : by_column)
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = kept[i] && any[i];
  for (const RequestFilter& filter : exclude) {
    const std::vector<bool> fits = fitting(log, filter);
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = kept[i] && !fits[i];
  }
  return kept;
}

}  // namespace rlctl
