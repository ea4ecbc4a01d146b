#include "report/bench_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>

#include "base/escape.h"
#include "base/table.h"
#include "base/text.h"
#include "base/units.h"
#include "base/utf8.h"
#include "report/bench_figures.h"
#include "report/bench_warnings.h"
#include "report/page/bench_words.h"

namespace rlctl {
namespace {

constexpr const char* kNothing = "-";

// One line of the table: its name, and how to print its value for an algorithm.
struct TableLine {
  std::string name;
  std::string part;
  std::function<std::string(const AlgorithmResult&)> show;
  bool even_if_unknown = false;  // else a line that no algorithm has a figure for is left out
};

std::string show_nothing(const AlgorithmResult&) { return kNothing; }

std::span<const SpeedRound> rounds_of(const AlgorithmResult& result, bool admitted) {
  return admitted ? result.admitted : denials(result);
}

template <typename Value>
std::function<std::string(const AlgorithmResult&)> with_spread(bool admitted, Value value_of,
                                                               int digits) {
  return [=](const AlgorithmResult& result) -> std::string {
    const auto shown = figure(rounds_of(result, admitted), value_of);
    if (!shown) return kNothing;
    if (shown->median <= 0) return kNothing;  // the server did not report it
    const std::string value = digits == 0 ? format_count(static_cast<std::int64_t>(shown->median))
                                          : fmt::format("{:.{}f}", shown->median, digits);
    if (rounds_of(result, admitted).size() < 2) return value;
    return fmt::format("{} ±{:>2.0f}%", value, shown->spread_percent);
  };
}

template <typename Value>
std::function<std::string(const AlgorithmResult&)> latency(bool admitted, Value value_of) {
  return [=](const AlgorithmResult& result) -> std::string {
    const auto shown = figure(rounds_of(result, admitted), value_of);
    return shown ? format_count(static_cast<std::int64_t>(shown->median)) : kNothing;
  };
}

const AttackResult* find_attack(const AlgorithmResult& result, Attack attack) {
  for (const AttackResult& played : result.attacks)
    if (played.attack == attack) return &played;
  return nullptr;
}

std::string show_accuracy(const AlgorithmResult& result, Attack attack) {
  const AttackResult* played = find_attack(result, attack);
  if (played == nullptr) return kNothing;
  return format_accuracy(played->figures.accuracy_low, played->figures.accuracy_high);
}

std::string show_worst(const AlgorithmResult& result, Attack attack) {
  const AttackResult* played = find_attack(result, attack);
  if (played == nullptr) return kNothing;
  return fmt::format("{} = {:.2f} x", format_count(played->figures.peak),
                     played->figures.burst_factor);
}

std::string show_attempts(const AlgorithmResult& result, Attack attack) {
  const AttackResult* played = find_attack(result, attack);
  return played == nullptr ? kNothing : format_count(played->attempts);
}

// Of the admitted traffic, unless no algorithm had some.
void add_latency(std::vector<TableLine>& lines, const BenchResult& bench) {
  const bool admitted = std::ranges::any_of(
      bench.algorithms, [](const AlgorithmResult& one) { return !one.admitted.empty(); });
  const auto add = [&](const char* name, const char* part, auto value_of) {
    lines.push_back({name, part, latency(admitted, value_of)});
  };
  add(admitted ? "latency, us" : "latency of denials, us", "mean",
      [](const SpeedRound& r) { return r.latency_us.mean; });
  add("", "p50", [](const SpeedRound& r) { return r.latency_us.p50; });
  add("", "p95", [](const SpeedRound& r) { return r.latency_us.p95; });
  add("", "p99", [](const SpeedRound& r) { return r.latency_us.p99; });
  add("", "p99.9", [](const SpeedRound& r) { return r.latency_us.p999; });
}

void add_speed(std::vector<TableLine>& lines, const BenchResult& bench) {
  const auto rate = [](const SpeedRound& round) { return round.decisions_per_second; };
  const auto cpu = [](const SpeedRound& round) { return round.server_cpu_us_per_decision; };
  const auto percent = [](const SpeedRound& round) { return round.redis_cpu_percent; };
  lines.push_back({"decisions/s", "admitted", with_spread(true, rate, 0)});
  lines.push_back({"", "denied", with_spread(false, rate, 0)});
  add_latency(lines, bench);
  if (bench.of_services) {
    const auto own = [](const SpeedRound& round) { return round.client_cpu_us_per_decision; };
    lines.push_back({"client CPU, us each", "admitted", with_spread(true, own, 2)});
    lines.push_back({"", "denied", with_spread(false, own, 2)});
    const bool measured = measures_speed(bench);
    lines.push_back({"server CPU, us each", "", show_nothing, measured});
    lines.push_back({"bytes per full key", "", show_nothing, measured});
    return;
  }
  lines.push_back({"server CPU, us each", "admitted", with_spread(true, cpu, 2)});
  lines.push_back({"", "denied", with_spread(false, cpu, 2)});
  lines.push_back({"Redis CPU, %", "admitted", with_spread(true, percent, 0)});
  lines.push_back({"bytes per full key", "", [](const AlgorithmResult& result) {
                     return result.bytes_per_key > 0 ? format_count(result.bytes_per_key)
                                                     : std::string(kNothing);
                   }});
}

std::string rate_in_words(const std::vector<SpeedRound>& rounds) {
  const auto shown =
      figure(rounds, [](const SpeedRound& round) { return round.decisions_per_second; });
  return shown ? format_count(static_cast<std::int64_t>(shown->median)) : kNothing;
}

// "38,819  98%": decisions per second, and the CPU of the busiest master.
std::string rate_on_one_node(const std::vector<SpeedRound>& rounds) {
  const std::string text = rate_in_words(rounds);
  const auto busiest = busiest_cpu_percent(node_medians(rounds));
  return busiest ? fmt::format("{} {:>3.0f}%", text, *busiest) : text;
}

// A cluster: what each master did, and what hash tags and a hot key cost.
void add_nodes(std::vector<TableLine>& lines, const BenchResult& result) {
  if (result.algorithms.empty()) return;
  lines.push_back({"all keys in one slot", "/s, busiest CPU %",
                   [](const AlgorithmResult& one) { return rate_on_one_node(one.one_slot); }});
  lines.push_back({"one hot key", "/s, busiest CPU %",
                   [](const AlgorithmResult& one) { return rate_on_one_node(one.one_key); }});
  const std::vector<NodeLoad> nodes = node_medians(result.algorithms.front().admitted);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    lines.push_back({i == 0 ? "each master: /s, CPU %" : "", escape_for_terminal(nodes[i].name),
                     [i](const AlgorithmResult& algorithm) -> std::string {
                       const std::vector<NodeLoad> own = node_medians(algorithm.admitted);
                       if (own.size() <= i) return kNothing;
                       return fmt::format(
                           "{} {:>3.0f}%",
                           format_count(static_cast<std::int64_t>(own[i].decisions_per_second)),
                           own[i].cpu_percent);
                     }});
  lines.push_back({"skew", "busiest / mean", [](const AlgorithmResult& algorithm) -> std::string {
                     const double skew = skew_of(node_medians(algorithm.admitted));
                     return skew > 0 ? fmt::format("{:.2f}", skew) : kNothing;
                   }});
}

template <typename Show>
void add_attacks(std::vector<TableLine>& lines, const std::string& name, Show show) {
  for (const Attack attack : kAttacks)
    lines.push_back({attack == kAttacks[0] ? name : "", name_of(attack),
                     [=](const AlgorithmResult& result) { return show(result, attack); }});
}

std::string show_own_contract(const AlgorithmResult& result) {
  if (!result.verdict) return kNothing;
  if (!result.verdict->own) return "none";
  return name_of(result.verdict->own->verdict);
}

std::string show_policy(const AlgorithmResult& result) {
  return result.verdict ? name_of(result.verdict->policy.verdict) : kNothing;
}

std::vector<TableLine> table_lines(const BenchResult& result) {
  std::vector<TableLine> lines;
  add_speed(lines, result);
  add_nodes(lines, result);
  add_attacks(lines, "accuracy, %", show_accuracy);
  const Rules& rules = result.policy.rules;
  add_attacks(lines, fmt::format("worst window of {}", format_count(most_in_window(rules))),
              show_worst);
  add_attacks(lines, "attempts", show_attempts);
  lines.push_back({"its own contract", "", show_own_contract});
  lines.push_back({in_words(rules), "", show_policy});
  return lines;
}

// A table of the algorithms [first, first + count), one column each.
std::string bench_table_of(const BenchResult& result, const std::vector<TableLine>& lines,
                           std::size_t first, std::size_t count) {
  std::vector<Column> columns{{"", Align::left}, {"", Align::left}};
  for (std::size_t i = first; i < first + count; ++i)
    columns.push_back({result.algorithms[i].name, Align::right});
  Table table(std::move(columns));
  std::string name;  // of a group: the first line that is shown has it
  for (const TableLine& line : lines) {
    if (!line.name.empty()) name = line.name;
    std::vector<std::string> row{name, line.part};
    for (std::size_t i = first; i < first + count; ++i)
      row.push_back(line.show(result.algorithms[i]));
    const auto is_known = [](const std::string& cell) { return cell != kNothing; };
    if (!line.even_if_unknown && std::none_of(row.begin() + 2, row.end(), is_known)) continue;
    table.add_row(std::move(row));
    name.clear();
  }
  return table.text();
}

std::size_t line_width(const std::string& text) {
  std::size_t widest = 0;
  for (const std::string& line : split(text, '\n')) widest = std::max(widest, display_width(line));
  return widest;
}

const char* where(Attack attack) {
  switch (attack) {
    case Attack::aligned:
      return "around the edge of a clock-aligned window";
    case Attack::anchored:
      return "around the end of a window that the first request opened";
    case Attack::hammer:
      break;
  }
  return "under the steady load of the hammer attack";
}

// Why the policy is broken: "admits 200 requests (limit 100)", or denies allowed requests.
std::string broken_in_words(const AlgorithmResult& result, const BenchResult& bench) {
  const AttackResult* worst = worst_attack(result);
  const std::int64_t limit = most_in_window(bench.policy.rules);
  const Violations& violations = result.verdict->policy.violations;
  if (violations.over_admission && worst->figures.peak > limit)
    return fmt::format("admits {} requests (limit {}) within {} {}",
                       format_count(worst->figures.peak), format_count(limit),
                       format_duration_for_people(worst->worst_span_us), where(worst->attack));
  const Figures& totals = result.verdict->policy.totals;
  return violations.over_admission
             ? excess_in_words(totals.excess_certain)
             : false_denials_in_words(std::ssize(totals.certain_false_denials));
}

std::string own_in_words(const AlgorithmResult& result) {
  if (!result.verdict->own) return "it has no contract of its own";
  switch (result.verdict->own->verdict) {
    case VerdictKind::holds:
      return "it keeps its own contract, but not your policy";
    case VerdictKind::violated:
      return "it breaks its own contract too";
    case VerdictKind::inconclusive:
      break;
  }
  return "its own contract is inconclusive";
}

std::string judged_in_words(const AlgorithmResult& result, const BenchResult& bench) {
  switch (result.verdict->policy.verdict) {
    case VerdictKind::violated:
      return fmt::format("{} {}; {}.", result.name, broken_in_words(result, bench),
                         own_in_words(result));
    case VerdictKind::inconclusive:
      return fmt::format("{}: inconclusive: {}.", result.name, result.verdict->policy.reason);
    case VerdictKind::holds:
      break;
  }
  const Figures& totals = result.verdict->policy.totals;
  return fmt::format("{} holds{}: {}.", result.name, bench.interrupted ? " so far" : "",
                     kept_in_words(bench.policy.rules, totals.right, totals.decisions));
}

std::optional<double> cpu_of(const AlgorithmResult& result, bool admitted) {
  const auto shown = figure(rounds_of(result, admitted), [](const SpeedRound& round) {
    return round.server_cpu_us_per_decision;
  });
  if (!shown || shown->median <= 0) return std::nullopt;
  return shown->median;
}

const AlgorithmResult* cheapest(const BenchResult& bench, bool admitted) {
  const AlgorithmResult* best = nullptr;
  for (const AlgorithmResult& result : bench.algorithms)
    if (cpu_of(result, admitted) &&
        (best == nullptr || *cpu_of(result, admitted) < *cpu_of(*best, admitted)))
      best = &result;
  return best;
}

std::string price_against(const AlgorithmResult& best, const AlgorithmResult& result,
                          bool admitted) {
  if (&best == &result) return "the lowest";
  return fmt::format("{:.2f} x that of {}", *cpu_of(result, admitted) / *cpu_of(best, admitted),
                     best.name);
}

// The price of a policy that holds: the server CPU of each such algorithm, compared with the
// cheapest of all algorithms.
std::string price_in_words(const BenchResult& bench) {
  std::string text;
  for (const AlgorithmResult& result : bench.algorithms) {
    if (!result.verdict || result.verdict->policy.verdict != VerdictKind::holds) continue;
    const AlgorithmResult* admitted = cheapest(bench, true);
    const AlgorithmResult* denied = cheapest(bench, false);
    if (admitted == nullptr || denied == nullptr || bench.algorithms.size() < 2) continue;
    if (!cpu_of(result, true) || !cpu_of(result, false)) continue;
    text += fmt::format("server CPU of {}: {} per admitted request, {} per denied request.\n",
                        result.name, price_against(*admitted, result, true),
                        price_against(*denied, result, false));
  }
  return text;
}

// What hash tags do to the balance of a cluster.
std::string balance_in_words(const BenchResult& bench) {
  std::string text;
  for (const AlgorithmResult& result : bench.algorithms) {
    const std::size_t masters = node_medians(result.admitted).size();
    if (masters == 0 || result.one_slot.empty() || result.one_key.empty()) continue;
    text += fmt::format(
        "{}: {} decisions/s over {} masters, {} if all keys have one hash tag, {} on one hot key; "
        "all keys with one tag are on one master, so give each client a tag of its own.\n",
        result.name, rate_in_words(result.admitted), masters, rate_in_words(result.one_slot),
        rate_in_words(result.one_key));
  }
  return text;
}

}  // namespace

std::string bench_table(const BenchResult& result, std::size_t width) {
  const auto lines = table_lines(result);
  std::string text;
  for (std::size_t first = 0; first < result.algorithms.size();) {
    std::size_t count = result.algorithms.size() - first;
    while (count > 1 && line_width(bench_table_of(result, lines, first, count)) > width) --count;
    text += (first > 0 ? "\n" : "") + bench_table_of(result, lines, first, count);
    first += count;
  }
  return text;
}

std::string bench_in_words(const BenchResult& result) {
  std::string text;
  const bool any_ran =
      std::ranges::any_of(result.algorithms, &BenchProblem::empty, &AlgorithmResult::failed);
  for (const AlgorithmResult& algorithm : result.algorithms) {
    if (algorithm.verdict) text += judged_in_words(algorithm, result) + "\n";
    if (!algorithm.failed.empty())
      text += fmt::format(
          "FAILED {}; {}.\n", algorithm.failed.what,
          any_ran ? "the rest of the bench ran without it" : "nothing else was measured");
    if (!algorithm.not_attacked.empty())
      text += fmt::format("{} was not attacked: {}.\n", algorithm.name, algorithm.not_attacked);
  }
  if (result.interrupted)
    text += fmt::format(
        "interrupted after {:.0f} s: the report shows finished rounds and partial attacks; it does "
        "not count as a pass.\n",
        result.seconds);
  return text + price_in_words(result) + balance_in_words(result) + bench_warnings(result);
}

}  // namespace rlctl
