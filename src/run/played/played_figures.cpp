#include "run/played/played_figures.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/stats.h"
#include "log/record.h"
#include "run/played/judged_run.h"
#include "verdict/outcome/header_truth.h"

namespace rlctl {
namespace {

ScenarioFigure exactly(std::int64_t value, std::int64_t out_of = 0) {
  return {value, value, out_of};
}

bool is_outcome(Metric metric, const Record& record) {
  switch (metric) {
    case Metric::allowed:
      return record.outcome == Outcome::allowed;
    case Metric::denied:
      return record.outcome == Outcome::denied;
    case Metric::unknown:
      return record.outcome == Outcome::unknown;
    default:
      return record.outcome == Outcome::failed;
  }
}

std::int64_t of_phase(Metric metric, const PhaseResult& phase) {
  if (metric == Metric::offered) return phase.offered;
  if (metric == Metric::late) return phase.late;
  return metric == Metric::dropped ? phase.dropped : phase.completed;
}

// Sums and maximums over the selected keys.
struct JudgedSum {
  static constexpr std::int64_t kParts = 1'000'000;  // of a ratio

  std::int64_t operations = 0;
  std::int64_t peak = 0;
  std::pair<std::int64_t, std::int64_t> burst{0, 1};  // peak, and what its rule allows in a window
  double burst_factor = 0;
  std::int64_t excess = 0;
  std::int64_t false_denials = 0;
  double overshoot = 0;
  std::int64_t slack_us = 0;
  std::int64_t decisions = 0;
  std::int64_t right = 0;
  std::int64_t wrong = 0;

  void add(const Figures& figures, const Rule& rule) {
    operations += figures.operations;
    peak = std::max(peak, figures.peak);
    if (figures.burst_factor >= burst_factor) {
      burst_factor = figures.burst_factor;
      burst = {figures.peak, std::max<std::int64_t>(rule.most_in_window(), 1)};
    }
    excess += figures.excess_certain;
    overshoot = std::max(overshoot, figures.overshoot);
    slack_us = std::max(slack_us, figures.slack_us);
    decisions += figures.decisions;
    right += figures.right;
    wrong += figures.wrong;
  }

  ScenarioFigure figure(Metric metric) const {
    if (metric == Metric::peak) return exactly(peak);
    if (metric == Metric::burst_factor) return exactly(burst.first, burst.second);
    if (metric == Metric::overshoot) return exactly(std::llround(overshoot * kParts), kParts);
    if (metric == Metric::over_admitted) return exactly(excess, operations);
    if (metric == Metric::false_denied) return exactly(false_denials, operations);
    if (metric == Metric::slack) return exactly(slack_us);
    return {right, decisions - wrong, decisions};
  }
};

std::optional<ScenarioFigure> figure_of(Metric metric, const FaultFigures& fault) {
  const FaultCounts& during = fault.during;
  const std::int64_t all = during.allowed + during.denied + during.unknown + during.failed;
  const auto time = [](const std::optional<std::int64_t>& after_us) {
    return after_us ? std::optional(exactly(*after_us)) : std::nullopt;
  };
  if (metric == Metric::right_again) return time(fault.right_after_us);
  if (metric == Metric::admits_again) return time(fault.admits_after_us);
  if (metric == Metric::over_admitted) return exactly(during.over_admitted, all);
  if (metric == Metric::allowed) return exactly(during.allowed, all);
  if (metric == Metric::denied) return exactly(during.denied, all);
  return exactly(metric == Metric::unknown ? during.unknown : during.failed, all);
}

Log of_phase(const Log& log, std::uint8_t phase) {
  return log.only([&](std::size_t record) { return log.records[record].phase == phase; });
}

}  // namespace

// A warm-up counts only where an expectation names it. In windows and verdicts it always counts.
bool PlayedFigures::is_meant(std::uint32_t phase, const Selection& selection) const {
  return selection.phase ? phase == *selection.phase : !scenario_.phases[phase].warm_up;
}

bool PlayedFigures::matches(const Record& record, const Log& log,
                            const Selection& selection) const {
  if (!is_meant(record.phase, selection)) return false;
  if (selection.who && record.who != *selection.who) return false;
  return !selection.key || log.keys[record.key] == *selection.key;
}

std::vector<Record> PlayedFigures::records_of(const Selection& selection) const {
  std::vector<Record> records;
  for (const PolicyResult& policy : result_.policies) {
    if (selection.policy && policy.policy != *selection.policy) continue;
    for (const Record& record : policy.log.records)
      if (matches(record, policy.log, selection)) records.push_back(record);
  }
  return records;
}

// A phase is judged on its own records. Kinds and keys are judged within the whole log, because
// other clients' requests on a shared key explain its denials.
PlayedFigures::Judged PlayedFigures::judged(const PolicyResult& policy,
                                            const Selection& selection) const {
  if (!selection.phase) return {policy.log.records, policy.verdict};
  const auto [place, fresh] = parts_.try_emplace({policy.policy, *selection.phase});
  Part& part = place->second;
  if (fresh) {
    part.log = of_phase(policy.log, *selection.phase);
    part.verdict =
        judge(part.log, judge_options_of(scenario_, scenario_.policies[policy.policy], part.log));
  }
  return {part.log.records, part.verdict};
}

Measurement PlayedFigures::measure_judged(Metric metric, const Selection& selection) const {
  for (const PolicyResult& policy : result_.policies) {
    const bool meant = selection.policy
                           ? policy.policy == *selection.policy
                           : policy.policy == scenario_.phases[*selection.phase].policy;
    if (!meant) continue;
    const auto [records, verdict] = judged(policy, selection);
    std::set<std::uint32_t> keys;
    for (const Record& record : records)
      if (matches(record, policy.log, selection)) keys.insert(record.key);
    if (keys.empty()) return NotAvailable{"no request of that kind was sent", true};
    JudgedSum sum;
    for (const KeyFigures& key : verdict.policy.keys) {
      if (!keys.contains(key.key)) continue;
      sum.add(key.figures, verdict.policy.rules[key.figures.rule]);
      for (const std::uint32_t index : key.figures.certain_false_denials)
        sum.false_denials += matches(records[index], policy.log, selection);
    }
    return sum.figure(metric);
  }
  return NotAvailable{"no decision was made under that policy"};
}

Measurement PlayedFigures::measure_times(const MetricRow& metric,
                                         const Selection& selection) const {
  std::vector<std::int64_t> times_us;
  for (const Record& record : records_of(selection)) {
    if (record.outcome > Outcome::denied) continue;
    const std::int64_t from_us =
        metric.metric == Metric::latency ? record.intended_us : record.sent_us;
    times_us.push_back(record.received_us - from_us);
  }
  if (times_us.empty()) return NotAvailable{"no request was answered"};
  return exactly(std::llround(figure_of(summarize(std::move(times_us)), metric.statistic)));
}

Measurement PlayedFigures::measure_count(Metric metric, const Selection& selection) const {
  const bool by_phase = metric == Metric::offered || metric == Metric::late ||
                        metric == Metric::dropped || metric == Metric::completed;
  if (!by_phase || selection.who || selection.key) {
    const std::vector<Record> records = records_of(selection);
    const auto all = static_cast<std::int64_t>(records.size());
    if (metric == Metric::offered) return exactly(all, all);
    if (metric == Metric::late)
      return exactly(std::ranges::count_if(records,
                                           [&](const Record& record) {
                                             return sent_late(record,
                                                              scenario_.budgets.late_after_us);
                                           }),
                     all);
    if (by_phase)
      return NotAvailable{"this metric is counted by phase, not by kind of client or key"};
    return exactly(std::ranges::count_if(
                       records, [&](const Record& record) { return is_outcome(metric, record); }),
                   all);
  }
  if (result_.lacks_counts && metric != Metric::late)
    return NotAvailable{"a log without its end does not tell which requests were planned"};
  std::int64_t count = 0;
  std::int64_t offered = 0;
  bool played = false;
  for (const PhaseResult& phase : result_.phases) {
    if (!is_meant(phase.phase, selection)) continue;
    if (selection.policy && scenario_.phases[phase.phase].policy != *selection.policy) continue;
    played = true;
    count += of_phase(metric, phase);
    offered += phase.offered;
  }
  if (!played) return NotAvailable{"no such phase was played"};
  return exactly(count, offered);
}

// The largest error of a Retry-After.
Measurement PlayedFigures::measure_promises(const Selection& selection) const {
  std::int64_t tested = 0;
  std::int64_t worst_us = 0;
  for (const PolicyResult& policy : result_.policies) {
    if (selection.policy && policy.policy != *selection.policy) continue;
    const KeptPromises promises = check_promises(
        policy.log, [&](const Record& record) { return matches(record, policy.log, selection); });
    tested += promises.tested;
    worst_us = std::max(worst_us, promises.error_us);
  }
  if (tested == 0) return NotAvailable{"no client retried on its own after a Retry-After"};
  return exactly(worst_us);
}

Measurement PlayedFigures::measure_recovery(const Selection& selection) const {
  std::int64_t worst_us = -1;
  for (const PlayedFault& fault : result_.faults) {
    const Fault& planned = scenario_.faults[fault.fault];
    if (selection.fault && planned.kind != *selection.fault) continue;
    const std::int64_t first_us = first_answer_after(records_of(selection), fault.at_us);
    if (first_us == kNoTime) return NotAvailable{"no decision was made after the fault"};
    worst_us = std::max(worst_us, first_us - fault.at_us);
  }
  if (worst_us < 0) return NotAvailable{"no fault of that kind happened"};
  return exactly(worst_us);
}

// The worst of all faults of the kind; a count of its requests until decisions were right again.
Measurement PlayedFigures::measure_fault(Metric metric, const Selection& selection) const {
  std::optional<ScenarioFigure> worst;
  for (const PlayedFault& fault : result_.faults) {
    if (selection.fault && scenario_.faults[fault.fault].kind != *selection.fault) continue;
    std::optional<ScenarioFigure> figure = figure_of(metric, fault.figures);
    if (!figure)
      return NotAvailable{"it was not so again before the run ended, or another fault came"};
    if (&fault == &result_.faults.back() &&
        fault.has_no_sequel(scenario_.faults[fault.fault].row()))
      figure->high = ScenarioFigure::kOpen;
    const std::int64_t high = std::max(figure->high, worst ? worst->high : 0);
    if (!worst || figure->low > worst->low) worst = figure;
    worst->high = high;
  }
  if (!worst) return NotAvailable{"no fault of that kind happened"};
  return *worst;
}

Measurement PlayedFigures::measure(const MetricRow& row, const Selection& selection) const {
  const Metric metric = row.metric;
  if (metric == Metric::recovery) return measure_recovery(selection);
  if (selection.fault || row.is_only_of_faults()) return measure_fault(metric, selection);
  if (row.is(kJudged)) return measure_judged(metric, selection);
  if (row.statistic != Statistic::none) return measure_times(row, selection);
  if (metric == Metric::retry_after_error) return measure_promises(selection);
  return measure_count(metric, selection);
}

}  // namespace rlctl
