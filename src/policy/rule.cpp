#include "policy/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/units.h"

namespace rlctl {
namespace {

std::string filled(const char* sentence, const Rule& rule) {
  return fmt::format(fmt::runtime(sentence), fmt::arg("limit", format_count(rule.limit)),
                     fmt::arg("window", format_duration(rule.window_us)),
                     fmt::arg("capacity", format_count(rule.capacity)));
}

std::string per_in_words(const Rule& rule) { return rule.per.empty() ? "" : " per " + rule.per; }

}  // namespace

std::int64_t most_at_once(const Rules& rules) {
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const Rule& rule : rules) most = std::min(most, rule.most_at_once());
  return most;
}

std::int64_t most_in_window(const Rules& rules) {
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const Rule& rule : rules) most = std::min(most, rule.most_in_window());
  return most;
}

bool any_window(const Rules& rules) { return std::ranges::any_of(rules, &Rule::has_window); }

bool any_in_flight(const Rules& rules) { return !std::ranges::all_of(rules, &Rule::has_window); }

std::string in_words(const Rule& rule) {
  std::string text = filled(rule.row().summary, rule) + per_in_words(rule);
  if (rule.has_unknown_phase()) text += ", phase unknown";
  if (rule.has_known_phase() && *rule.phase_us != 0)
    text += ", windows begin at " + format_duration(*rule.phase_us);
  if (rule.step_us > 0) text += " by steps of " + format_duration(rule.step_us);
  if (rule.lease_us > 0) text += ", with leases of " + format_duration(rule.lease_us);
  if (rule.counts_denied) text += ", denied requests count";
  if (rule.block_us > 0)
    text += ", blocked for " + format_duration(rule.block_us) + " after a denial";
  return text;
}

std::string in_words(const Rules& rules) {
  std::string text;
  for (const Rule& rule : rules) text += (text.empty() ? "" : " and ") + in_words(rule);
  return text;
}

std::string promise_in_words(const Rules& rules) {
  std::string text;
  for (const Rule& rule : rules)
    text += (text.empty() ? "" : " and ") + filled(rule.row().promise, rule) + per_in_words(rule);
  return text;
}

std::string rate_in_words(const Rule& rule) {
  return filled(rule.row().rate, rule) + per_in_words(rule);
}

std::string found_in_words(const Rule& rule, std::int64_t found, std::int64_t time_us) {
  return fmt::format(fmt::runtime(rule.row().found), fmt::arg("found", format_count(found)),
                     fmt::arg("admissions", counted(found, "admission")),
                     fmt::arg("time", format_duration_for_people(time_us)));
}

std::string span_in_words(const Rule& rule) { return filled(rule.row().span, rule); }

}  // namespace rlctl
