#include "report/evidence_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/escape.h"
#include "base/table.h"
#include "base/timestamp.h"
#include "base/units.h"
#include "log/rule_keys.h"
#include "report/page/evidence.h"
#include "verdict/outcome/kept_records.h"

namespace rlctl {
namespace {

constexpr std::size_t kColumns = 40;
constexpr std::size_t kLeastDrawn = 12;
constexpr std::size_t kShownAtEachEnd = 5;
constexpr std::size_t kShownAtTheLimit = 2;  // on each side of the place where it was crossed
constexpr std::size_t kContradictingInText = 12;

DecidedSpan span_of(const Log& log, const std::vector<std::uint32_t>& records) {
  DecidedSpan all = decided_in(log.records[records.front()]);
  for (const std::uint32_t record : records) {
    const DecidedSpan span = decided_in(log.records[record]);
    all.from_us = std::min(all.from_us, span.from_us);
    all.to_us = std::max(all.to_us, span.to_us);
  }
  return all;
}

// What a drawing shows, and how wide.
struct Scale {
  DecidedSpan span;
  std::size_t columns = 0;  // 0: there is no room for it, and the figures stand alone

  std::int64_t length_us() const { return span.to_us - span.from_us; }
};

// `others`: the width of the table without it, to which two blanks and its two ends are added.
std::size_t columns_within(std::size_t width, std::size_t others) {
  const std::size_t beside = others + 4;
  if (width == 0 || width >= beside + kColumns) return kColumns;
  return width >= beside + kLeastDrawn ? width - beside : 0;
}

// The column of an instant on the scale, from 0 on.
std::size_t column_of(std::int64_t us, const Scale& scale) {
  const auto length = static_cast<double>(std::max<std::int64_t>(scale.length_us(), 1));
  const double part = static_cast<double>(us - scale.span.from_us) / length;
  const double last = static_cast<double>(scale.columns - 1);
  return static_cast<std::size_t>(std::clamp(part * last, 0.0, last));
}

// An instant is drawn as *, a longer interval as =, a record above the limit as #.
std::string bar(const DecidedSpan& span, const Scale& scale, bool too_many) {
  if (scale.columns == 0) return {};
  std::string cells(scale.columns, ' ');
  const std::size_t first = column_of(span.from_us, scale);
  const std::size_t last = column_of(span.to_us, scale);
  for (std::size_t column = first; column <= last; ++column)
    cells[column] = too_many ? '#' : first == last ? '*' : '=';
  return "|" + cells + "|";
}

// One unit for a whole drawing, so that its column is easy to compare.
struct Unit {
  const char* name;
  std::int64_t us;
  int decimals;
};

Unit unit_for(std::int64_t length_us) {
  if (length_us < 1'000) return {"us", 1, 0};
  if (length_us < 10'000'000) return {"ms", 1'000, 3};
  return {"s", 1'000'000, 6};
}

std::string in_unit(std::int64_t us, const Unit& unit) {
  const std::int64_t whole = us / unit.us;
  return unit.decimals == 0 ? std::to_string(whole)
                            : fmt::format("{}.{:0{}}", whole, us % unit.us, unit.decimals);
}

// "|0                             3.010 ms|"
std::string scale_line(const Scale& scale, const Unit& unit) {
  if (scale.columns == 0) return {};
  const std::string end = in_unit(scale.length_us(), unit) + " " + unit.name;
  return fmt::format("|0{:>{}}|", end, scale.columns - 1);
}

std::string key_of(const Log& log, const Rule& rule, std::uint32_t record) {
  return in_quotes(key_under(log, rule, record).value_or(""));
}

}  // namespace

namespace {

std::string window_title(const Log& log, const Judgement& judgement, const DecidedSpan& scale,
                         const std::vector<std::uint32_t>& records) {
  const Rule& rule = judgement.rule();
  std::string title =
      fmt::format("{}: {}, starting at {} UTC", key_of(log, rule, records.front()),
                  found_in_words(rule, judgement.totals.max_certain, scale.to_us - scale.from_us),
                  format_instant(scale.from_us));
  if (first_over(log, records, fitting(rule)) < records.size())
    title += fmt::format("\nlimit: {}; # marks those above it", rate_in_words(rule));
  return title + "\n";
}

using Cells = std::array<std::string, 3>;

// Of one record; or words beside no drawing.
struct DrawnRow {
  Cells cells;
  std::optional<DecidedSpan> span;
  bool too_many = false;
};

std::string number_of(std::size_t row, const Record& record) {
  return record.cost == 1 ? std::to_string(row + 1)
                          : fmt::format("{} (cost {})", row + 1, record.cost);
}

std::string decided_in_words(const DecidedSpan& span, std::int64_t origin_us, const Unit& unit) {
  const std::string from = in_unit(span.from_us - origin_us, unit);
  return span.to_us == span.from_us ? from : from + " to " + in_unit(span.to_us - origin_us, unit);
}

Table drawing_table(const Cells& headers, const std::vector<DrawnRow>& rows, const Scale& scale,
                    const Unit& unit) {
  Table table({{headers[0], Align::right},
               {headers[1]},
               {headers[2], Align::right},
               {scale_line(scale, unit)}},
              2);
  for (const DrawnRow& row : rows)
    table.add_row({row.cells[0], row.cells[1], row.cells[2],
                   row.span ? bar(*row.span, scale, row.too_many) : std::string()});
  return table;
}

}  // namespace

std::string draw_worst_window(const VerifyResult& result, const JudgedHistory& history,
                              const Judgement& judgement, std::size_t width) {
  const Log& log = history.log();
  const auto records = in_time_order(log, judgement.totals.worst_window.records);
  if (records.empty()) return {};
  Scale scale{span_of(log, records)};
  const Unit unit = unit_for(scale.length_us());
  const std::size_t over = first_over(log, records, fitting(judgement.rule()));
  const std::vector<bool> shown =
      shown_rows(records.size(), over, kShownAtEachEnd, kShownAtTheLimit);
  const Cells headers{"no.", "where", fmt::format("decided, {}", unit.name)};
  std::vector<DrawnRow> rows;
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!shown[i]) {
      ++hidden;
      continue;
    }
    if (hidden > 0) rows.push_back({{"", fmt::format("({} more)", hidden), ""}, {}, false});
    hidden = 0;
    const Record& record = log.records[records[i]];
    const DecidedSpan span = decided_in(record);
    rows.push_back({{number_of(i, record), place_in_log(result, history, records[i]),
                     decided_in_words(span, scale.span.from_us, unit)},
                    span,
                    i >= over});
  }
  scale.columns = columns_within(width, drawing_table(headers, rows, scale, unit).width());
  return window_title(log, judgement, scale.span, records) +
         drawing_table(headers, rows, scale, unit).text(width);
}

std::string list_false_denials(const VerifyResult& result, const JudgedHistory& history,
                               const Judgement& judgement, std::size_t width) {
  const auto& denials = judgement.totals.certain_false_denials;
  if (denials.empty()) return {};
  const Log& log = history.log();
  const Rule& rule = judgement.rule();
  const bool counted = explained_by_admissions(rule);
  const std::string before =
      counted ? fmt::format("admitted in the {} before", format_duration(rule.window_us)) : "";
  Table table({{"where"}, {"key"}, {"denied at (UTC)"}, {before}}, 2);
  const std::size_t shown = std::min(denials.size(), kDenialsInText);
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> row{place_in_log(result, history, denials[i]),
                                 key_of(log, rule, denials[i]),
                                 format_instant(decided_in(log.records[denials[i]]).from_us)};
    if (counted)
      row.push_back(fmt::format("{} of {}", format_count(most_before(log, denials[i], rule)),
                                format_count(rule.limit)));
    table.add_row(std::move(row));
  }
  std::string text = "Wrong denials (the limit had not been reached):\n" + table.text(width);
  if (denials.size() > shown)
    text += fmt::format("  and {} more\n",
                        format_count(static_cast<std::int64_t>(denials.size() - shown)));
  return text;
}

std::string list_contradiction(const VerifyResult& result, const JudgedHistory& history,
                               const Judgement& judgement, std::size_t width) {
  const auto found = contradiction_of(result, history, judgement, kContradictingInText);
  if (!found) return {};
  Table table({found->columns.begin(), found->columns.end()}, 2);
  for (const std::vector<std::string>& row : found->rows) table.add_row(row);
  std::string text = found->title + ":\n" + table.text(width);
  if (found->all > found->rows.size())
    text += fmt::format("  and {} more\n", found->all - found->rows.size());
  return text;
}

}  // namespace rlctl
