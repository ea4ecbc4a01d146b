// Values of a result file as they stand in a report: texts escaped (base/escape.h), numbers as
// people read them. Pure.
#pragma once

#include <string>
#include <vector>

#include "report/page/report.h"
#include "result/rule_document.h"
#include "result/values.h"

namespace rlctl {

// "1,234", "12.34"; "-" if there is none.
ReportCell number_cell(const Number& value, int decimals = 0);
// A time in µs, as people read it.
ReportCell time_cell(const Number& time);
ReportCell text_cell(std::string text, Mood mood = Mood::neutral);
ReportCell text_cell(const Text& text);
// In the colour of the verdict.
ReportCell verdict_cell(const Text& word);

// The outcome of what was asked, for a headline: "could_not_run" -> "could not run", "inconclusive"
// -> "could not tell".
std::string outcome_word(const std::string& outcome);

// Empty: they are not in the grammar.
Rules rules_of(const std::vector<RuleDocument>& rules);

// "100 per 1s in any window": in the words of a log's policy, so that a fact of both is told once.
std::string rules_in_words(const std::vector<RuleDocument>& rules);

// What each of several targets decided: the columns, without rows.
ReportTable empty_target_table();

void append_shown(const std::vector<Text>& texts, std::vector<std::string>& out);

}  // namespace rlctl
