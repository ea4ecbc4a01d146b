#include "report/picture/run_picture.h"

#include <algorithm>

#include "log/rule_keys.h"
#include "report/picture/window_fill.h"
#include "verdict/history.h"
#include "verdict/rule_judges.h"

namespace rlctl {
namespace {

constexpr std::size_t kLeastSlices = 60;
constexpr std::size_t kMostSlicesDrawn = 400;
constexpr std::size_t kRecordsPerSlice = 10;  // with fewer records, a timeline is flat
constexpr std::size_t kCloseUpSlices = 240;

// The key whose worst window the verdict shows, and that window.
const KeyFigures* worst_key(const Judgement& judgement) {
  for (const KeyFigures& key : judgement.keys)
    if (!key.figures.worst_window.records.empty()) return &key;
  return nullptr;
}

// Starts half a length before the worst window, and ends late enough to show whether the window
// stays full or empties.
TimelineSelection around(std::uint32_t key, const CloseUp& close_up, std::int64_t length_us) {
  TimelineSelection selection;
  selection.key = key;
  selection.whole_span = true;
  selection.from_us = close_up.window_from_us - length_us / 2;
  selection.to_us = close_up.window_to_us + length_us * 5 / 4;
  return selection;
}

History history_of_key(const Log& log, std::uint32_t key, const Frame& frame) {
  std::vector<std::uint32_t> indexes;
  for (std::uint32_t i = 0; i < log.records.size(); ++i)
    if (log.records[i].key == key) indexes.push_back(i);
  return make_history(log, indexes, frame);
}

std::vector<Placement> perhaps_admitted(const History& history) {
  std::vector<Placement> placed = history.admitted;
  placed.insert(placed.end(), history.unknown.begin(), history.unknown.end());
  return placed;
}

void take_possible_window(const History& history, CloseUp& close_up) {
  const PossibleWindow fullest = fullest_possible(perhaps_admitted(history), close_up.window_us);
  close_up.window_from_us = fullest.from_us;
  close_up.window_to_us = fullest.to_us;
  for (const Placement& admission : history.admitted)
    if (admission.low_us <= fullest.to_us && admission.high_us > fullest.from_us)
      close_up.possible_records.push_back(admission.record);
}

std::optional<CloseUp> close_up_of(const Log& whole, const Judgement& policy,
                                   const JudgeOptions& options, std::int64_t length_us) {
  const Rule& rule = policy.rule();
  const Log own = rule.per.empty() ? Log() : counted_by(whole, rule);
  const Log& log = rule.per.empty() ? whole : own;
  const KeyFigures* worst = worst_key(policy);
  const std::int64_t window_us = policy.rule().window_us;
  if (worst == nullptr || window_us <= 0) return std::nullopt;
  CloseUp close_up;
  close_up.key = policy.name_of(log, *worst);
  close_up.over = worst->figures.over_admission;
  close_up.window_from_us = worst->figures.worst_window.from_us;
  close_up.window_to_us = worst->figures.worst_window.to_us;
  close_up.limit = policy.rule().limit;
  close_up.window_us = window_us;
  const History history = history_of_key(log, worst->key, frame_of_curves(log, options));
  const bool is_possible = close_up.over == OverAdmission::possible;
  if (is_possible) take_possible_window(history, close_up);
  close_up.timeline = select_timeline(log, around(worst->key, close_up, length_us), kCloseUpSlices);
  close_up.fill = window_fill(history.admitted, window_us, close_up.timeline);
  if (is_possible)
    close_up.possible = possible_fill(perhaps_admitted(history), window_us, close_up.timeline);
  if (!rule.per.empty()) close_up.possible_records.clear();  // they are those of the copy
  return close_up;
}

std::optional<std::int64_t> promised(const Rules& rules, std::int64_t span_us) {
  return any_window(rules) ? std::optional(most_promised(rules, span_us)) : std::nullopt;
}

std::int64_t most_possible_of(const std::vector<History>& histories, std::int64_t span_us) {
  std::int64_t most = 0;
  for (const History& history : histories)
    most = std::max(most, most_possible(perhaps_admitted(history), span_us));
  return most;
}

std::vector<PromisedPoint> envelope_of(const Log& whole, const Verdict& verdict,
                                       const JudgeOptions& options) {
  const Rule& judged = verdict.policy.rule();
  const Log own = judged.per.empty() ? Log() : counted_by(whole, judged);
  const Log& log = judged.per.empty() ? whole : own;
  const std::vector<History> histories = admissions_by_key(log, options);
  const std::int64_t window_us = verdict.policy.rule().window_us;
  const std::int64_t longest_us = std::max(longest_span_us(histories), window_us);
  const bool is_possible = verdict.policy.totals.over_admission == OverAdmission::possible;
  std::vector<PromisedPoint> points;
  for (const EnvelopePoint& seen : envelope(histories, envelope_spans(longest_us, window_us))) {
    PromisedPoint point{.span_us = seen.span_us, .admissions = seen.admissions};
    point.policy = promised(verdict.policy.rules, seen.span_us);
    if (is_possible) point.possible = most_possible_of(histories, seen.span_us);
    if (verdict.own) point.own = promised(verdict.own->rules, seen.span_us);
    if (verdict.policy.rules.size() > 1)
      for (const Rule& rule : verdict.policy.rules)
        point.by_rule.push_back(promised({rule}, seen.span_us));
    points.push_back(point);
  }
  return points;
}

std::vector<SeenFault> faults_of(const Log& log) {
  std::vector<SeenFault> faults;
  for (const LoggedFault& fault : log.faults) {
    SeenFault seen{fault.kind, fault.at_us, std::nullopt};
    const std::int64_t answer_us = first_answer_after(log.records, fault.at_us);
    if (answer_us != kNoTime) seen.recovery_us = answer_us - fault.at_us;
    faults.push_back(std::move(seen));
  }
  return faults;
}

// Uses the edges of the limiter's own windows. A limiter without aligned windows gets the edges of
// the clock, where a fixed window would have them.
void add_edges(const Verdict& verdict, RunPicture& picture) {
  picture.edge_window_us = verdict.policy.rule().window_us;
  picture.edge_phase_us = 0;
  if (!verdict.own || !verdict.own->rule().row().takes_phase) return;
  picture.edge_window_us = verdict.own->rule().window_us;
  picture.edge_phase_us = verdict.own->rule().phase_us;
}

}  // namespace

std::int64_t close_up_length_us(const Verdict& verdict) {
  const KeyFigures* worst = worst_key(verdict.policy);
  const std::int64_t window_us = verdict.policy.rule().window_us;
  if (worst == nullptr || window_us <= 0) return 0;
  if (worst->figures.over_admission == OverAdmission::possible) return window_us;
  const WorstWindow& window = worst->figures.worst_window;
  return std::clamp(window.to_us - window.from_us, window_us / 200 + 1, window_us + 1);
}

RunPicture picture_of(const Log& log, const Verdict& verdict, const JudgeOptions& options,
                      std::int64_t least_length_us) {
  RunPicture picture;
  const std::size_t slices =
      std::clamp(log.records.size() / kRecordsPerSlice, kLeastSlices, kMostSlicesDrawn);
  picture.timeline = make_timeline(log, std::nullopt, slices);
  picture.per_second = answered_per_second(picture.timeline);
  picture.close_up = close_up_of(log, verdict.policy, options,
                                 std::max(least_length_us, close_up_length_us(verdict)));
  picture.over = verdict.policy.totals.over_admission;
  picture.envelope = envelope_of(log, verdict, options);
  if (verdict.policy.rules.size() > 1)
    for (const Rule& rule : verdict.policy.rules) picture.rules.push_back(in_words(rule));
  if (!log.lacks_latencies) {
    picture.from_intended = latency_from_intended(log);
    picture.from_sent = latency_from_sent(log);
  }
  picture.faults = faults_of(log);
  add_edges(verdict, picture);
  return picture;
}

}  // namespace rlctl
