// The text and JSON of a bench, from hand-made results.
#include <doctest/doctest.h>

#include <utility>

#include "report/bench_figures.h"
#include "report/bench_text.h"
#include "report/documents.h"
#include "report/page/of_results.h"
#include "result/codec.h"
#include "tools/contains.h"

using namespace rlctl;
using test::contains;

namespace {

SpeedRound round_of(double decisions_per_second, double server_cpu_us) {
  SpeedRound round;
  round.decisions = round.allowed = 1'000;
  round.decisions_per_second = decisions_per_second;
  round.server_cpu_us_per_decision = server_cpu_us;
  return round;
}

AlgorithmResult algorithm_of(const std::string& name, VerdictKind policy, std::int64_t peak) {
  AlgorithmResult result;
  result.name = name;
  result.admitted = {round_of(100, 10), round_of(110, 11), round_of(90, 9)};
  result.denied = {round_of(200, 5)};
  result.denied.front().allowed = 0;
  AttackResult attack;
  attack.attack = Attack::aligned;
  attack.attempts = 400;
  attack.worst_span_us = 124'000;
  attack.figures.peak = peak;
  attack.figures.burst_factor = static_cast<double>(peak) / 100;
  attack.figures.allowed = peak;
  attack.figures.denied = 400 - peak;
  attack.figures.accuracy_low = attack.figures.accuracy_high =
      policy == VerdictKind::holds ? 100 : 50;
  result.attacks = {attack};
  Verdict verdict;
  verdict.policy.verdict = policy;
  verdict.policy.violations.over_admission = policy == VerdictKind::violated;
  result.verdict = verdict;
  return result;
}

BenchResult result_of(std::vector<AlgorithmResult> algorithms) {
  BenchResult result;
  result.policy = policy_of({Rule{.limit = 100, .window_us = 1'000'000}});
  result.algorithms = std::move(algorithms);
  return result;
}

}  // namespace

TEST_CASE("a figure is the median of the rounds, its spread the farthest round in percent") {
  const auto shown = figure(algorithm_of("a", VerdictKind::holds, 100).admitted,
                            [](const SpeedRound& round) { return round.decisions_per_second; });
  REQUIRE(shown);
  CHECK(shown->median == 100);
  CHECK(shown->spread_percent == doctest::Approx(10));
  CHECK_FALSE(figure({}, [](const SpeedRound&) { return 1.0; }));
}

TEST_CASE("an accuracy below 100 is never shown as 100") {
  CHECK(format_percent(100) == "100");
  CHECK(format_percent(99.97) == "99.97");
  CHECK(format_percent(99.9996) == "99.9996");
  CHECK(format_percent(99.99999999) != "100");
  CHECK(format_percent(50) == "50.0");
  CHECK(format_accuracy(50, 75) == "50.0 to 75.0");
  CHECK(format_accuracy(100, 100) == "100");
}

TEST_CASE("the summary names who violates the policy, by how much, and in which time") {
  const auto text = bench_in_words(result_of({algorithm_of("fixed", VerdictKind::violated, 200),
                                              algorithm_of("exact", VerdictKind::holds, 100)}));
  CHECK(contains(text, "fixed admits 200 requests (limit 100) within 124 ms"));
  CHECK(contains(text, "exact holds: at most 100 in any 1s; "));
  CHECK(contains(text, "server CPU of exact: "));
}

TEST_CASE("the summary warns of unsteady rounds and of traffic that differs from the plan") {
  AlgorithmResult busy = algorithm_of("a", VerdictKind::holds, 100);
  busy.admitted.push_back(round_of(10, 10));
  busy.admitted.back().allowed = 500;
  const auto text = bench_in_words(result_of({busy}));
  CHECK(contains(text, "rounds differ by up to"));
  CHECK(contains(text, "only 50.0 %"));
}

TEST_CASE("a wide table is folded, and a figure that was not measured takes no line") {
  std::vector<AlgorithmResult> many;
  for (int i = 0; i < 9; ++i)
    many.push_back(algorithm_of("algorithm-" + std::to_string(i), VerdictKind::holds, 100));
  const std::string text = bench_table(result_of(many), 80);
  std::size_t at = 0, headers = 0;
  for (std::size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    CHECK(end - at <= 80 + 9);  // ± is two bytes wide
    if (contains(text.substr(at, end - at), "algorithm-")) ++headers;
  }
  CHECK(headers > 1);
  CHECK(contains(text, "algorithm-8"));
  CHECK_FALSE(contains(text, "hammer"));
}

TEST_CASE("the worst window of a bucket is compared with what it holds and refills in one") {
  const Rule bucket{.kind = RuleKind::bucket, .limit = 10, .window_us = 1'000'000, .capacity = 6};
  BenchResult result = result_of({algorithm_of("sound", VerdictKind::holds, 16)});
  result.policy = policy_of({bucket});
  result.algorithms[0].attacks[0].figures.burst_factor = burst_factor_of(16, bucket);
  const std::string text = bench_table(result, 80);
  CHECK(contains(text, "worst window of 16"));
  CHECK(contains(text, "16 = 1.00 x"));
}

TEST_CASE("the page of a bench tells of a bucket what its text tells") {
  BenchResult result = result_of({algorithm_of("sound", VerdictKind::holds, 19),
                                  algorithm_of("broken", VerdictKind::violated, 25)});
  result.policy = policy_of(
      {Rule{.kind = RuleKind::bucket, .limit = 10, .window_us = 1'000'000, .capacity = 10}});
  Figures& totals = result.algorithms[0].verdict->policy.totals;
  totals.right = totals.decisions = 400;
  const std::string kept =
      "at most 10 at once, refilled by 10 per 1s; all 400 decisions were correct";
  CHECK(contains(bench_in_words(result), "sound holds: " + kept));
  CHECK(contains(bench_in_words(result), "broken admits 25 requests (limit 20) within 124 ms"));
  Report page = report_of(document_of(result));
  CHECK(page.runs[0].sentence == kept);
  CHECK(page.runs[0].checks[0].name == "policy: bucket of 10, refilled 10 per 1s");
  CHECK(page.runs[1].sentence == "25 admissions (limit 20) within 124 ms (aligned attack)");
  CHECK(page.bars[0].limit == 20);
  // Two bursts may be too many, though no window is.
  result.algorithms[1].attacks[0].figures.peak = 20;
  result.algorithms[1].attacks[0].figures.excess_certain = 5;
  page = report_of(document_of(result));
  CHECK(page.runs[1].sentence.starts_with("over-admits: 5 of its admissions are above the limit"));
}

TEST_CASE("the JSON holds the highest peak, the lowest accuracy and every round") {
  AlgorithmResult result = algorithm_of("fixed", VerdictKind::violated, 200);
  result.attacks.push_back(result.attacks[0]);
  result.attacks[1].attack = Attack::hammer;
  result.attacks[1].figures.peak = 120;
  result.attacks[1].figures.accuracy_low = 40;
  const auto json = to_json(document_of(result_of({result})));
  const auto& entry = json["algorithms"][0];
  CHECK(entry["peak"] == 200);
  CHECK(entry["burst_factor"] == 2.0);
  CHECK(entry["accuracy_low"] == 40);
  CHECK(entry["accuracy_high"] == 50);
  CHECK(entry["rounds"].size() == 3);
  CHECK(entry["denied"]["rounds"].size() == 1);
  CHECK(entry["own_contract"].is_null());
  CHECK(entry["policy_verdict"] == "violated");
}

namespace {

AlgorithmResult with_rates(const std::vector<double>& rates) {
  AlgorithmResult result = algorithm_of("mine", VerdictKind::holds, 100);
  result.admitted.clear();
  for (const double rate : rates) result.admitted.push_back(round_of(rate, 10));
  return result;
}

}  // namespace

TEST_CASE("a slow first round is reported with its remedy, a later one by its number") {
  const auto cold = bench_in_words(result_of({with_rates({60, 100, 101, 99, 102, 100})}));
  CHECK(contains(cold, "mine, admitted: the first round was 40 % slower"));
  CHECK(contains(cold, "--warm-up 2s"));
  const auto odd = bench_in_words(result_of({with_rates({100, 101, 99, 50, 102, 100})}));
  CHECK(contains(odd, "mine, admitted: round 4 was far slower"));
  CHECK_FALSE(contains(odd, "--warm-up"));
  const auto steady = bench_in_words(result_of({with_rates({100, 101, 99, 98, 102, 100})}));
  CHECK_FALSE(contains(steady, "note: mine"));
}

TEST_CASE("a busy machine is reported, and a quiet one is not") {
  BenchResult result = result_of({algorithm_of("mine", VerdictKind::holds, 100)});
  result.machine_use.other_cpu_percent = 42;
  result.machine_use.load_before = 5.25;
  result.machine_use.stolen_percent = 7;
  const auto busy = bench_in_words(result);
  CHECK(contains(
      busy, "other programs used 42 % of the machine's CPU during the bench (load before: 5.2)"));
  CHECK(contains(busy, "the host gave 7 %"));
  const MachineUse use = std::exchange(result.machine_use, {});
  CHECK_FALSE(contains(bench_in_words(result), "other programs"));
  // It makes rates and latencies unsteady: if there are none, there is nothing to tell.
  result.machine_use = use;
  result.algorithms[0].admitted.clear();
  result.algorithms[0].denied.clear();
  CHECK_FALSE(contains(bench_in_words(result), "other programs"));
  CHECK_FALSE(contains(bench_in_words(result), "the host gave"));
}

TEST_CASE("a failed contestant is named, and the result is incomplete") {
  BenchResult result = result_of({algorithm_of("mine", VerdictKind::holds, 100)});
  CHECK(to_json(document_of(result))["complete"] == true);
  result.algorithms[0].failed.what = "mine: ERR no";
  CHECK(contains(bench_in_words(result), "FAILED mine: ERR no; nothing else was measured.\n"));
  CHECK(to_json(document_of(result))["complete"] == false);
  CHECK(to_json(document_of(result))["algorithms"][0]["failed"] == "mine: ERR no");
  result.algorithms.push_back(algorithm_of("other", VerdictKind::holds, 100));
  CHECK(contains(bench_in_words(result), "no; the rest of the bench ran without it.\n"));
}

TEST_CASE("a round without an answer for more than 1 % is partial, and not only a note") {
  const auto told = [](std::int64_t unanswered) {
    AlgorithmResult result = algorithm_of("a", VerdictKind::holds, 100);
    result.admitted[1].unanswered = unanswered;
    CHECK(lacks_answers(result) == (unanswered > 10));
    return bench_in_words(result_of({result}));
  };
  CHECK(contains(told(10), "note: a, admitted, round 2: 10 of 1,010 requests got no answer"));
  CHECK(contains(told(11), "partial: a, admitted, round 2: 11 of 1,011 requests got no answer"));
  CHECK(contains(told(11), "run it again"));
}

TEST_CASE("a service that never denied has no figures of denials, and a note what to do") {
  AlgorithmResult result = algorithm_of("a", VerdictKind::holds, 100);
  result.admitted.clear();
  BenchResult bench = result_of({result});
  CHECK(contains(bench_table(bench, 100), "latency of denials"));
  CHECK_FALSE(contains(bench_in_words(bench), "did not deny"));
  bench.algorithms[0].denied.front().allowed = 1'000;
  CHECK_FALSE(contains(bench_table(bench, 100), "latency of denials"));
  CHECK_FALSE(contains(bench_table(bench, 100), "decisions/s"));
  bench.of_services = true;
  const std::string words = bench_in_words(bench);
  CHECK(contains(words, "note: a did not deny: all of the `denied` traffic was admitted"));
  CHECK(contains(words, "check that it limits these requests"));
  CHECK_FALSE(contains(words, "100 %"));
}

TEST_CASE("an answer that is neither allowed nor denied is no request without an answer") {
  AlgorithmResult result = algorithm_of("a", VerdictKind::inconclusive, 0);
  Figures& totals = result.verdict->policy.totals;
  totals.operations = 1'042;
  totals.unknown = 26;
  result.undecided = {{302, 26}};
  const std::string answered = bench_in_words(result_of({result}));
  CHECK(contains(answered,
                 "note: 26 of 1,042 requests of the attacks on a were answered with status 302, "
                 "which is neither allowed nor denied: add --allowed 2xx,302 if it admits."));
  CHECK_FALSE(contains(answered, "got no answer"));
  totals.unknown = 27;
  CHECK(contains(bench_in_words(result_of({result})), "note: 1 of 1,042 requests"));
}
