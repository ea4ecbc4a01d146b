#include "report/page/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/escape.h"
#include "base/timestamp.h"
#include "base/units.h"
#include "log/rule_keys.h"
#include "verdict/algorithm/step_function.h"

namespace rlctl {
namespace {

constexpr std::size_t kRowsAtEachEnd = 60;
constexpr std::size_t kRowsAtTheLimit = 40;

// Records that were just played are in no file, so their phase is named.
std::string phase_of(const Log& log, std::uint32_t record) {
  const std::size_t phase = log.records[record].phase;
  return phase < log.phases.size() ? escape_for_terminal(log.phases[phase]) : "-";
}

EvidenceRow row_of(const Record& record) {
  const DecidedSpan decided = decided_in(record);
  EvidenceRow row;
  row.sent_us = record.sent_us == kNoTime ? decided.from_us : record.sent_us;
  row.received_us = record.received_us == kNoTime ? decided.to_us : record.received_us;
  row.decided_from_us = decided.from_us;
  row.decided_to_us = decided.to_us;
  row.cost = record.cost;
  return row;
}

std::string limit_in_words(const Rule& rule) {
  const bool is_bound = fitting(rule) != std::numeric_limits<std::int64_t>::max();
  return is_bound ? "; limit: " + rate_in_words(rule) : "";
}

std::string shown_key(const Log& log, const Rule& rule, std::uint32_t record) {
  return in_quotes(key_under(log, rule, record).value_or(""));
}

std::string title_of(const Log& log, const Judgement& judgement,
                     const std::vector<std::uint32_t>& records, std::int64_t from_us,
                     std::int64_t to_us) {
  const Rule& rule = judgement.rule();
  return fmt::format("{}: {}, starting at {} UTC", shown_key(log, rule, records.front()),
                     found_in_words(rule, judgement.totals.max_certain, to_us - from_us),
                     format_instant(from_us)) +
         limit_in_words(rule);
}

}  // namespace

DecidedSpan decided_in(const Record& record) {
  if (record.server_us != kNoTime) return {server_from_us(record), record.server_us};
  const std::int64_t end = record.received_us == kNoTime ? record.sent_us : record.received_us;
  return {record.sent_us, end};
}

std::string place_in_log(const VerifyResult& result, const JudgedHistory& history,
                         std::uint32_t record) {
  if (result.source.files.size() > 1) return result.source.place_of(history.parsed, record);
  if (result.source.files.empty()) return phase_of(history.log(), record);
  return fmt::format("line {}", history.parsed.lines.line_of(record).line);
}

std::vector<std::uint32_t> in_time_order(const Log& log, std::vector<std::uint32_t> records) {
  std::stable_sort(records.begin(), records.end(), [&](std::uint32_t a, std::uint32_t b) {
    return decided_in(log.records[a]).from_us < decided_in(log.records[b]).from_us;
  });
  return records;
}

std::int64_t fitting(const Rule& rule) {
  return rule.row().limit_is_proof ? rule.limit : std::numeric_limits<std::int64_t>::max();
}

std::size_t first_over(const Log& log, const std::vector<std::uint32_t>& records,
                       std::int64_t limit) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    sum += log.records[records[i]].cost;
    if (sum > limit) return i;
  }
  return records.size();
}

std::vector<bool> shown_rows(std::size_t count, std::size_t over, std::size_t at_ends,
                             std::size_t at_limit) {
  std::vector<bool> shown(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t away = i < over ? over - i : i - over + 1;
    shown[i] = i < at_ends || i + at_ends >= count || (over < count && away <= at_limit);
  }
  for (std::size_t i = 1; i + 1 < count; ++i)  // "(1 more)" would be as long as the row itself
    if (shown[i - 1] && shown[i + 1]) shown[i] = true;
  return shown;
}

namespace {

// Without its title. `records`: in time order, at least one.
Evidence rows_of(const VerifyResult& result, const JudgedHistory& history, const Rule& rule,
                 const std::vector<std::uint32_t>& records) {
  const Log& log = history.log();
  const std::size_t over = first_over(log, records, fitting(rule));
  const std::vector<bool> shown = shown_rows(records.size(), over, kRowsAtEachEnd, kRowsAtTheLimit);
  Evidence evidence;
  evidence.records = static_cast<std::int64_t>(records.size());
  evidence.from_us = decided_in(log.records[records.front()]).from_us;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!shown[i]) continue;
    EvidenceRow row = row_of(log.records[records[i]]);
    row.number = static_cast<std::int64_t>(i) + 1;
    row.place = place_in_log(result, history, records[i]);
    row.too_many = i >= over;
    evidence.rows.push_back(std::move(row));
  }
  return evidence;
}

}  // namespace

std::optional<Evidence> evidence_of(const VerifyResult& result, const JudgedHistory& history,
                                    const Judgement& judgement) {
  const Log& log = history.log();
  const auto records = in_time_order(log, judgement.totals.worst_window.records);
  if (records.empty()) return std::nullopt;
  Evidence evidence = rows_of(result, history, judgement.rule(), records);
  std::int64_t to_us = evidence.from_us;
  for (const std::uint32_t record : records)
    to_us = std::max(to_us, decided_in(log.records[record]).to_us);
  evidence.title = title_of(log, judgement, records, evidence.from_us, to_us);
  return evidence;
}

std::optional<Evidence> possible_evidence_of(const VerifyResult& result,
                                             const JudgedHistory& history,
                                             const Judgement& judgement,
                                             const std::vector<std::uint32_t>& records) {
  if (records.empty()) return evidence_of(result, history, judgement);
  const Log& log = history.log();
  const Rule& rule = judgement.rule();
  const auto in_order = in_time_order(log, records);
  Evidence evidence = rows_of(result, history, rule, in_order);
  evidence.is_proof = false;
  std::int64_t admissions = 0;
  for (const std::uint32_t record : records) admissions += log.records[record].cost;
  evidence.title = fmt::format("{}: {} possible within {}, which is no proof",
                               shown_key(log, rule, in_order.front()),
                               counted(admissions, "admission"), span_in_words(rule)) +
                   limit_in_words(rule);
  return evidence;
}

std::optional<Contradiction> contradiction_of(const VerifyResult& result,
                                              const JudgedHistory& history,
                                              const Judgement& judgement, std::size_t most) {
  const Figures& totals = judgement.totals;
  constexpr std::size_t kMostNamed = 40;
  if (totals.against.empty() || totals.against.size() > kMostNamed) return std::nullopt;
  const Log& log = history.log();
  const bool impossible = totals.together == Together::impossible;
  Contradiction found{impossible
                          ? "No order of these decisions explains all of them"
                          : "No order of these decisions was found that explains all of them",
                      {"where", "key", "outcome", "decided from (UTC)", "within"},
                      {},
                      totals.against.size()};
  for (const std::uint32_t i : in_time_order(log, totals.against)) {
    if (found.rows.size() == most) break;
    const Record& record = log.records[i];
    const DecidedSpan span = decided_in(record);
    found.rows.push_back({place_in_log(result, history, i), in_quotes(log.keys[record.key]),
                          name_of(record.outcome), format_instant(span.from_us),
                          format_duration_for_people(span.to_us - span.from_us)});
  }
  return found;
}

std::int64_t most_before(const Log& log, std::uint32_t denial, const Rule& rule) {
  const RuleKeys keys(log, rule.per);
  Depth depth;
  for (std::size_t i = 0; i < log.records.size(); ++i) {
    const Record& record = log.records[i];
    if (keys.of(i) != keys.of(denial) || record.outcome != Outcome::allowed) continue;
    const DecidedSpan span = decided_in(record);
    depth.add(span.from_us, span.to_us + rule.window_us, record.cost);
  }
  depth.build();
  const DecidedSpan span = decided_in(log.records[denial]);
  return depth.most(span.from_us, span.to_us);
}

std::string span_of_keys(const Judgement& judgement) {
  const std::string span = span_in_words(judgement.rule());
  const auto same = [&](const Rule& rule) { return span_in_words(rule) == span; };
  const bool fits =
      !have_different_keys(judgement.rules) || std::ranges::all_of(judgement.rules, same);
  return fits ? span : "a window";
}

bool explained_by_admissions(const Rule& rule) {
  return rule.row().any_window && !rule.counts_denied && rule.block_us == 0;
}

}  // namespace rlctl
