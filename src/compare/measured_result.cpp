#include "compare/measured_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/units.h"

namespace rlctl {
namespace {

struct TooDeep {};

// nlohmann's parser is safe at any depth, but its destructor and copies may not be.
std::optional<Json> parse_shallow(std::string_view text) {
  try {
    Json json = Json::parse(
        text.begin(), text.end(),
        [](int depth, Json::parse_event_t, Json&) -> bool {
          if (depth > static_cast<int>(kDeepestJson)) throw TooDeep{};
          return true;
        },
        false);
    if (json.is_discarded()) return std::nullopt;
    return json;
  } catch (const TooDeep&) {
    return std::nullopt;
  }
}

const Json& member(const Json& object, const char* name) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(name);
  return found == object.end() ? nothing : *found;
}

std::optional<double> number(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_number()) return std::nullopt;
  const double read = value.get<double>();
  return std::isfinite(read) ? std::optional(read) : std::nullopt;
}

std::string text_of(const Json& object, const char* name) {
  const Json& value = member(object, name);
  return value.is_string() ? escape_for_terminal(value.get_ref<const std::string&>())
                           : std::string();
}

// Latencies are one level below the other figures.
std::optional<double> round_figure(const Json& round, const ComparedMetric& metric) {
  if (const auto value = number(round, metric.name)) return value;
  return number(member(round, "latency_us"), metric.name);
}

// The figure of every round. Empty if a round has none, or 0 (the server did not report it).
std::vector<double> figures_of(const Json& rounds, const ComparedMetric& metric) {
  std::vector<double> values;
  if (!rounds.is_array()) return values;
  for (const Json& round : rounds) {
    const auto value = round_figure(round, metric);
    if (!value || *value <= 0) return {};
    values.push_back(*value);
  }
  return values;
}

std::string policy_in_words(const Json& policy) {
  const auto limit = number(policy, "limit");
  const auto window = number(policy, "window_us");
  constexpr double kMost = 9e15;
  if (!limit || !window || *limit < 0 || *window <= 0 || *limit > kMost || *window > kMost)
    return {};
  return fmt::format("{} per {}", format_count(static_cast<std::int64_t>(*limit)),
                     format_duration(static_cast<std::int64_t>(*window)));
}

class ResultReader {
 public:
  explicit ResultReader(MeasuredRun& run) : run_(run) {}

  void bench(const Json& result);
  void verified(const Json& result, const std::string& otherwise);
  void scenarios(const Json& result);

 private:
  void circumstance(const std::string& name, const std::string& value) {
    if (!value.empty()) run_.circumstances.emplace_back(name, value);
  }
  void count_circumstance(const char* name, const Json& object, const char* key) {
    if (const auto value = number(object, key); value && std::abs(*value) < 9e15)
      circumstance(name, format_count(static_cast<std::int64_t>(*value)));
  }
  void machine(const Json& result);
  void algorithm(const Json& entry);
  void rounds(const std::string& subject, const char* traffic, const Json& rounds,
              const Json& yardstick);
  void fact(const std::string& subject, const char* metric, std::optional<double> low,
            std::optional<double> high);
  void fact(const std::string& subject, const char* metric, const Json& from) {
    fact(subject, metric, number(from, metric), number(from, metric));
  }
  void unanswered(const std::string& subject, const Json& entry);
  void totals(const std::string& subject, const Json& totals);

  MeasuredRun& run_;
};

void ResultReader::fact(const std::string& subject, const char* metric, std::optional<double> low,
                        std::optional<double> high) {
  if (!low || !high) return;
  MeasuredFigure figure;
  figure.subject = subject;
  figure.metric = compared_metric(metric);
  figure.low = *low;
  figure.high = *high;
  run_.figures.push_back(std::move(figure));
}

void ResultReader::rounds(const std::string& subject, const char* traffic, const Json& rounds,
                          const Json& yardstick) {
  for (const ComparedMetric& metric : compared_metrics()) {
    if (!metric.by_round) continue;
    MeasuredFigure figure;
    figure.subject = subject;
    figure.traffic = traffic;
    figure.metric = &metric;
    figure.rounds = figures_of(rounds, metric);
    figure.yardstick = figures_of(yardstick, metric);
    // The yardstick comes first in a round, and the last round may have been interrupted.
    if (figure.yardstick.size() < figure.rounds.size()) figure.yardstick.clear();
    figure.yardstick.resize(std::min(figure.yardstick.size(), figure.rounds.size()));
    if (!figure.rounds.empty()) run_.figures.push_back(std::move(figure));
  }
}

void ResultReader::unanswered(const std::string& subject, const Json& entry) {
  double sum = 0;
  bool known = false;
  for (const Json* rounds : {&member(entry, "rounds"), &member(member(entry, "denied"), "rounds")})
    if (rounds->is_array())
      for (const Json& round : *rounds)
        if (const auto count = number(round, "unanswered")) {
          sum += *count;
          known = true;
        }
  if (known) fact(subject, "unanswered", sum, sum);
}

void ResultReader::algorithm(const Json& entry) {
  const std::string name = text_of(entry, "name");
  const Json& yardstick = member(member(entry, "yardstick"), "rounds");
  if (yardstick.is_array()) run_.yardstick = text_of(member(entry, "yardstick"), "name");
  rounds(name, "admitted", member(entry, "rounds"), yardstick);
  rounds(name, "denied", member(member(entry, "denied"), "rounds"), yardstick);
  // 0: not measured, or the server does not report it.
  if (const auto bytes = number(entry, "bytes_per_key"); bytes && *bytes > 0)
    fact(name, "bytes_per_key", bytes, bytes);
  fact(name, "accuracy", number(entry, "accuracy_low"), number(entry, "accuracy_high"));
  fact(name, "peak", entry);
  fact(name, "burst_factor", entry);
  double excess = 0;
  double false_denials = 0;
  const Json& attacks = member(entry, "attacks");
  if (attacks.is_array() && !attacks.empty()) {
    for (const Json& attack : attacks) {
      excess += number(attack, "excess_certain").value_or(0);
      false_denials += number(attack, "certain_false_denials").value_or(0);
    }
    fact(name, "excess_certain", excess, excess);
    fact(name, "certain_false_denials", false_denials, false_denials);
  }
  unanswered(name, entry);
  if (const std::string verdict = text_of(entry, "policy_verdict"); !verdict.empty())
    run_.verdicts.emplace_back(name, verdict);
}

void ResultReader::machine(const Json& result) {
  const Json& machine = member(result, "machine");
  circumstance("processor", text_of(machine, "cpu"));
  count_circumstance("cores", machine, "cores");
  circumstance("kernel", text_of(machine, "kernel"));
  run_.other_cpu_percent = number(member(result, "machine_use"), "other_cpu_percent").value_or(0);
}

void ResultReader::bench(const Json& result) {
  circumstance("policy", policy_in_words(member(result, "policy")));
  machine(result);
  circumstance("server", text_of(result, "server"));
  circumstance("rlctl", text_of(result, "version"));
  count_circumstance("connections", result, "connections");
  count_circumstance("pipeline", result, "pipeline");
  count_circumstance("keys", result, "keys");
  count_circumstance("length of a round, us", result, "duration_us");
  count_circumstance("requests of a round", result, "requests");
  count_circumstance("requests/s", result, "rate_per_s");
  const Json& complete = member(result, "complete");
  run_.complete = !complete.is_boolean() || complete.get<bool>();
  const Json& algorithms = member(result, "algorithms");
  if (!algorithms.is_array()) return;
  for (const Json& entry : algorithms) algorithm(entry);
}

void ResultReader::totals(const std::string& subject, const Json& totals) {
  fact(subject, "accuracy", number(totals, "accuracy_low"), number(totals, "accuracy_high"));
  for (const char* name : {"peak", "burst_factor", "excess_certain", "certain_false_denials"})
    fact(subject, name, totals);
  const auto unknown = number(totals, "unknown");
  const auto failed = number(totals, "failed");
  if (unknown && failed) fact(subject, "unanswered", *unknown + *failed, *unknown + *failed);
}

void ResultReader::verified(const Json& result, const std::string& otherwise) {
  const Json& histories = member(result, "histories");
  if (histories.is_array() && !histories.empty()) {
    for (const Json& history : histories) verified(history, otherwise);
    return;
  }
  std::string name = text_of(result, "algorithm");
  if (const std::string history = text_of(result, "history"); !history.empty())
    name += (name.empty() ? "" : ", ") + history;
  if (name.empty()) name = otherwise;
  circumstance("policy of " + name, policy_in_words(member(result, "policy")));
  if (const std::string verdict = text_of(result, "verdict"); !verdict.empty())
    run_.verdicts.emplace_back(name, verdict);
  totals(name, member(result, "totals"));
}

void ResultReader::scenarios(const Json& result) {
  const Json& list = member(result, "scenarios");
  if (!list.is_array()) return;
  for (const Json& scenario : list) {
    const std::string name = text_of(scenario, "name");
    count_circumstance(("seed of " + name).c_str(), scenario, "seed");
    const Json& policies = member(scenario, "policies");
    if (!policies.is_array()) continue;
    for (const Json& policy : policies) {
      const std::string own = text_of(policy, "name");
      const std::string subject = policies.size() > 1 ? name + ": " + own : name;
      circumstance("policy of " + subject, policy_in_words(member(policy, "policy")));
      if (const std::string verdict = text_of(policy, "verdict"); !verdict.empty())
        run_.verdicts.emplace_back(subject, verdict);
      totals(subject, member(policy, "totals"));
    }
  }
}

[[noreturn]] void refuse(const std::string& path, const std::string& what, std::string hint) {
  throw Error(Exit::usage, in_quotes(path) + " " + what, std::move(hint));
}

}  // namespace

std::optional<MeasuredRun> read_result(std::string_view text, const std::string& path) {
  const auto json = parse_shallow(text);
  if (!json || !json->is_object() || !member(*json, "schema").is_string()) return std::nullopt;
  const std::string schema = member(*json, "schema").get<std::string>();
  MeasuredRun run;
  run.path = path;
  ResultReader reader(run);
  if (schema == "rlctl.bench/1") {
    run.kind = "bench";
    reader.bench(*json);
  } else if (schema == "rlctl.run/1") {
    run.kind = "run";
    reader.scenarios(*json);
  } else if (schema == "rlctl.verify/1" || schema == "rlctl.simulate/1") {
    run.kind = schema == "rlctl.verify/1" ? "verify" : "simulate";
    reader.verified(*json, run.kind);
  } else {
    refuse(path, "has the schema " + in_quotes(schema) + ", which compare cannot read",
           "use the --json output of bench, run, simulate or verify, or a log");
  }
  if (run.figures.empty())
    refuse(path, "has no figures", "let rlctl " + run.kind + " --json run to its end");
  return run;
}

}  // namespace rlctl
