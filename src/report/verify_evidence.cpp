#include "report/verify_evidence.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/depth.h"
#include "core/escape.h"
#include "core/units.h"
#include "report/table.h"

namespace rlctl {
namespace {

constexpr std::int64_t kColumns = 40;
constexpr std::size_t kShownAtEachEnd = 5;
constexpr std::size_t kShownAtTheLimit = 2;  // on each side of where it was crossed
constexpr std::size_t kDenialsShown = 5;

struct Span {
  std::int64_t from_us = 0;
  std::int64_t to_us = 0;
};

// As the judge saw it: the limiter's own stamp where there was one.
Span interval_of(const Record& record) {
  if (record.server_us != kNoTime) return {record.server_us, record.server_us};
  const std::int64_t end = record.received_us == kNoTime ? record.sent_us : record.received_us;
  return {record.sent_us, end};
}

Span span_of(const Log& log, const std::vector<std::uint32_t>& records) {
  Span all = interval_of(log.records[records.front()]);
  for (const std::uint32_t record : records) {
    const Span span = interval_of(log.records[record]);
    all.from_us = std::min(all.from_us, span.from_us);
    all.to_us = std::max(all.to_us, span.to_us);
  }
  return all;
}

// Where an instant lies on the scale, 0 to kColumns - 1.
std::int64_t column_of(std::int64_t us, const Span& scale) {
  const auto length = static_cast<double>(std::max<std::int64_t>(scale.to_us - scale.from_us, 1));
  const double part = static_cast<double>(us - scale.from_us) / length;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(part * (kColumns - 1)), 0,
                                  kColumns - 1);
}

// An instant as * and a longer interval as =; what is too many as #.
std::string bar(const Span& span, const Span& scale, bool too_many) {
  std::string cells(kColumns, ' ');
  const std::int64_t first = column_of(span.from_us, scale);
  const std::int64_t last = column_of(span.to_us, scale);
  for (std::int64_t column = first; column <= last; ++column)
    cells[static_cast<std::size_t>(column)] = too_many ? '#' : first == last ? '*' : '=';
  return "|" + cells + "|";
}

// One unit for a whole drawing, so that its column can be read down.
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
std::string scale_line(const Span& scale, const Unit& unit) {
  const std::string end = in_unit(scale.to_us - scale.from_us, unit) + " " + unit.name;
  return fmt::format("|0{:>{}}|", end, kColumns - 1);
}

// What was just played stands in no file.
std::string phase_of(const Log& log, std::uint32_t record) {
  const std::size_t phase = log.records[record].phase;
  return phase < log.phases.size() ? escape_for_terminal(log.phases[phase]) : "-";
}

std::string line_of(const VerifyResult& result, const JudgedHistory& history,
                    std::uint32_t record) {
  if (result.source.files.size() > 1) return result.source.place_of(history.parsed, record);
  if (result.source.files.empty()) return phase_of(history.log(), record);
  return fmt::format("line {}", history.parsed.lines.line_of(record).line);
}

std::string key_of(const Log& log, std::uint32_t record) {
  return in_quotes(log.keys[log.records[record].key]);
}

}  // namespace

std::string format_instant(std::int64_t us) {
  const std::int64_t seconds = us >= 0 ? us / 1'000'000 : (us - 999'999) / 1'000'000;
  const std::time_t time = static_cast<std::time_t>(seconds);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:06d}", fmt::gmtime(time), us - seconds * 1'000'000);
}

namespace {

// Where the limit of a window says how many of its records fit, that many; else all.
std::int64_t fitting(const Contract& contract) {
  const bool counted =
      contract.kind == ContractKind::sliding || contract.kind == ContractKind::fixed;
  return counted ? contract.limit : std::numeric_limits<std::int64_t>::max();
}

// The first record with which more than `limit` were admitted; as many as there are: none.
std::size_t first_over(const Log& log, const std::vector<std::uint32_t>& records,
                       std::int64_t limit) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    sum += log.records[records[i]].cost;
    if (sum > limit) return i;
  }
  return records.size();
}

// Both ends, and where the limit was crossed.
std::vector<bool> shown_rows(std::size_t count, std::size_t over) {
  std::vector<bool> shown(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t away = i < over ? over - i : i - over + 1;
    shown[i] = i < kShownAtEachEnd || i + kShownAtEachEnd >= count ||
               (over < count && away <= kShownAtTheLimit);
  }
  for (std::size_t i = 1; i + 1 < count; ++i)  // "(1 more)" is as long as the one
    if (shown[i - 1] && shown[i + 1]) shown[i] = true;
  return shown;
}

std::string title_of(const Log& log, const Judgement& judgement, const Span& scale,
                     const std::vector<std::uint32_t>& records) {
  std::string title = fmt::format(
      "{}: {} admissions in {}, from {} UTC on", key_of(log, records.front()),
      format_count(judgement.totals.max_certain),
      format_duration_for_people(scale.to_us - scale.from_us), format_instant(scale.from_us));
  const Contract& contract = judgement.contract;
  if (first_over(log, records, fitting(contract)) < records.size())
    title += fmt::format(";\n{} fit into {}, what is drawn as # is too many",
                         format_count(contract.limit), format_duration(contract.window_us));
  return title + "\n";
}

}  // namespace

std::string draw_worst_window(const VerifyResult& result, const JudgedHistory& history,
                              const Judgement& judgement) {
  std::vector<std::uint32_t> records = judgement.totals.worst_window.records;
  if (records.empty()) return {};
  const Log& log = history.log();
  std::stable_sort(records.begin(), records.end(), [&](std::uint32_t a, std::uint32_t b) {
    return interval_of(log.records[a]).from_us < interval_of(log.records[b]).from_us;
  });
  const Span scale = span_of(log, records);
  const Unit unit = unit_for(scale.to_us - scale.from_us);
  const std::size_t over = first_over(log, records, fitting(judgement.contract));
  const std::vector<bool> shown = shown_rows(records.size(), over);
  Table table({{"no.", Align::right},
               {"where"},
               {fmt::format("decided, {}", unit.name), Align::right},
               {scale_line(scale, unit)}},
              2);
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!shown[i]) {
      ++hidden;
      continue;
    }
    if (hidden > 0) table.add_row({"", fmt::format("({} more)", hidden)});
    hidden = 0;
    const Record& record = log.records[records[i]];
    const Span span = interval_of(record);
    std::string decided = in_unit(span.from_us - scale.from_us, unit);
    if (span.to_us != span.from_us) decided += " to " + in_unit(span.to_us - scale.from_us, unit);
    const std::string number =
        record.cost == 1 ? std::to_string(i + 1) : fmt::format("{} (cost {})", i + 1, record.cost);
    table.add_row(
        {number, line_of(result, history, records[i]), decided, bar(span, scale, i >= over)});
  }
  return title_of(log, judgement, scale, records) + table.text();
}

namespace {

// The most that may have been admitted to the key in the window before the denial, wherever in
// their intervals both were decided.
std::int64_t most_before(const Log& log, std::uint32_t denial, std::int64_t window_us) {
  const Record& denied = log.records[denial];
  Depth depth;
  for (const Record& record : log.records) {
    if (record.key != denied.key || record.outcome != Outcome::allowed) continue;
    const Span span = interval_of(record);
    depth.add(span.from_us, span.to_us + window_us, record.cost);
  }
  depth.build();
  const Span span = interval_of(denied);
  return depth.most(span.from_us, span.to_us);
}

// Only there the admissions alone say what filled the window.
bool explained_by_admissions(const Contract& contract) {
  return contract.kind == ContractKind::sliding && !contract.counts_denied &&
         contract.block_us == 0;
}

}  // namespace

std::string list_false_denials(const VerifyResult& result, const JudgedHistory& history,
                               const Judgement& judgement) {
  const auto& denials = judgement.totals.certain_false_denials;
  if (denials.empty()) return {};
  const Log& log = history.log();
  const Contract& contract = judgement.contract;
  const bool counted = explained_by_admissions(contract);
  const std::string before =
      counted ? fmt::format("admitted in the {} before", format_duration(contract.window_us)) : "";
  Table table({{"where"}, {"key"}, {"denied at (UTC)"}, {before}}, 2);
  const std::size_t shown = std::min(denials.size(), kDenialsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> row{line_of(result, history, denials[i]), key_of(log, denials[i]),
                                 format_instant(interval_of(log.records[denials[i]]).from_us)};
    if (counted)
      row.push_back(fmt::format("{} of {}",
                                format_count(most_before(log, denials[i], contract.window_us)),
                                format_count(contract.limit)));
    table.add_row(std::move(row));
  }
  std::string text = "Denied although nothing could have filled the window:\n" + table.text();
  if (denials.size() > shown)
    text += fmt::format("  and {} more\n",
                        format_count(static_cast<std::int64_t>(denials.size() - shown)));
  return text;
}

}  // namespace rlctl
