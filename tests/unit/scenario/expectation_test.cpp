// Tests expectations with given figures.
#include "scenario/expectation.h"

#include <doctest/doctest.h>

#include <vector>

#include "base/words.h"
#include "unit/scenario/scenario_fixture.h"

using namespace rlctl;

namespace {

class GivenFigures final : public ScenarioFigures {
 public:
  explicit GivenFigures(std::vector<Measurement> by_policy) : by_policy_(std::move(by_policy)) {}

  Measurement measure(const MetricRow&, const Selection& selection) const override {
    return by_policy_[selection.policy.value_or(0)];
  }

 private:
  std::vector<Measurement> by_policy_;
};

ExpectationResult result_of(const std::string& claim, const Measurement& measured) {
  std::string text = replaced(small_scenario(), "over_admitted == 0", claim);
  if (claim.find("latency") != std::string::npos) text = replaced(text, "virtual", "wall");
  const ParsedScenario parsed_scenario = parsed(text);
  CAPTURE(parsed_scenario.mistakes);
  REQUIRE(parsed_scenario.scenario);
  const auto results = evaluate(*parsed_scenario.scenario, GivenFigures({measured}));
  REQUIRE(results.size() == 1);
  return results.front();
}

Held held(const std::string& claim, std::int64_t low, std::int64_t high, std::int64_t out_of = 0) {
  return result_of(claim, ScenarioFigure{low, high, out_of}).held;
}

Held held(const std::string& claim, std::int64_t value) { return held(claim, value, value); }

}  // namespace

TEST_CASE("every comparison is right, at its edge too") {
  CHECK(held("peak < 20", 19) == Held::held);
  CHECK(held("peak < 20", 20) == Held::broken);
  CHECK(held("peak <= 20", 20) == Held::held);
  CHECK(held("peak <= 20", 21) == Held::broken);
  CHECK(held("peak > 20", 20) == Held::broken);
  CHECK(held("peak >= 20", 20) == Held::held);
  CHECK(held("peak == 20", 20) == Held::held);
  CHECK(held("peak == 20", 21) == Held::broken);
  CHECK(held("peak != 20", 20) == Held::broken);
  CHECK(held("peak<=20", 20) == Held::held);
  CHECK(held(" peak{ phase = bot , key = 'a,b' }  <=  20 ", 20) == Held::held);
}

TEST_CASE("shares are exact where a double would not be") {
  CHECK(held("false_denied <= 0.1%", 1, 1, 1'000) == Held::held);
  CHECK(held("false_denied <= 0.1%", 2, 2, 1'001) == Held::broken);
  CHECK(held("false_denied <= 0.3%", 3, 3, 1'000) == Held::held);
  CHECK(held("false_denied < 0.3%", 3, 3, 1'000) == Held::broken);
  CHECK(held("denied == 33.333333%", 1, 1, 3) == Held::broken);
  const std::int64_t large = std::int64_t{1} << 53;
  CHECK(held("denied <= 50%", large, large, 2 * large - 1) == Held::broken);
}

TEST_CASE("between two bounds, the result is unknown if either bound could refute it") {
  CHECK(held("accuracy >= 99%", 990, 1'000, 1'000) == Held::held);
  CHECK(held("accuracy >= 99.5%", 990, 1'000, 1'000) == Held::could_not_tell);
  CHECK(held("accuracy > 100%", 990, 1'000, 1'000) == Held::broken);
  CHECK(held("accuracy == 99.5%", 990, 1'000, 1'000) == Held::could_not_tell);
  CHECK(held("accuracy == 50%", 990, 1'000, 1'000) == Held::broken);
  CHECK(held("accuracy != 50%", 990, 1'000, 1'000) == Held::held);
}

TEST_CASE("times are compared in microseconds") {
  CHECK(held("latency.p99 < 20ms", 19'999) == Held::held);
  CHECK(held("latency.p99 < 20ms", 20'000) == Held::broken);
  CHECK(held("slack <= 0s", 0) == Held::held);
}

TEST_CASE("a burst factor is a ratio") {
  CHECK(held("burst_factor <= 2", 200, 200, 100) == Held::held);
  CHECK(held("burst_factor < 2", 200, 200, 100) == Held::broken);
  CHECK(held("burst_factor <= 1.1", 11, 11, 10) == Held::held);
}

TEST_CASE("the measured value is shown in words") {
  const auto words = [](const char* claim, std::int64_t low, std::int64_t high,
                        std::int64_t out_of) {
    return result_of(claim, ScenarioFigure{low, high, out_of}).measured;
  };
  CHECK(words("peak <= 20", 1'234, 1'234, 0) == "1,234");
  CHECK(words("false_denied <= 1%", 23, 23, 1'000) == "23 of 1,000 (2.3 %)");
  CHECK(words("latency.p99 < 20ms", 18'200, 18'200, 0) == "18.2 ms");
  CHECK(words("burst_factor <= 1", 200, 200, 100) == "2");
  CHECK(words("accuracy >= 99%", 990, 1'000, 1'000) == "between 99 % and 100 %");
}

TEST_CASE("an expectation without a measured value is neither held nor broken") {
  const ExpectationResult result = result_of("peak <= 20", NotAvailable{"nothing was sent"});
  CHECK(result.held == Held::could_not_tell);
  CHECK(result.measured == "nothing was sent");
  CHECK(held("false_denied <= 1%", 0, 0, 0) == Held::could_not_tell);
}

TEST_CASE("a figure of the verdict must hold for every policy in the run") {
  const ParsedScenario parsed_scenario =
      parsed(replaced(whole_scenario(), "\"over_admitted == 0\", ",
                      "\"over_admitted{policy=items} == 0\", "
                      "\"over_admitted == 0\", "));
  REQUIRE(parsed_scenario.scenario);
  const auto results = evaluate(
      *parsed_scenario.scenario,
      GivenFigures({ScenarioFigure{0, 0, 10}, ScenarioFigure{0, 0, 10}, ScenarioFigure{3, 3, 10}}));
  CHECK(results[2].held == Held::held);
  CHECK(results[3].held == Held::broken);
  CHECK(results[3].measured == "3 with policy mine");
}

TEST_CASE("a policy that the selectors exclude is ignored") {
  const ParsedScenario parsed_scenario =
      parsed(replaced(whole_scenario(), "\"over_admitted == 0\", ", "\"peak{key=rl:u1} <= 20\", "));
  REQUIRE(parsed_scenario.scenario);
  const auto peak = [&](std::vector<Measurement> by_policy) {
    return evaluate(*parsed_scenario.scenario, GivenFigures(std::move(by_policy)))[2];
  };
  const NotAvailable other{"no request of that kind was sent", true};
  CHECK(peak({other, ScenarioFigure{20, 20, 0}, other}).held == Held::held);
  CHECK(peak({other, ScenarioFigure{21, 21, 0}, other}).held == Held::broken);
  CHECK(peak({other, other, other}).held == Held::could_not_tell);
  CHECK(peak({other, other, other}).measured == "no request of that kind was sent");
  const NotAvailable unplayed{"no decision was made under that policy"};
  CHECK(peak({unplayed, ScenarioFigure{20, 20, 0}, other}).held == Held::could_not_tell);
}
