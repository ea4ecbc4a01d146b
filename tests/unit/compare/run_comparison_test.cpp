// Two runs, hand-made or of seeded noise: which differences are found, which are not, and which
// can't be decided.
#include "compare/run_comparison.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "base/error.h"
#include "report/compare_text.h"
#include "report/documents.h"
#include "result/codec.h"

using namespace rlctl;

namespace {

// Noise like that of a machine: mostly small, sometimes a round far off, and always positive.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : random_(seed) {}

  double uniform() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }
  double around(double value, double spread) {
    const double bell = (uniform() + uniform() + uniform() + uniform() - 2) * std::sqrt(3.0);
    const double outlier = uniform() < 0.05 ? 1.5 : 1;
    return value * std::exp(spread * bell) * outlier;
  }

 private:
  std::mt19937_64 random_;
};

MeasuredFigure figure_of(const std::string& subject, const std::string& traffic, const char* metric,
                         std::vector<double> rounds) {
  MeasuredFigure figure;
  figure.subject = subject;
  figure.traffic = traffic;
  figure.metric = find_metric(metric, AskedIn::comparison);
  figure.rounds = std::move(rounds);
  return figure;
}

// By default of a run on the virtual clock. `seed` empty: of a run in real time.
MeasuredFigure fact_of(const std::string& subject, const char* metric, double low, double high,
                       const std::string& seed = "1") {
  MeasuredFigure figure;
  figure.seed = seed;
  figure.subject = subject;
  figure.metric = find_metric(metric, AskedIn::comparison);
  figure.low = low;
  figure.high = high;
  return figure;
}

std::vector<double> rounds_around(double value, double spread, Noise& noise,
                                  std::size_t rounds = 9) {
  std::vector<double> values(rounds);
  for (double& one : values) one = noise.around(value, spread);
  return values;
}

// Three algorithms, two kinds of traffic, four metrics: 24 tests. `slower`: of the first, where a
// busy scheduler does not hide it.
MeasuredRun noisy_run(Noise& noise, double slower = 1) {
  MeasuredRun run;
  run.kind = "bench";
  for (const std::string name : {"a", "b", "c"})
    for (const std::string traffic : {"admitted", "denied"}) {
      const double factor = name == "a" ? slower : 1;
      const auto add = [&](const char* metric, double value, double spread) {
        run.figures.push_back(
            figure_of(name, traffic, metric, rounds_around(value, spread, noise)));
      };
      add("decisions_per_second", 80'000 / factor, 0.10);
      add("p50", 500 * factor, 0.05);
      add("p99", 5'000, 0.20);
      add("server_cpu_us_per_decision", 10 * factor, 0.04);
    }
  return run;
}

std::size_t differing(const RunComparison& comparison) {
  std::size_t count = 0;
  for (const ComparedFigure& figure : comparison.figures)
    if (figure.finding == Finding::differs) ++count;
  return count;
}

MeasuredRun one_figure(std::vector<double> rounds) {
  MeasuredRun run;
  run.kind = "bench";
  run.figures.push_back(figure_of("a", "admitted", "p99", std::move(rounds)));
  return run;
}

CompareOptions fail_if(const std::vector<std::string>& conditions) {
  CompareOptions options;
  for (const std::string& text : conditions)
    options.conditions.push_back(parse_fail_condition(text));
  return options;
}

JudgedCondition judged(const MeasuredRun& base, const MeasuredRun& fresh, const std::string& text) {
  const RunComparison comparison = compare_runs(base, fresh, fail_if({text}));
  REQUIRE(comparison.conditions.size() == 1);
  return comparison.conditions.front();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::vector<double> kNine{100, 101, 102, 103, 104, 105, 106, 107, 108};

std::vector<double> times(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

}  // namespace

TEST_CASE("of 1,000 pairs of identical benches at most one in twenty shows a difference") {
  Noise noise(1947);
  int alarms = 0;
  for (int pair = 0; pair < 1'000; ++pair) {
    const MeasuredRun base = noisy_run(noise);
    if (differing(compare_runs(base, noisy_run(noise), {})) > 0) ++alarms;
  }
  CHECK(alarms <= 60);
  CHECK(alarms > 0);  // a test that never reports a difference tests nothing
}

TEST_CASE("a limiter slowed by a fifth is found with nine rounds") {
  Noise noise(1963);
  int noticed = 0;
  for (int pair = 0; pair < 200; ++pair) {
    const MeasuredRun base = noisy_run(noise);
    if (differing(compare_runs(base, noisy_run(noise, 1.2), {})) > 0) ++noticed;
  }
  CHECK(noticed >= 195);
}

TEST_CASE("identical benches do not fail a condition of 10 %, a fifth more does") {
  Noise noise(1979);
  int alarms = 0;
  int noticed = 0;
  for (int pair = 0; pair < 200; ++pair) {
    const MeasuredRun base = noisy_run(noise);
    const auto options = fail_if({"server_cpu > +10%", "p99 > +10%", "decisions/s < -10%"});
    const auto failed = [&](const MeasuredRun& fresh) {
      for (const JudgedCondition& one : compare_runs(base, fresh, options).conditions)
        if (one.held == ConditionHeld::fails) return true;
      return false;
    };
    if (failed(noisy_run(noise))) ++alarms;
    if (failed(noisy_run(noise, 1.25))) ++noticed;
  }
  CHECK(alarms == 0);
  CHECK(noticed > 150);
}

TEST_CASE("the yardstick separates the machine's drift from the limiter's") {
  MeasuredRun base = one_figure(kNine);
  MeasuredRun fresh = one_figure(times(kNine, 1.5));
  base.yardstick = fresh.yardstick = "incr/1";
  base.figures[0].yardstick = times(kNine, 0.5);
  fresh.figures[0].yardstick = times(kNine, 0.75);
  const RunComparison comparison = compare_runs(base, fresh, {});
  CHECK(differing(comparison) == 0);
  CHECK(comparison.figures[0].in_yardsticks);
  CHECK(comparison.figures[0].ratio->ratio == doctest::Approx(1));
  REQUIRE(comparison.machine.size() == 1);
  CHECK(comparison.machine[0].finding == Finding::differs);
  CHECK(has(compare_text(comparison, {}),
            "the machine or the server changed, as the yardstick shows"));
  CompareOptions raw;
  raw.raw = true;
  CHECK(differing(compare_runs(base, fresh, raw)) == 1);
  base.circumstances = {{"server", "redis 7.0.15"}};
  fresh.circumstances = {{"server", "redis 8.0.2"}};
  CHECK(has(compare_text(compare_runs(base, fresh, {}), {}), "the server differs"));
  fresh.yardstick = "incr/2";
  CHECK_FALSE(compare_runs(base, fresh, {}).figures[0].in_yardsticks);
}

TEST_CASE("a change fails only if a smaller change is rejected") {
  const MeasuredRun base = one_figure(kNine);
  CHECK(judged(base, one_figure(times(kNine, 1.3)), "p99 > +10%").held == ConditionHeld::fails);
  CHECK(judged(base, one_figure(times(kNine, 1.11)), "p99 > +10%").held == ConditionHeld::passes);
  CHECK(judged(base, one_figure(times(kNine, 1.3)), "p99 < -10%").held == ConditionHeld::passes);
  CHECK(judged(base, one_figure(times(kNine, 0.7)), "p99 < -10%").held == ConditionHeld::fails);
  const JudgedCondition told = judged(base, one_figure(times(kNine, 1.3)), "p99 > +10%");
  REQUIRE(told.p);
  CHECK(*told.p < 0.001);
  CHECK(has(told.because, "+30.0 %"));
}

TEST_CASE("with fewer than nine rounds the result is undecided") {
  const std::vector<double> five{100, 101, 102, 103, 104};
  const RunComparison comparison =
      compare_runs(one_figure(kNine), one_figure(times(five, 2)), fail_if({"p99 > +10%"}));
  CHECK(comparison.figures[0].finding == Finding::too_few_rounds);
  CHECK(comparison.conditions[0].held == ConditionHeld::undecided);
  CHECK(has(comparison.conditions[0].because, "at least 9"));
  const std::string text = compare_text(comparison, fail_if({"p99 > +10%"}).conditions);
  CHECK(has(text, "can't tell: 5 rounds"));
  CHECK_FALSE(has(text, "1.9"));  // a ratio of so few rounds is no estimate
  CHECK_FALSE(has(text, "ratio:"));
  CHECK(has(text, "use bench --rounds 9"));
}

TEST_CASE("a value of the new run is exact and needs no test") {
  const MeasuredRun base = one_figure(kNine);
  CHECK(judged(base, one_figure({6'000}), "p99 > 5ms").held == ConditionHeld::fails);
  CHECK(judged(base, one_figure({4'000}), "p99 > 5ms").held == ConditionHeld::passes);
  MeasuredRun exact;
  exact.figures = {fact_of("a", "accuracy", 100, 100)};
  MeasuredRun wrong;
  wrong.figures = {fact_of("a", "accuracy", 50, 50)};
  MeasuredRun doubtful;
  doubtful.figures = {fact_of("a", "accuracy", 99, 100)};
  CHECK(judged(exact, exact, "accuracy < 100%").held == ConditionHeld::passes);
  CHECK(judged(exact, wrong, "accuracy < 100%").held == ConditionHeld::fails);
  CHECK(judged(exact, doubtful, "accuracy < 100%").held == ConditionHeld::undecided);
  CHECK(judged(exact, wrong, "accuracy < -10%").held == ConditionHeld::fails);
  CHECK(judged(exact, wrong, "peak > 100").held == ConditionHeld::undecided);
}

TEST_CASE("zero after zero is no change, for any percentage") {
  MeasuredRun none;
  none.figures = {fact_of("a", "excess_certain", 0, 0)};
  MeasuredRun some;
  some.figures = {fact_of("a", "excess_certain", 1, 1)};
  CHECK(judged(none, none, "excess_certain >= +10%").held == ConditionHeld::passes);
  CHECK(judged(none, none, "excess_certain <= -10%").held == ConditionHeld::passes);
  CHECK(judged(none, some, "excess_certain >= +10%").held == ConditionHeld::fails);
}

TEST_CASE("what was measured once shows no difference, and a change of it can't be decided") {
  const auto once = [](double count, const std::string& seed) {
    MeasuredRun run;
    run.kind = "bench";
    run.figures = {fact_of("a", "excess_certain", count, count, seed)};
    return run;
  };
  const MeasuredRun base = once(302, "");
  const auto options = fail_if({"excess_certain > +1%", "excess_certain > 310"});
  const RunComparison comparison = compare_runs(base, once(325, ""), options);
  CHECK(differing(comparison) == 0);
  CHECK(comparison.conditions[0].held == ConditionHeld::undecided);
  CHECK(has(comparison.conditions[0].because, "325 after 302, each measured once"));
  CHECK(comparison.conditions[1].held == ConditionHeld::fails);
  const std::string text = compare_text(comparison, options.conditions);
  CHECK(has(text, "can't tell: measured once"));
  CHECK(has(text, "too few measurements to compare 1 figure.\n"));
  CHECK(has(text, "fail on a value, such as --fail-if 'accuracy < 100%'"));
  CHECK_FALSE(has(text, "more"));
  CHECK(judged(base, base, "excess_certain > +1%").held == ConditionHeld::passes);
  // Only the same seed plays the same again.
  CHECK(judged(once(302, "1"), once(325, "2"), "excess_certain > +1%").held ==
        ConditionHeld::undecided);
  CHECK(judged(once(302, "1"), once(325, ""), "excess_certain > +1%").held ==
        ConditionHeld::undecided);
  CHECK(judged(once(302, "1"), once(325, "1"), "excess_certain > +1%").held ==
        ConditionHeld::fails);
  CHECK(differing(compare_runs(once(302, "1"), once(325, "1"), {})) == 1);
}

TEST_CASE("a note tells that a ratio is the median of pairs, and not that of the medians") {
  const auto text = compare_text(compare_runs(one_figure(kNine), one_figure(kNine), {}), {});
  CHECK(has(text, "ratio: the median of the ratios of all pairs of a round of the base and one"));
}

TEST_CASE("different circumstances and a changed verdict are reported") {
  MeasuredRun base = one_figure(kNine);
  MeasuredRun fresh = one_figure(kNine);
  base.circumstances = {{"policy", "100 per 1s"}, {"server", "redis 7.0.15"}};
  fresh.circumstances = {{"policy", "100 per 1s"}, {"server", "redis 8.0.2"}};
  base.verdicts = {{"a", "holds"}};
  fresh.verdicts = {{"a", "violated"}};
  const std::string text = compare_text(compare_runs(base, fresh, {}), {});
  CHECK(has(text, "DIFFERENT server: redis 7.0.15 in the base, redis 8.0.2 in the new run"));
  CHECK(has(text, "VERDICT of a: holds in the base, violated in the new run"));
  CHECK_FALSE(has(text, "DIFFERENT policy"));
}

TEST_CASE("results of verbs that send different traffic are not compared") {
  MeasuredRun base = one_figure(kNine);
  MeasuredRun fresh = one_figure(kNine);
  for (const auto& [before, after] : {std::pair("bench", "simulate"), {"run", "bench"}}) {
    base.kind = before;
    fresh.kind = after;
    CHECK_THROWS_AS(compare_runs(base, fresh, {}), Error);
  }
  fresh.kind = "log";  // perhaps of this very bench
  CHECK(has(compare_text(compare_runs(base, fresh, {}), {}),
            "DIFFERENT kind of result: run in the base, log in the new run"));
}

TEST_CASE("of renamed limiters the policies are compared, too") {
  MeasuredRun base = one_figure(kNine);
  MeasuredRun fresh = one_figure(kNine);
  fresh.figures[0].subject = "b";
  base.circumstances = {{"policy of a", "100/1s"}};
  fresh.circumstances = {{"policy of b", "20/1s"}};
  CHECK(has(compare_text(compare_runs(base, fresh, {}), {}),
            "DIFFERENT policy of b: 100/1s in the base, 20/1s in the new run"));
}

TEST_CASE("equal names are compared, and two single runs whatever their names") {
  MeasuredRun base = one_figure(kNine);
  MeasuredRun fresh = one_figure(times(kNine, 1.5));
  fresh.figures[0].subject = "mine-new";
  const RunComparison renamed = compare_runs(base, fresh, {});
  CHECK(renamed.figures[0].base_subject == "a");
  CHECK(differing(renamed) == 1);
  CHECK(
      has(compare_text(renamed, {}), "DIFFERENT limiter: a in the base, mine-new in the new run"));
  base.figures.push_back(figure_of("b", "admitted", "p99", kNine));
  CHECK_THROWS_AS(compare_runs(base, fresh, {}), Error);
  fresh.figures.push_back(figure_of("b", "admitted", "p99", kNine));
  fresh.figures.push_back(figure_of("c", "admitted", "p99", kNine));
  CHECK(compare_runs(base, fresh, {}).figures.size() == 1);
}

TEST_CASE("a failed part of the new run does not pass a condition on it") {
  MeasuredRun base = one_figure(kNine);
  base.figures.push_back(figure_of("b", "admitted", "p99", kNine));
  const MeasuredRun whole = one_figure(kNine);
  MeasuredRun failed = whole;
  failed.complete = false;
  const auto held = [&](const MeasuredRun& fresh) {
    return compare_runs(base, fresh, fail_if({"p99 > +10%"})).conditions;
  };
  REQUIRE(held(whole).size() == 1);  // a user who left b out has no condition on it
  CHECK(held(whole)[0].held == ConditionHeld::passes);
  REQUIRE(held(failed).size() == 2);
  CHECK(held(failed)[1].held == ConditionHeld::undecided);
  CHECK(held(failed)[1].subject == "b");
}

TEST_CASE("a condition on what only bench measures says so") {
  MeasuredRun run;
  run.kind = "simulate";
  run.figures = {fact_of("fixed", "accuracy", 100, 100)};
  const auto because = [&](const char* condition) {
    const JudgedCondition result = judged(run, run, condition);
    CHECK(result.held == ConditionHeld::undecided);
    return result.because;
  };
  for (const char* condition : {"p99 > 5ms", "p99 > +10%"})
    CHECK(because(condition) ==
          "not measured: only bench measures p99, or a log of 200 requests or more in real time: "
          "compare two of these");
  CHECK(because("server_cpu > +10%") ==
        "not measured: only bench measures server_cpu_us_per_decision: compare two results of "
        "bench");
  CHECK(because("overshoot > 1") == "not measured: overshoot is not in both runs");
  run.kind = "bench";
  CHECK(because("p99 > 5ms") == "not measured: p99 is not in both runs");
}

TEST_CASE("a condition on an unknown name is reported with a suggestion") {
  const MeasuredRun run = one_figure(kNine);
  CHECK_THROWS_WITH_AS(compare_runs(run, run, fail_if({"p99{algo=fixd} > +10%"})),
                       "--fail-if: fixd is not in the new run", Error);
}

TEST_CASE("findings use common words") {
  const auto words = [](double factor, const char* metric) {
    MeasuredRun base = one_figure(kNine);
    MeasuredRun fresh = one_figure(times(kNine, factor));
    base.figures[0].metric = fresh.figures[0].metric = find_metric(metric, AskedIn::comparison);
    return finding_in_words(compare_runs(base, fresh, {}).figures.at(0));
  };
  CHECK(words(1.18, "p99") == "18 % slower, certain");
  CHECK(words(0.5, "p99") == "50 % faster, certain");
  CHECK(words(0.82, "decisions_per_second") == "18 % slower, certain");
  CHECK(words(1.2, "server_cpu") == "20 % higher, certain");
  CHECK(words(1, "p99") == "no difference");
}

TEST_CASE("a figure that a log does not tell exactly is shown as a range") {
  const CompareOptions options = fail_if({"accuracy < -1%"});
  const auto compared = [&](double base_low, double base, double fresh_low, double fresh) {
    MeasuredRun before;
    MeasuredRun after;
    before.figures = {fact_of("a", "accuracy", base_low, base)};
    after.figures = {fact_of("a", "accuracy", fresh_low, fresh)};
    return compare_runs(before, after, options);
  };
  const RunComparison open = compared(100, 100, 67.5, 100);
  CHECK(has(compare_text(open, options.conditions), "67.5 % to 100 %"));
  CHECK(open.conditions.at(0).because == "between 67.5 % and 100 % after 100 %");
  const auto document = to_json(document_of(open, options.conditions));
  CHECK(document["figures"][0]["new"] == 100);
  CHECK(document["figures"][0]["new_low"] == 67.5);
  CHECK(document["figures"][0]["base_low"] == 100);
  const auto exact = to_json(document_of(compared(90, 90, 99, 99), options.conditions));
  CHECK_FALSE(exact["figures"][0].contains("base_low"));

  const auto words = [&](double base_low, double base, double fresh_low, double fresh) {
    return finding_in_words(compared(base_low, base, fresh_low, fresh).figures.at(0));
  };
  CHECK(words(100, 100, 67.5, 100) == "less certain");
  CHECK(words(50, 100, 90, 100) == "more certain");
  CHECK(words(50, 80, 60, 90) == "can't tell");
  CHECK(words(80, 80, 60, 60) == "25 % lower");
  CHECK(words(80, 90, 50, 60) == "at least 25 % lower");
  CHECK(words(50, 80, 88, 90) == "at least 10 % higher");
}

TEST_CASE("the summary counts the figures that it lists, and names those that it does not") {
  MeasuredRun run = one_figure(kNine);
  run.figures.push_back(figure_of("a", "denied", "p99", {100, 101}));
  run.figures.push_back(figure_of("a", "denied", "p90", kNine));
  run.figures.push_back(fact_of("a", "excess_certain", 0, 0));
  const auto text = [&](const CompareOptions& options) {
    return compare_text(compare_runs(run, run, options), {});
  };
  CHECK(
      has(text({}),
          "no difference shown in 1 figure; too few measurements of 1 more.\n"
          "not listed: 1 figure that is 0 in both runs, and 1 figure compared only with --all.\n"));
  CHECK(has(text({.conditions = {}, .raw = false, .all = true}),
            "no difference shown in 2 figures; too few measurements of 1 more.\n"
            "not listed: 1 figure that is 0 in both runs.\n"));
  const MeasuredRun few = one_figure({100, 101});
  const std::string undecided = compare_text(compare_runs(few, few, {}), {});
  CHECK(has(undecided, "too few measurements to compare 1 figure.\n"));
  CHECK_FALSE(has(undecided, "no difference"));
}
