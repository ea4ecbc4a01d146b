#include "report/verify_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/escape.h"
#include "base/table.h"
#include "base/timestamp.h"
#include "base/units.h"
#include "report/evidence_text.h"
#include "report/infer_text.h"
#include "report/page/evidence.h"
#include "report/target_text.h"
#include "verdict/notes.h"

namespace rlctl {
namespace {

std::string most_text(const Figures& figures) {
  const std::string certain = format_count(figures.max_certain);
  if (figures.max_possible <= figures.max_certain) return certain;
  return fmt::format("{} to {}", certain, format_count(figures.max_possible));
}

// Of several rules, a line each, with its own worst window.
std::string rule_lines(const Judgement& judgement) {
  std::string text;
  for (std::size_t i = 0; i < judgement.by_rule.size(); ++i) {
    const Figures& figures = judgement.by_rule[i];
    const bool broken = figures.over_admission == OverAdmission::certain;
    text += fmt::format("    {}: {}, most {} in {}", in_words(judgement.rules[i]),
                        broken ? "broken" : "not broken", most_text(figures),
                        span_in_words(judgement.rules[i]));
    if (!figures.worst_window.records.empty())
      text += ", from " + format_instant(figures.worst_window.from_us);
    text += "\n";
  }
  return text;
}

std::string verdict_lines(const JudgedHistory& history) {
  const Log& log = history.log();
  const Verdict& verdict = *history.verdict;
  std::string text = fmt::format("{}: {}", name_of(verdict.verdict), verdict.reason);
  text = (history.headline.empty() ? text : history.headline) + "\n";
  if (!verdict.remedy.empty()) text += fmt::format("  to get a verdict: {}\n", verdict.remedy);
  text += "\n";
  if (!log.policy.rules.empty())
    text += fmt::format("  policy, {}: {}\n", in_words(log.policy.rules),
                        name_of(verdict.policy.verdict)) +
            rule_lines(verdict.policy);
  if (verdict.own) {
    text += fmt::format(
        "  own contract, {}: {}{}\n", in_words(verdict.own->rules), name_of(verdict.own->verdict),
        verdict.own->verdict == VerdictKind::holds || verdict.own->reason == verdict.reason
            ? ""
            : " (" + verdict.own->reason + ")");
  }
  return text;
}

std::string accuracy_text(const Figures& figures) {
  if (figures.decisions == 0) return "-";
  return format_accuracy(figures.accuracy_low, figures.accuracy_high);
}

// A column of the key table. The column "unknown" is left out if it is zero everywhere: eight
// columns are wider than a terminal.
struct KeyColumn {
  Column head;
  std::function<std::string(const Figures&)> show;
};

std::vector<KeyColumn> key_columns(const Judgement& judgement) {
  const auto counted = [](const char* name, std::int64_t Figures::*count) {
    return KeyColumn{{name, Align::right},
                     [count](const Figures& figures) { return format_count(figures.*count); }};
  };
  const auto false_denials = [](const Figures& figures) -> std::string {
    // Some decision is wrong, and which one is not known.
    if (figures.contradictions > 0 && figures.certain_false_denials.empty()) return "?";
    return format_count(static_cast<std::int64_t>(figures.certain_false_denials.size()));
  };
  std::vector<KeyColumn> columns{counted("allowed", &Figures::allowed),
                                 counted("denied", &Figures::denied)};
  if (judgement.totals.unknown > 0) columns.push_back(counted("unknown", &Figures::unknown));
  columns.push_back({{"most in\n" + span_of_keys(judgement), Align::right}, most_text});
  columns.push_back(counted("too\nmany", &Figures::excess_certain));
  columns.push_back({{"false\ndenials", Align::right}, false_denials});
  columns.push_back({{"accuracy\n%", Align::right}, accuracy_text});
  return columns;
}

std::string key_table_text(const JudgedHistory& history, const Judgement& judgement,
                           std::size_t most_keys, std::size_t width) {
  const std::vector<KeyColumn> columns = key_columns(judgement);
  std::vector<Column> heads{{"key"}};
  for (const KeyColumn& column : columns) heads.push_back(column.head);
  Table table(std::move(heads), 2);
  const auto row_of = [&](std::string name, const Figures& figures) {
    std::vector<std::string> row{std::move(name)};
    for (const KeyColumn& column : columns) row.push_back(column.show(figures));
    return row;
  };
  const std::size_t all = judgement.keys.size();
  const std::size_t shown = most_keys == 0 ? all : std::min(most_keys, all);
  for (std::size_t i = 0; i < shown; ++i) {
    const KeyFigures& key = judgement.keys[i];
    table.add_row(row_of(judgement.name_of(history.log(), key, 40), key.figures));
  }
  if (judgement.key_count > 1) {
    table.add_rule();
    table.add_row(
        row_of(fmt::format("all {} keys", format_count(judgement.key_count)), judgement.totals));
  }
  return table.text(width);
}

// The evidence of the judgement that decided the verdict.
std::string evidence_lines(const VerifyResult& result, const JudgedHistory& history,
                           const Judgement& judgement, std::size_t width) {
  std::string text;
  if (judgement.violations.over_admission)
    text += "\n" + draw_worst_window(result, history, judgement, width);
  if (judgement.violations.false_denial)
    text += "\n" + list_false_denials(result, history, judgement, width);
  const std::string contradiction = list_contradiction(result, history, judgement, width);
  return contradiction.empty() ? text : text + "\n" + contradiction;
}

std::string slack_line(const Verdict& verdict) {
  const Figures& totals = verdict.policy.totals;
  if (!verdict.policy.violations.over_admission || totals.slack_us <= 0) return {};
  const std::int64_t window = verdict.policy.rule().window_us;
  if (totals.slack_us >= window) return {};  // broken within one instant
  return fmt::format(
      "\nthe limit of {} is certainly broken in windows longer than {}; you asked for {}\n",
      format_count(verdict.policy.rule().limit),
      format_duration_for_people(window - totals.slack_us), format_duration(window));
}

std::string history_text(const VerifyResult& result, const JudgedHistory& history,
                         std::size_t width) {
  if (!history.verdict) return {};
  const Verdict& verdict = *history.verdict;
  std::string text = verdict_lines(history);
  text += "\n" + key_table_text(history, verdict.policy, result.most_keys_in_text, width);
  if (const std::string targets = target_table_text(verdict.targets, width); !targets.empty())
    text += "\n" + targets;
  text += evidence_lines(result, history, verdict.policy, width) + slack_line(verdict);
  const bool own_alone = verdict.own && verdict.policy.verdict != VerdictKind::violated;
  if (own_alone) text += evidence_lines(result, history, *verdict.own, width);
  return text;
}

using Notes = std::vector<std::string>;

std::string lines_of(const Notes& notes) {
  std::string text;
  for (const std::string& note : notes) text += "note: " + note + "\n";
  return text;
}

Notes notes_of(const JudgedHistory& history) {
  if (history.verdict) return history.verdict->notes;
  const std::string slow = slow_requests_note(history.log());
  return slow.empty() ? Notes() : Notes{slow};
}

bool has(const Notes& notes, const std::string& note) {
  return std::ranges::find(notes, note) != notes.end();
}

// What is true of each history is said once, at the end.
Notes common_notes(const VerifyResult& result) {
  Notes common = notes_of(result.histories.front());
  for (const JudgedHistory& history : result.histories)
    std::erase_if(common, [&](const std::string& note) { return !has(notes_of(history), note); });
  return common;
}

std::string log_title(const Log& log) {
  std::string title = log.algorithm.empty() ? "log" : escape_for_terminal(log.algorithm);
  if (!log.history.empty()) title += ", " + escape_for_terminal(log.history);
  return title;
}

}  // namespace

std::string verify_text(const VerifyResult& result, std::size_t width) {
  std::string text;
  const Notes common = common_notes(result);
  for (const JudgedHistory& history : result.histories) {
    if (!text.empty()) text += "\n";
    if (result.histories.size() > 1) text += log_title(history.log()) + "\n\n";
    text += history_text(result, history, width);
    Notes own = notes_of(history);
    std::erase_if(own, [&](const std::string& note) { return has(common, note); });
    if (!own.empty()) text += "\n" + lines_of(own);
    if (history.inference)
      text += (history.verdict ? "\n" : "") + infer_text(*history.inference, width);
  }
  const std::string last = lines_of(common) + lines_of(result.source.notes);
  if (!last.empty()) text += (text.empty() ? "" : "\n") + last;
  for (const std::string& example : result.source.examples) text += "  " + example + "\n";
  return text;
}

}  // namespace rlctl
