// One language for the conditions of scenarios and comparisons: what is read, and what is refused.
#include "verdict/condition/condition.h"

#include <doctest/doctest.h>

#include <set>

using namespace rlctl;

namespace {

Condition read(const std::string& text, AskedIn place = AskedIn::scenario) {
  std::vector<TextMistake> mistakes;
  const auto condition = read_condition(text, place, mistakes);
  CAPTURE(text);
  for (const TextMistake& mistake : mistakes) FAIL_CHECK(mistake.what);
  REQUIRE(condition);
  return *condition;
}

// "BEGIN-END: what", a line each.
std::string mistakes_in(const std::string& text, AskedIn place = AskedIn::scenario) {
  std::vector<TextMistake> mistakes;
  read_condition(text, place, mistakes);
  std::string lines;
  for (const auto& [span, what, hint] : mistakes)
    lines += std::to_string(span.begin) + "-" + std::to_string(span.end) + ": " + what + "\n";
  return lines;
}

}  // namespace

TEST_CASE("no name means two metrics in one place") {
  for (const AskedIn place : {AskedIn::scenario, AskedIn::comparison}) {
    std::set<std::string> seen;
    for (const MetricRow* metric : metrics_in(place))
      for (const std::string& name : names_of(*metric)) {
        CAPTURE(name);
        CHECK(seen.insert(name).second);
        CHECK(find_metric(name, place) == metric);
      }
    CHECK(seen.size() > 20);
  }
}

TEST_CASE("a metric that is measured in both places has the same names in both") {
  for (const char* name : {"latency.p99", "p99", "p99.9", "latency.p90", "over_admitted",
                           "excess_certain", "certain_false_denials", "accuracy"}) {
    CAPTURE(name);
    REQUIRE(find_metric(name, AskedIn::scenario) != nullptr);
    CHECK(find_metric(name, AskedIn::scenario) == find_metric(name, AskedIn::comparison));
  }
}

TEST_CASE("selectors have two names, and may be quoted") {
  for (const AskedIn place : {AskedIn::scenario, AskedIn::comparison}) {
    const Condition one = read(" p99 { algo = 'a, {b}' , traffic=denied ,} < 20ms ", place);
    REQUIRE(one.selectors.size() == 2);
    CHECK(one.selectors[0].kind == SelectorKind::policy);
    CHECK(one.selectors[0].value == "a, {b}");
    CHECK(one.selectors[1].kind == SelectorKind::phase);
    CHECK(one.selectors[1].value == "denied");
    CHECK(read("peak{} == 1", place).selectors.empty());
  }
}

TEST_CASE("values keep their unit and every digit") {
  const auto value = [](const char* text) { return read(text).value; };
  CHECK(value("peak <= 20").amount == 20'000'000);
  CHECK(value("false_denied <= 0.1%").unit == ValueUnit::percent);
  CHECK(value("false_denied <= 0.1%").amount == 100'000);
  CHECK(value("p99 < 1.5ms").amount == 1'500);
  const Condition rate = read("throughput < 500.5/s", AskedIn::comparison);
  CHECK(rate.value.unit == ValueUnit::per_second);
  CHECK(rate.value.amount == 500'500'000);
  const Condition change = read("p99 > -5.5%", AskedIn::comparison);
  CHECK(change.value.is_change);
  CHECK(change.value.amount == -5'500'000);
}

TEST_CASE("a mistake is reported at its place") {
  CHECK(mistakes_in("peek <= 1") == "0-4: there is no metric 'peek'\n");
  CHECK(mistakes_in("decisions/s < 1") == "0-11: 'decisions/s' is not measured by a scenario\n");
  CHECK(mistakes_in("slack < 1", AskedIn::comparison) ==
        "0-5: 'slack' is not measured by a comparison\n");
  CHECK(mistakes_in("peak{who=a} < 1", AskedIn::comparison) == "5-8: there is no selector 'who'\n");
  CHECK(mistakes_in("peak{phase=} < 1") == "5-10: the selector phase has no value\n");
  CHECK(mistakes_in("peak <= +5%") == "8-11: an expectation has no base to measure a change\n");
  CHECK(mistakes_in("completed{key=a, phase=b,traffic=c} == 5") ==
        "10-15: completed can't be measured by key\n25-34: the selector traffic comes twice\n");
}

TEST_CASE("a comparison of ranges is known if it is the same for all values") {
  using Range = Between<int>;
  const auto so = [](Range a, Comparison comparison, Range b) {
    const auto held = compares(a, comparison, b);
    return held ? (*held ? "yes" : "no") : "unknown";
  };
  CHECK(so({1, 2}, Comparison::less, {3, 4}) == doctest::String("yes"));
  CHECK(so({1, 3}, Comparison::less, {3, 4}) == doctest::String("unknown"));
  CHECK(so({4, 5}, Comparison::less, {3, 4}) == doctest::String("no"));
  CHECK(so({1, 3}, Comparison::at_most, {3, 4}) == doctest::String("yes"));
  CHECK(so({4, 5}, Comparison::at_least, {3, 4}) == doctest::String("yes"));
  CHECK(so({5, 6}, Comparison::more, {3, 4}) == doctest::String("yes"));
  CHECK(so({3, 3}, Comparison::equal, {3, 3}) == doctest::String("yes"));
  CHECK(so({3, 4}, Comparison::equal, {3, 3}) == doctest::String("unknown"));
  CHECK(so({3, 4}, Comparison::not_equal, {5, 5}) == doctest::String("yes"));
}
