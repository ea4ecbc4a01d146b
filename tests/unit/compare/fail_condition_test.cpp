// The accepted forms of --fail-if, and the errors for all others.
#include "compare/fail_condition.h"

#include <doctest/doctest.h>

#include <string>

#include "base/error.h"

using namespace rlctl;

namespace {

std::string refusal(const std::string& text) {
  try {
    parse_fail_condition(text);
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    return std::string(error.what()) + "; " + error.hint();
  }
  return "taken";
}

void says(const std::string& text, const std::string& part) {
  const std::string told = refusal(text);
  INFO(told);
  CHECK(told.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("a value with a sign is a change from the base") {
  const FailCondition slower = parse_fail_condition("p99 > +10%");
  CHECK(slower.relative);
  CHECK(slower.value == doctest::Approx(1.1));
  CHECK(slower.comparison == Comparison::more);
  CHECK(std::string(slower.metric->field) == "p99");
  const FailCondition fewer = parse_fail_condition("decisions/s<-5.5%");
  CHECK(fewer.value == doctest::Approx(0.945));
  CHECK(std::string(fewer.metric->field) == "decisions_per_second");
}

TEST_CASE("a value without a sign is for the new run, in the metric's unit") {
  CHECK(parse_fail_condition("accuracy < 100%").value == 100);
  CHECK(parse_fail_condition("accuracy < 99.9").value == doctest::Approx(99.9));
  CHECK(parse_fail_condition("latency.p99 >= 5ms").value == 5'000);
  CHECK(parse_fail_condition("p99.9 > 800us").value == 800);
  CHECK(parse_fail_condition("decisions_per_second < 50000/s").value == 50'000);
  CHECK(parse_fail_condition("peak != 100").comparison == Comparison::not_equal);
  CHECK_FALSE(parse_fail_condition("excess_certain > 0").relative);
}

TEST_CASE("selectors narrow a condition") {
  const FailCondition one = parse_fail_condition("p99 { algo = fixed , traffic=denied } > +10%");
  CHECK(one.subject == "fixed");
  CHECK(one.traffic == "denied");
  CHECK(one.text == "p99 { algo = fixed , traffic=denied } > +10%");
  CHECK(parse_fail_condition("accuracy{policy=api} < 100%").subject == "api");
}

TEST_CASE("an invalid condition is reported with a valid example") {
  says("", "the metric is missing");
  says("> +10%", "the metric is missing");
  says("p98 > +10%", "did you mean");
  says("acuracy < 100%", "did you mean 'accuracy'?");
  says("nonsense-of-all-kinds > 1", "it is one of decisions_per_second, mean");
  says("p99", "expected a comparison here");
  says("p99 => +10%", "'=>' is not a comparison; it is one of <");
  says("p99 >", "the value is missing; it takes a duration");
  says("p99 > 10%", "p99 > +10%");
  says("p99 > +10", "'+10' is not a change");
  says("p99 > +x%", "'x' is not a number");
  says("p99 > -100%", "can't fall by 100 %");
  says("p99 == +10%", "can't be compared with ==");
  says("p99 > 5 parsecs", "--fail-if");
  says("p99 > 1", "p99 can't be compared with '1'");
  says("peak > many", "peak can't be compared with 'many'; it takes a number, or a change");
  says("p99{algo=fixed > 1", "never closed");
  says("p99{algorithm=fixed} > 1", "there is no selector 'algorithm'");
  says("p99{algo} > 1", "has no value");
  says("p99\x1b[31m > 1", "\\x1b");
}
