#include "compare/measured_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/escape.h"
#include "base/stats.h"
#include "base/units.h"
#include "verdict/verdict.h"

namespace rlctl {
namespace {

constexpr std::size_t kSlices = 10;
// The phase that fills the keys before bench measures denials. bench does not measure it either.
constexpr std::string_view kPreparation = "fill";

// Measured from the planned start if the log has one, as in bench.
std::int64_t latency_us(const Log& log, const Record& record) {
  const std::int64_t from = record.intended_us != kNoTime ? record.intended_us : record.sent_us;
  if (from == kNoTime || record.received_us == kNoTime) return 0;
  return log.latency_us(record, from);
}

std::vector<LatencySummary> slices_of(const Log& log, std::vector<const Record*> records) {
  std::stable_sort(records.begin(), records.end(), [](const Record* a, const Record* b) {
    return a->received_us < b->received_us;
  });
  std::vector<LatencySummary> slices;
  for (std::size_t slice = 0; slice < kSlices; ++slice) {
    const std::size_t from = records.size() * slice / kSlices;
    const std::size_t to = records.size() * (slice + 1) / kSlices;
    std::vector<std::int64_t> latencies_us;
    for (std::size_t i = from; i < to; ++i) latencies_us.push_back(latency_us(log, *records[i]));
    slices.push_back(summarize(std::move(latencies_us)));
  }
  return slices;
}

class LogMeasure {
 public:
  explicit LogMeasure(MeasuredRun& run) : run_(run) {}

  void add(const Log& log) {
    name_ = escape_for_terminal(log.algorithm);
    if (!log.history.empty())
      name_ += (name_.empty() ? "" : ", ") + escape_for_terminal(log.history);
    if (name_.empty()) name_ = "log";
    seed_ = log.clock == "virtual" ? fmt::format("{}", log.seed) : "";
    add_latencies(log);
    add_verdict(log);
  }

 private:
  void add_latencies(const Log& log) {
    if (log.lacks_latencies) return;
    std::map<std::string, std::vector<const Record*>> phases;
    for (const Record& record : log.records) {
      if (record.outcome > Outcome::denied || record.received_us == kNoTime) continue;
      if (record.lacks_duration) continue;
      const bool named = record.phase < log.phases.size() && log.phases.size() > 1;
      phases[named ? escape_for_terminal(log.phases[record.phase]) : ""].push_back(&record);
    }
    for (auto& [phase, records] : phases)
      if (phase != kPreparation && records.size() >= kLeastForLatencies)
        add_slices(phase, slices_of(log, std::move(records)));
  }

  // On the virtual clock a decision takes no time, so there is nothing to compare.
  void add_slices(const std::string& phase, const std::vector<LatencySummary>& slices) {
    for (const MetricRow* metric : metrics_in(AskedIn::comparison)) {
      MeasuredFigure figure;
      figure.subject = name_;
      figure.traffic = phase;
      figure.metric = metric;
      for (const LatencySummary& slice : slices)
        if (const double value = figure_of(slice, metric->statistic); value > 0)
          figure.rounds.push_back(value);
      if (figure.rounds.size() == slices.size()) run_.figures.push_back(std::move(figure));
    }
  }

  void add_fact(const char* metric, double low, double high) {
    MeasuredFigure figure;
    figure.subject = name_;
    figure.metric = find_metric(metric, AskedIn::comparison);
    figure.low = low;
    figure.high = high;
    figure.seed = seed_;
    run_.figures.push_back(std::move(figure));
  }

  void add_verdict(const Log& log) {
    if (log.policy.rules.empty() && log.contract.empty()) return;
    const Verdict verdict = judge(log, JudgeOptions(log.terms));
    const Figures& totals = verdict.policy.totals;
    run_.verdicts.emplace_back(name_, rlctl::name_of(verdict.verdict));
    run_.circumstances.emplace_back("policy of " + name_, rules_text(log.policy.rules));
    if (totals.decisions > 0) add_fact("accuracy", totals.accuracy_low, totals.accuracy_high);
    const auto add_count = [&](const char* metric, std::int64_t count) {
      add_fact(metric, static_cast<double>(count), static_cast<double>(count));
    };
    add_count("peak", totals.peak);
    add_fact("burst_factor", totals.burst_factor, totals.burst_factor);
    add_fact("overshoot", totals.overshoot, totals.overshoot);
    add_count("excess_certain", totals.excess_certain);
    add_count("certain_false_denials",
              static_cast<std::int64_t>(totals.certain_false_denials.size()));
    add_count("unanswered", totals.unknown + totals.failed);
  }

  MeasuredRun& run_;
  std::string name_;
  std::string seed_;  // of the figures of the verdict; see MeasuredFigure
};

}  // namespace

MeasuredRun measured_logs(ParsedLogs logs, const std::string& path) {
  MeasuredRun run;
  run.path = path;
  run.kind = "log";
  LogMeasure measure(run);
  for (const ParsedHistory& history : logs.histories) measure.add(history.log);
  if (run.figures.empty())
    throw Error(Exit::usage, in_quotes(path) + " has too few records to compare",
                fmt::format("compare needs {} operations with durations, or a header with a policy",
                            kLeastForLatencies));
  const bool sliced = std::any_of(run.figures.begin(), run.figures.end(),
                                  [](const auto& figure) { return !figure.rounds.empty(); });
  if (sliced)
    run.notes.push_back(fmt::format(
        "{} is one run, divided into {} consecutive slices: a drift within the run counts as a "
        "difference; for a better comparison, run bench twice",
        in_quotes(path), kSlices));
  return run;
}

}  // namespace rlctl
