// The search through interleavings, with a hand-made limiter of two steps and the worked examples
// of vectors.json.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "run/explore/count.h"
#include "run/explore/search.h"
#include "run/explore/trace.h"
#include "tools/incr_then_expire.h"
#include "tools/read_then_act.h"

namespace rlctl {
namespace {

constexpr std::int64_t kExploredAt = 2'000'000'000'000'000;

ExploreRules rules_for(std::size_t clients, std::int64_t limit) {
  ExploreRules rules;
  rules.clients = clients;
  rules.contract = {Rule{.limit = limit, .window_us = 60'000'000}};
  rules.start_us = kExploredAt;
  return rules;
}

ScheduleCounts judge_end(const ExploreSpace& space, ExploreSpace::State state) {
  ScheduleCounts counts;
  counts.schedules = 1;
  counts.violating = space.breaks_contract(state) ? 1 : 0;
  return counts;
}

nlohmann::json cases() {
  std::ifstream file(RLCTL_UNIT_DIR "/verdict/vectors.json");
  return nlohmann::json::parse(file).at("explore").at("cases");
}

}  // namespace

TEST_CASE("schedules and violations are counted as in the worked examples") {
  REQUIRE(cases().size() > 3);
  for (const bool alike : {false, true})
    for (const auto& worked : cases()) {
      CAPTURE(worked.dump());
      CAPTURE(alike);
      const auto clients = worked.at("threads").get<std::size_t>();
      const auto limit = worked.at("limit").get<std::int64_t>();
      test::ReadThenAct program(limit, worked.at("steps").get<std::size_t>() - 2);
      ExploreRules rules = rules_for(clients, limit);
      rules.clients_alike = alike;
      ExploreSpace space(rules, program, RedisModel(clients, kExploredAt));
      ExploreSearch search(space, 100'000);
      std::size_t most_admitted = 0;
      search.run([&](ExploreSpace::State state) {
        most_admitted = std::max(most_admitted, space.admitted(state));
        return space.breaks_contract(state) ? 1u : 0u;
      });
      CHECK(search.is_exhaustive());
      CHECK(most_admitted == worked.at("max_admitted").get<std::size_t>());
      REQUIRE(search.found(0));
      CHECK(search.found(0)->preemptions == worked.at("min_preemptions_to_violate"));
      const auto by_preemptions = count_schedules(
          search, space, [&](ExploreSpace::State state) { return judge_end(space, state); },
          CountBy::preemptions);
      ScheduleCounts total;
      for (std::size_t i = 0; i < by_preemptions.size(); ++i) {
        const auto& expected = worked.at("by_preemptions").at(std::to_string(i));
        CHECK(by_preemptions[i].schedules == expected.at("schedules").get<std::uint64_t>());
        CHECK(by_preemptions[i].violating == expected.at("violating").get<std::uint64_t>());
        total += by_preemptions[i];
      }
      CHECK(by_preemptions.size() == worked.at("by_preemptions").size());
      CHECK(total.schedules == worked.at("schedules").get<std::uint64_t>());
      CHECK(total.violating == worked.at("violating").get<std::uint64_t>());
      if (alike && clients == 4)
        CHECK(search.runs() * 10 < worked.at("schedules").get<std::size_t>());
    }
}

// SET NX until it succeeds, then a decision while it holds the lock.
class UnderLock : public StepProgram {
 public:
  ProgramStep next(const ProgramStart&, std::span<const Reply> replies) override {
    const bool locked = !replies.empty() && !replies.back().is_nil();
    if (locked_at(replies) == replies.size() && !locked) {
      if (replies.size() == 50) return {{}, Outcome::denied, {}};
      return {{"SET", "lock", "1", "NX"}, {}, {}};
    }
    switch (replies.size() - locked_at(replies)) {
      case 1:
        return {{"INCR", "count"}, {}, {}};
      case 2:
        return {{"DEL", "lock"}, {}, {}};
      default:
        return {{},
                replies[locked_at(replies) + 1].integer <= 2 ? Outcome::allowed : Outcome::denied,
                {}};
    }
  }

 private:
  static std::size_t locked_at(std::span<const Reply> replies) {
    std::size_t at = 0;
    while (at < replies.size() && replies[at].is_nil()) ++at;
    return at;
  }
};

TEST_CASE("a crash that leaves a key without expiry is found") {
  test::IncrThenExpire program(2);
  ExploreRules rules = rules_for(3, 2);
  rules.events.crash = true;
  ExploreSpace space(rules, program, RedisModel(3, kExploredAt));
  ExploreSearch search(space, 100'000);
  search.run([&](ExploreSpace::State state) {
    return space.is_quiescent(state) && !space.keys_without_expiry(state).empty() ? 1u : 0u;
  });
  CHECK(search.is_exhaustive());
  REQUIRE(search.found(0));
  CHECK(format_schedule(search.found(0)->choices) == "0,c0");
}

TEST_CASE("a client that waits for a lock is not scheduled until the lock is free") {
  UnderLock program;
  ExploreSpace space(rules_for(3, 2), program, RedisModel(3, kExploredAt));
  ExploreSearch search(space, 100'000);
  search.run([&](ExploreSpace::State state) { return space.breaks_contract(state) ? 1u : 0u; });
  CHECK(search.is_exhaustive());
  CHECK_FALSE(search.found(0));
  const auto counts = count_schedules(
      search, space, [&](ExploreSpace::State state) { return judge_end(space, state); },
      CountBy::nothing);
  CHECK(counts.at(0).schedules == 6);  // the order of the three clients
}

TEST_CASE("a client that waits for the lock of a dead client runs out of attempts") {
  UnderLock program;
  ExploreRules rules = rules_for(2, 2);
  rules.events.crash = true;
  ExploreSpace space(rules, program, RedisModel(2, kExploredAt));
  const WalkedSchedule walked = walk_schedule(space, parse_schedule("0,c0,1"));
  CHECK(space.is_final(walked.end));
  REQUIRE(walked.trace.size() == 4);
  CHECK(walked.trace[2].tries == 50);
  CHECK(walked.trace[3].outcome == Outcome::denied);
}

TEST_CASE("a search that is cut short has covered the lower preemption counts") {
  test::ReadThenAct program(3, 1);
  ExploreSpace space(rules_for(5, 4), program, RedisModel(5, kExploredAt));
  ExploreSearch all(space, 1'000'000);
  all.run([](ExploreSpace::State) { return 0u; });
  CHECK(all.is_exhaustive());
  ExploreSearch some(space, all.states() / 4);
  some.run([](ExploreSpace::State) { return 0u; });
  CHECK_FALSE(some.is_exhaustive());
  CHECK(some.preemptions_covered() >= 0);
  CHECK(some.preemptions_covered() < all.preemptions_covered());
}

TEST_CASE("a window that has ended is a different window") {
  test::ReadThenAct program(9, 0);
  ExploreRules rules = rules_for(3, 2);
  rules.events.time_steps_us = {60'000'000};
  ExploreSpace space(rules, program, RedisModel(3, kExploredAt));
  const auto breaks = [&](const char* schedule) {
    return space.breaks_contract(walk_schedule(space, parse_schedule(schedule)).end);
  };
  CHECK(breaks("0,0,1,1,2,2"));
  CHECK_FALSE(breaks("0,0,1,1,t,2,2"));
  // Decided somewhere in the minute between its two steps: that is no proof.
  CHECK_FALSE(breaks("0,0,1,1,2,t,2"));
}

TEST_CASE("schedules keep their value through text") {
  for (const char* text : {"0", "0,1,c0,t,e1,f,7"})
    CHECK(format_schedule(parse_schedule(text)) == text);
  for (const char* text : {"", "0,", "x", "c", "t1", "-1", "0 1", "300"})
    CHECK_THROWS_AS(parse_schedule(text), Error);
  CHECK(format_schedule(renamed_by_order(parse_schedule("2,2,0,c2,1"))) == "0,0,1,c0,2");
}

TEST_CASE("a schedule has only clients that take part") {
  for (const char* text : {"0,3", "c3"}) CHECK_THROWS_AS(parse_schedule(text, 3), Error);
  CHECK(parse_schedule("0,2,c1,e3", 3).size() == 4);  // the fourth key that can expire
}

TEST_CASE("counts of schedules stop at the maximum of 128 bits") {
  ScheduleCount count = 1;
  for (int i = 0; i < 127; ++i) count += count;
  CHECK(count.digits() == "170141183460469231731687303715884105728");
  CHECK_FALSE(count.is_most());
  count += count;
  CHECK(count.is_most());
  count += 1;
  CHECK(count.digits() == "340282366920938463463374607431768211455");
}

}  // namespace rlctl
