#include "report/page/cells.h"

#include <fmt/format.h>

#include <cmath>

#include "base/units.h"
#include "policy/rules_text.h"

namespace rlctl {

ReportCell number_cell(const Number& number, int decimals) {
  // A double represents every whole number exactly only up to here (2^53).
  constexpr double kMostWhole = 9'007'199'254'740'992.0;
  const auto value = number.approximately();
  if (!value) return {"-", std::nullopt, Mood::neutral};
  const bool whole = decimals == 0 && std::abs(*value) < kMostWhole;
  return {whole ? format_count(std::llround(*value)) : fmt::format("{:.{}f}", *value, decimals),
          *value, Mood::neutral};
}

ReportCell time_cell(const Number& time) {
  if (!time.is_known()) return {"-", std::nullopt, Mood::neutral};
  const std::int64_t us = time.whole();
  return {format_duration_for_people(us), static_cast<double>(us), Mood::neutral};
}

ReportCell text_cell(std::string text, Mood mood) { return {std::move(text), std::nullopt, mood}; }

ReportCell text_cell(const Text& text) { return text_cell(text.shown()); }

ReportCell verdict_cell(const Text& word) {
  const std::string shown = word.shown();
  return text_cell(shown.empty() ? "-" : shown, mood_of_word(shown));
}

std::string outcome_word(const std::string& outcome) {
  if (outcome == "inconclusive") return "could not tell";
  return outcome == "could_not_run" ? "could not run" : outcome;
}

Rules rules_of(const std::vector<RuleDocument>& rules) {
  TextMistake mistake;
  return read_rules(shown(rules), mistake).value_or(Rules());
}

std::string rules_in_words(const std::vector<RuleDocument>& rules) {
  const Rules read = rules_of(rules);
  return read.empty() ? shown(rules) : in_words(read);
}

ReportTable empty_target_table() {
  ReportTable table;
  table.title = "Targets";
  table.columns = {{"target", false}, {"requests", true}, {"allowed", true},
                   {"denied", true},  {"unknown", true},  {"failed", true}};
  return table;
}

void append_shown(const std::vector<Text>& texts, std::vector<std::string>& out) {
  for (const Text& text : texts)
    if (!text.empty()) out.push_back(text.shown());
}

}  // namespace rlctl
