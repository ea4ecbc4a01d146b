#include "inspect/watch/live_overview.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/units.h"

using namespace rlctl;

namespace {

constexpr std::int64_t kLookedAtUs = 1'795'214'760'123'456;
const Policy kPolicy = policy_of({Rule{.limit = 20, .window_us = 60 * kSecondUs}});

KeyState counter(const std::string& key, const std::string& value, std::int64_t ttl_ms = 60'000) {
  KeyState state;
  state.key = key;
  state.type_name = "string";
  state.type = StateType::string;
  state.ttl_ms = ttl_ms;
  state.value = value;
  return state;
}

KeyState gone(const std::string& key) {
  KeyState state;
  state.key = key;
  return state;
}

KeyReading reading_of(Shape shape, double used, RuleKind kind) {
  KeyReading reading;
  reading.shape = shape;
  reading.used = used;
  reading.kind = kind;
  return reading;
}

KeyReading counted(double used) { return reading_of(Shape::counter, used, RuleKind::first_hit); }

KeyLook look(std::int64_t at_us, double used, std::optional<RuleKind> kind,
             Shape shape = Shape::counter) {
  return {at_us, shape, kind, used, std::nullopt};
}

}  // namespace

TEST_CASE("a counter's difference is the number of admissions") {
  const auto anchored = RuleKind::first_hit;
  const auto between = [&](double before, double now, const Policy& policy) {
    return admissions_between(look(0, before, anchored), look(kSecondUs, now, anchored), {},
                              policy);
  };
  CHECK(between(3, 10, kPolicy).allowed == 7);
  CHECK_FALSE(between(3, 10, kPolicy).denied);  // nothing shows whether it counts denials
  CHECK(between(18, 4, kPolicy).allowed == 4);  // a new window has begun: at least these
  CHECK(between(3, 10, {}).allowed == 7);
}

TEST_CASE("the part of a counter above the limit is the number of denials") {
  const auto anchored = RuleKind::first_hit;
  const Admissions over =
      admissions_between(look(0, 15, anchored), look(kSecondUs, 40, anchored), {}, kPolicy);
  CHECK(over.allowed == 5);
  CHECK(over.denied == 20);
  const Admissions further =
      admissions_between(look(0, 40, anchored), look(kSecondUs, 47, anchored), {}, kPolicy);
  CHECK(further.allowed == 0);
  CHECK(further.denied == 7);
}

TEST_CASE("a bucket's admissions follow from its level and its leak") {
  const auto bucket = [](std::int64_t at_us, double used) {
    return look(at_us, used, RuleKind::bucket, Shape::bucket);
  };
  // With 20 per minute, 1 leaks in 3 s.
  CHECK(admissions_between(bucket(0, 10), bucket(3 * kSecondUs, 9), {}, kPolicy).allowed == 0);
  CHECK(admissions_between(bucket(0, 10), bucket(3 * kSecondUs, 13), {}, kPolicy).allowed ==
        doctest::Approx(4));
  CHECK(admissions_between(bucket(0, 0.5), bucket(3 * kSecondUs, 2), {}, kPolicy).allowed == 2);
  CHECK_FALSE(admissions_between(bucket(0, 10), bucket(kSecondUs, 9), {}, {}).allowed);
}

TEST_CASE("a log's new entries are its admissions, and other states show none") {
  const auto log = [](std::int64_t at_us) {
    return KeyLook{at_us, Shape::log, RuleKind::sliding, std::nullopt, std::nullopt};
  };
  CHECK(admissions_between(log(0), log(kSecondUs), 6, {}).allowed == 6);
  CHECK_FALSE(admissions_between(log(0), log(kSecondUs), {}, {}).allowed);
  const auto weighted = look(0, 3, std::nullopt, Shape::bucket);
  CHECK_FALSE(
      admissions_between(weighted, look(kSecondUs, 4, std::nullopt, Shape::bucket), {}, kPolicy)
          .allowed);
}

TEST_CASE("rates cover the last seconds, and a limiter's keys share a row") {
  KeyReader reader(Registry(), {});
  LiveOverview overview(kPolicy, reader);
  overview.begin_pass();
  overview.add(counter("u1:minute", "4"), counted(4), kLookedAtUs, {});
  CHECK_FALSE(overview.rows()[0].allowed_per_s);
  overview.add(counter("u1:minute", "8"), counted(8), kLookedAtUs + 2 * kSecondUs, {});
  overview.add(counter("u1:hour", "30"), counted(30), kLookedAtUs + 2 * kSecondUs, {});
  overview.add(counter("u1:blocked", "1"), {}, kLookedAtUs + 2 * kSecondUs, {});
  REQUIRE(overview.rows().size() == 1);
  const LimiterRow row = overview.rows()[0];
  CHECK(row.name == "u1");
  CHECK(row.keys == 2);
  CHECK(row.used == 30);
  CHECK(row.limit == 20);
  CHECK(row.allowed_per_s == 2);
  CHECK(row.block.is_set);
  CHECK(row.block.ends_us == kLookedAtUs + 62 * kSecondUs);
  CHECK(overview.keys_of("u1") == std::vector<std::string>{"u1:hour", "u1:minute", "u1:blocked"});
  for (int i = 3; i < 30; ++i)
    overview.add(counter("u1:minute", "8"), counted(8), kLookedAtUs + i * kSecondUs, {});
  CHECK(overview.rows()[0].allowed_per_s == 0);
}

TEST_CASE("a key that disappears leaves its row: at the next look, or after a full pass") {
  KeyReader reader(Registry(), {});
  LiveOverview overview(kPolicy, reader);
  overview.begin_pass();
  overview.add(counter("a", "1"), counted(1), kLookedAtUs, {});
  overview.add(counter("b", "2"), counted(2), kLookedAtUs, {});
  overview.add(counter("c", "3"), counted(3), kLookedAtUs, {});
  overview.add(gone("a"), {}, kLookedAtUs + 1, {});
  CHECK(overview.rows().size() == 2);
  overview.end_pass();
  overview.begin_pass();
  CHECK(overview.meet("b", kLookedAtUs));  // looked at just now: need not be again
  CHECK_FALSE(overview.meet("c", kLookedAtUs + 1));
  overview.end_pass();
  REQUIRE(overview.rows().size() == 1);
  CHECK(overview.rows()[0].name == "b");
}

TEST_CASE("keys of no limiter are counted but not shown") {
  KeyReader reader(Registry(), {});
  LiveOverview overview(kPolicy, reader);
  overview.begin_pass();
  overview.add(counter("page", "<html>"), {}, kLookedAtUs, {});
  overview.end_pass();
  CHECK(overview.rows().empty());
  CHECK(overview.other_keys() == 1);
}

TEST_CASE("if there are too many limiters, the most used and the blocked stay") {
  KeyReader reader(Registry(), {});
  LiveOverview overview(kPolicy, reader, 100);
  overview.begin_pass();
  overview.add(counter("z:blocked", "1"), {}, kLookedAtUs, {});
  for (int i = 0; i < 1'000; ++i)
    overview.add(counter("u" + std::to_string(i), std::to_string(i)), counted(i), kLookedAtUs, {});
  const std::vector<LimiterRow> rows = overview.rows();
  CHECK(rows.size() <= 200);
  CHECK(overview.forgotten() == 1'001 - static_cast<std::int64_t>(rows.size()));
  CHECK(std::ranges::any_of(rows, [](const LimiterRow& row) { return row.block.is_set; }));
  CHECK(std::ranges::any_of(rows, [](const LimiterRow& row) { return row.name == "u999"; }));
}

TEST_CASE("of too many limiters, one below those kept comes in when it is used more") {
  KeyReader reader(Registry(), {});
  LiveOverview overview(kPolicy, reader, 2);
  overview.begin_pass();
  const auto look = [&](const std::string& name, double used) {
    overview.add(counter(name, "1"), counted(used), kLookedAtUs, {});
  };
  for (int i = 0; i < 5; ++i) look("u" + std::to_string(i), 10 + i);  // the fifth makes room
  look("late", 3);
  CHECK(overview.keys_of("late").empty());
  look("late", 20);
  CHECK(overview.keys_of("late").size() == 1);
  look("u4", 0);  // a limiter that is known stays known when it is used less
  CHECK(overview.keys_of("u4").size() == 1);
  overview.begin_pass();  // a new pass chooses anew
  look("low", 1);
  CHECK(overview.keys_of("low").size() == 1);
}

TEST_CASE("a limiter that has used less than nothing is kept while there is room") {
  KeyReader reader(Registry(), {});
  LiveOverview overview(kPolicy, reader, 2);
  overview.begin_pass();
  overview.add(counter("low", "-3"), counted(-3), kLookedAtUs, {});
  CHECK(overview.forgotten() == 0);
  REQUIRE(overview.rows().size() == 1);
  CHECK(overview.rows()[0].used == -3);
  for (int i = 0; i < 4; ++i)
    overview.add(counter("u" + std::to_string(i), "0"), counted(0), kLookedAtUs, {});
  CHECK(overview.keys_of("low").empty());  // the least of all makes room
}

TEST_CASE("a key that can't be read makes its row unreadable, until it can") {
  KeyReader reader(Registry(), {});
  LiveOverview overview(kPolicy, reader);
  KeyState flag = counter("u1:blocked", "1");
  flag.problem = "NOPERM no";
  overview.add(flag, {}, kLookedAtUs, {});
  overview.add(counter("u1:minute", "4"), counted(4), kLookedAtUs, {});
  const LimiterRow hidden = overview.rows().at(0);
  CHECK(hidden.name == "u1:minute");
  CHECK(hidden.keys == 1);
  CHECK(hidden.problem == "NOPERM no");
  CHECK(hidden.block.is_set);  // a flag blocks by being there
  flag.problem.clear();
  overview.add(flag, {}, kLookedAtUs + 1, {});
  const LimiterRow seen = overview.rows().at(0);
  CHECK(seen.keys == 1);
  CHECK(seen.problem.empty());
  CHECK(seen.block.is_set);
}
