#include "report/verify_evidence.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/escape.h"
#include "core/units.h"
#include "report/table.h"

namespace rlctl {
namespace {

constexpr std::int64_t kColumns = 40;
constexpr std::size_t kShownAtEachEnd = 8;

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

std::string bar(const Span& span, const Span& scale) {
  std::string cells(kColumns, ' ');
  const std::int64_t first = column_of(span.from_us, scale);
  const std::int64_t last = column_of(span.to_us, scale);
  for (std::int64_t column = first; column <= last; ++column)
    cells[static_cast<std::size_t>(column)] = first == last ? '*' : '=';
  return "|" + cells + "|";
}

std::string after(std::int64_t us) {
  return fmt::format("+{}.{:06d} s", us / 1'000'000, us % 1'000'000);
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

std::string draw_worst_window(const VerifyResult& result, const JudgedHistory& history,
                              const Judgement& judgement) {
  std::vector<std::uint32_t> records = judgement.totals.worst_window.records;
  if (records.empty()) return {};
  const Log& log = history.log();
  std::stable_sort(records.begin(), records.end(), [&](std::uint32_t a, std::uint32_t b) {
    return interval_of(log.records[a]).from_us < interval_of(log.records[b]).from_us;
  });
  const Span scale = span_of(log, records);
  Table table({{"no.", Align::right}, {"where"}, {"decided"}, {bar(scale, scale)}}, 2);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::size_t hidden = records.size() - std::min(records.size(), 2 * kShownAtEachEnd);
    if (hidden > 1 && i == kShownAtEachEnd) {
      table.add_row({"", fmt::format("({} more)", hidden)});
      i += hidden;
    }
    const Record& record = log.records[records[i]];
    const Span span = interval_of(record);
    std::string decided = after(span.from_us - scale.from_us);
    if (span.to_us != span.from_us) decided += " to " + after(span.to_us - scale.from_us);
    const std::string number =
        record.cost == 1 ? std::to_string(i + 1) : fmt::format("{} (cost {})", i + 1, record.cost);
    table.add_row({number, line_of(result, history, records[i]), decided, bar(span, scale)});
  }
  return fmt::format("{}: {} admissions in {}, from {} UTC on\n{}", key_of(log, records.front()),
                     format_count(judgement.totals.max_certain),
                     format_duration_for_people(scale.to_us - scale.from_us),
                     format_instant(scale.from_us), table.text());
}

std::string list_false_denials(const VerifyResult& result, const JudgedHistory& history,
                               const Judgement& judgement) {
  const auto& denials = judgement.totals.certain_false_denials;
  if (denials.empty()) return {};
  const Log& log = history.log();
  Table table({{"where"}, {"key"}, {"denied at (UTC)"}}, 2);
  const std::size_t shown = std::min<std::size_t>(denials.size(), 5);
  for (std::size_t i = 0; i < shown; ++i) {
    table.add_row({line_of(result, history, denials[i]), key_of(log, denials[i]),
                   format_instant(interval_of(log.records[denials[i]]).from_us)});
  }
  std::string text = "Denied although nothing could have filled the window:\n" + table.text();
  if (denials.size() > shown)
    text += fmt::format("  and {} more\n",
                        format_count(static_cast<std::int64_t>(denials.size() - shown)));
  return text;
}

}  // namespace rlctl
