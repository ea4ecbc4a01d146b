#include "compare/measured_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/error.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/units.h"
#include "result/codec.h"

namespace rlctl {
namespace {

constexpr double kMost = 9e15;

using Rounds = std::vector<RoundDocument>;

// Latencies are one level below the other figures.
Number round_figure(const RoundDocument& round, const MetricRow& metric) {
  const Number value = number_in(round, metric.field);
  return value.is_known() ? value : number_in(round.latency_us, metric.field);
}

// The figure of every round. Empty if a round has none, or 0 (the server did not report it).
std::vector<double> figures_of(const Rounds& rounds, const MetricRow& metric) {
  std::vector<double> values;
  for (const RoundDocument& round : rounds) {
    const double value = round_figure(round, metric).or_zero();
    if (value <= 0) return {};
    values.push_back(value);
  }
  return values;
}

// Of figures that the same run gives again; see MeasuredFigure. The attacks of a bench draw
// nothing.
std::string seed_of(const Text& clock, const Number& seed) {
  if (clock != "virtual") return {};
  return seed.is_known() ? seed.digits() : "0";
}

// Fills a MeasuredRun from a document of any kind.
class Measurer {
 public:
  explicit Measurer(MeasuredRun& run) : run_(run) {}

  void operator()(const BenchDocument& bench);
  void operator()(const RunDocument& result);
  void operator()(const VerifyDocument& result) { logs("verify", result.logs); }
  void operator()(const SimulateDocument& result) {
    seed_ = seed_of(result.clock, result.seed);
    circumstance("pattern", result.pattern.shown());
    logs("simulate", result.judged);
  }

 private:
  void circumstance(const std::string& name, const std::string& value) {
    if (!value.empty()) run_.circumstances.emplace_back(name, value);
  }
  void circumstance(const std::string& name, const Number& count) {
    if (const auto value = count.approximately(); value && std::abs(*value) < kMost)
      circumstance(name, format_count(static_cast<std::int64_t>(*value)));
  }
  void machine(const BenchDocument& bench);
  void algorithm(const AlgorithmDocument& entry, const std::string& seed_of_attacks);
  void attacks(const AlgorithmDocument& entry);
  void unanswered(const AlgorithmDocument& entry);
  void rounds(const std::string& subject, const char* traffic, const Rounds& rounds,
              const AlgorithmDocument& entry);
  void fact(const std::string& subject, const char* metric, const Number& low, const Number& high);
  void fact(const std::string& subject, const char* metric, const Number& value) {
    fact(subject, metric, value, value);
  }
  void verdict(const std::string& subject, const Text& verdict) {
    if (!verdict.empty()) run_.verdicts.emplace_back(subject, verdict.shown());
  }
  void logs(const char* kind, const JudgedLogsDocument& logs);
  void history(const HistoryDocument& history);
  void judged(const std::string& subject, const HistoryDocument& history);

  MeasuredRun& run_;
  std::string seed_;  // of the next facts
};

void Measurer::fact(const std::string& subject, const char* metric, const Number& low,
                    const Number& high) {
  if (!low.is_known() || !high.is_known()) return;
  MeasuredFigure figure;
  figure.subject = subject;
  figure.metric = find_metric(metric, AskedIn::comparison);
  figure.low = low.or_zero();
  figure.high = high.or_zero();
  figure.seed = seed_;
  run_.figures.push_back(std::move(figure));
}

void Measurer::rounds(const std::string& subject, const char* traffic, const Rounds& rounds,
                      const AlgorithmDocument& entry) {
  for (const MetricRow* metric : metrics_in(AskedIn::comparison)) {
    if (!metric->is(kByRound)) continue;
    MeasuredFigure figure;
    figure.subject = subject;
    figure.traffic = traffic;
    figure.metric = metric;
    figure.rounds = figures_of(rounds, *metric);
    if (entry.yardstick) figure.yardstick = figures_of(entry.yardstick->rounds, *metric);
    // The yardstick comes first in a round, and the last round may have been interrupted.
    if (figure.yardstick.size() < figure.rounds.size()) figure.yardstick.clear();
    figure.yardstick.resize(std::min(figure.yardstick.size(), figure.rounds.size()));
    if (!figure.rounds.empty()) run_.figures.push_back(std::move(figure));
  }
}

void Measurer::unanswered(const AlgorithmDocument& entry) {
  double sum = 0;
  bool known = false;
  for (const Rounds* rounds : {&entry.rounds, &entry.denied.rounds})
    for (const RoundDocument& round : *rounds) {
      sum += round.unanswered.or_zero();
      known = known || round.unanswered.is_known();
    }
  if (known) fact(entry.name.shown(), "unanswered", sum);
}

void Measurer::attacks(const AlgorithmDocument& entry) {
  if (entry.attacks.empty()) return;
  double excess = 0;
  double false_denials = 0;
  for (const AttackDocument& attack : entry.attacks) {
    excess += attack.excess_certain.or_zero();
    false_denials += attack.certain_false_denials.or_zero();
  }
  fact(entry.name.shown(), "excess_certain", excess);
  fact(entry.name.shown(), "certain_false_denials", false_denials);
}

void Measurer::algorithm(const AlgorithmDocument& entry, const std::string& seed_of_attacks) {
  const std::string name = entry.name.shown();
  if (entry.yardstick) run_.yardstick = entry.yardstick->name.shown();
  rounds(name, "admitted", entry.rounds, entry);
  rounds(name, "denied", entry.denied.rounds, entry);
  // 0: not measured, or the server does not report it.
  if (entry.bytes_per_key.or_zero() > 0) fact(name, "bytes_per_key", entry.bytes_per_key);
  seed_ = seed_of_attacks;
  fact(name, "accuracy", entry.accuracy_low, entry.accuracy_high);
  fact(name, "peak", entry.peak);
  fact(name, "burst_factor", entry.burst_factor);
  attacks(entry);
  seed_.clear();
  unanswered(entry);
  verdict(name, entry.policy_verdict);
}

void Measurer::machine(const BenchDocument& bench) {
  circumstance("processor", bench.machine.cpu.shown());
  circumstance("cores", bench.machine.cores);
  circumstance("kernel", bench.machine.kernel.shown());
  run_.other_cpu_percent = bench.machine_use.other_cpu_percent.or_zero();
}

void Measurer::operator()(const BenchDocument& bench) {
  run_.kind = "bench";
  circumstance("policy", shown(bench.policy.rules));
  machine(bench);
  circumstance("server", bench.server.shown());
  circumstance("rlctl", bench.version.shown());
  circumstance("connections", bench.connections);
  circumstance("pipeline", bench.pipeline);
  circumstance("threads", bench.threads);
  circumstance("wait", bench.wait);
  circumstance("keys", bench.keys);
  circumstance("length of a round, us", bench.duration_us);
  circumstance("requests of a round", bench.requests);
  circumstance("requests/s", bench.rate_per_s);
  run_.complete = bench.complete;
  for (const AlgorithmDocument& entry : bench.algorithms)
    algorithm(entry, seed_of(bench.clock, {}));
}

void Measurer::judged(const std::string& subject, const HistoryDocument& history) {
  if (history.policy) circumstance("policy of " + subject, shown(history.policy->rules));
  verdict(subject, history.verdict);
  const FiguresDocument& totals = history.totals;
  fact(subject, "accuracy", totals.accuracy_low, totals.accuracy_high);
  for (const char* name :
       {"peak", "burst_factor", "overshoot", "excess_certain", "certain_false_denials"})
    fact(subject, name, number_in(totals, name));
  if (totals.unknown.is_known() && totals.failed.is_known())
    fact(subject, "unanswered", totals.unknown.or_zero() + totals.failed.or_zero());
}

void Measurer::history(const HistoryDocument& history) {
  std::string name = history.algorithm.shown();
  if (!history.history.empty()) name += (name.empty() ? "" : ", ") + history.history.shown();
  judged(name.empty() ? run_.kind : name, history);
}

void Measurer::logs(const char* kind, const JudgedLogsDocument& logs) {
  run_.kind = kind;
  for (const HistoryDocument& one : logs.histories) history(one);
  if (logs.histories.empty()) history(logs.worst);
}

void Measurer::operator()(const RunDocument& result) {
  run_.kind = "run";
  for (const ScenarioDocument& scenario : result.scenarios) {
    const std::string name = scenario.name.shown();
    circumstance("seed of " + name, scenario.seed);
    seed_ = seed_of(scenario.clock, scenario.seed);
    for (const RunPolicyDocument& policy : scenario.policies)
      judged(scenario.policies.size() > 1 ? name + ": " + policy.name.shown() : name,
             policy.judged);
  }
}

[[noreturn]] void refuse(const std::string& path, const std::string& what, std::string hint) {
  throw Error(Exit::usage, in_quotes(path) + " " + what, std::move(hint));
}

}  // namespace

MeasuredRun measured_result(const ResultDocument& document, const std::string& path) {
  MeasuredRun run;
  run.path = path;
  std::visit(Measurer(run), document);
  if (run.figures.empty())
    refuse(path, "has no figures", "let rlctl " + run.kind + " --json run to its end");
  return run;
}

std::optional<MeasuredRun> read_result(std::string_view text, const std::string& path) {
  const auto file = parse_result(text);
  if (!file && looks_like_result(text)) refuse_incomplete_result(path);
  if (!file || file->schema.empty()) return std::nullopt;
  if (!file->document)
    refuse(path,
           "has the schema " + in_quotes(file->schema.bytes()) + ", which compare cannot read",
           "use the --json output of bench, run, simulate or verify, or a log");
  return measured_result(*file->document, path);
}

}  // namespace rlctl
