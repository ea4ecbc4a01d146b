// Rules that count by names of their own: one request counts under several keys.
#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <random>

#include "base/error.h"
#include "log/rule_keys.h"
#include "policy/rules_text.h"
#include "verdict/verdict.h"

namespace rlctl {
namespace {

std::uint32_t number_of(NamedValues& values, const std::string& value) {
  const auto found = std::ranges::find(values.values, value);
  const auto number = static_cast<std::uint32_t>(found - values.values.begin());
  if (found == values.values.end()) values.values.push_back(value);
  return number;
}

class NamedLog {
 public:
  explicit NamedLog(const std::string& rules) {
    log.keys = {"k"};
    log.policy = policy_of(parse_rules(rules, "rules"));
    log.names.resize(2);
    log.names[0].name = "user";
    log.names[1].name = "route";
  }

  void add(std::int64_t from_us, std::int64_t to_us, const std::string& user,
           const std::string& route, Outcome outcome) {
    const std::size_t index = log.records.size();
    log.names[0].set(index, number_of(log.names[0], user));
    log.names[1].set(index, number_of(log.names[1], route));
    Record record;
    record.sent_us = from_us;
    record.received_us = to_us;
    record.outcome = outcome;
    log.records.push_back(record);
  }

  Verdict judged() const {
    JudgeOptions options;
    options.fresh = true;
    return judge(log, options);
  }

  Log log;
};

constexpr const char* kTwo = "10/1s, per user & 20/1s, per route";

// A limiter of exact windows, asked by clients whose requests take up to 20 ms; decisions are made
// somewhere in between, and are not stamped.
class ExactLimiter {
 public:
  ExactLimiter(std::int64_t per_user, std::int64_t per_route)
      : per_user_(per_user), per_route_(per_route) {}

  bool admits(std::int64_t at_us, const std::string& user, const std::string& route) {
    const bool allowed =
        has_room(users_[user], at_us, per_user_) && has_room(routes_[route], at_us, per_route_);
    if (!allowed) return false;
    users_[user].push_back(at_us);
    routes_[route].push_back(at_us);
    return true;
  }

 private:
  static bool has_room(std::deque<std::int64_t>& window, std::int64_t at_us, std::int64_t limit) {
    while (!window.empty() && window.front() <= at_us - 1'000'000) window.pop_front();
    return std::ssize(window) < limit;
  }

  std::int64_t per_user_;
  std::int64_t per_route_;
  std::map<std::string, std::deque<std::int64_t>> users_;
  std::map<std::string, std::deque<std::int64_t>> routes_;
};

NamedLog asked(ExactLimiter limiter, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  NamedLog named(kTwo);
  std::int64_t at_us = 0;
  for (int i = 0; i < 3'000; ++i) {
    at_us += static_cast<std::int64_t>(random() % 12'000);
    const std::string user = "u" + std::to_string(random() % 7);
    const std::string route = random() % 3 == 0 ? "/a" : "/b";
    const bool allowed = limiter.admits(at_us, user, route);
    const auto before = static_cast<std::int64_t>(random() % 10'000);
    const auto after = static_cast<std::int64_t>(random() % 10'000);
    named.add(at_us - before, at_us + after, user, route,
              allowed ? Outcome::allowed : Outcome::denied);
  }
  return named;
}

}  // namespace

TEST_CASE("a limiter that keeps both rules is never refuted, and not left undecided") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Verdict verdict = asked(ExactLimiter(10, 20), seed).judged();
    INFO("seed " << seed << ": " << verdict.reason);
    CHECK(verdict.verdict == VerdictKind::holds);
    CHECK(verdict.policy.totals.operations == 3'000);
    CHECK(verdict.policy.by_rule.size() == 2);
    CHECK(verdict.policy.keys.size() == 9);  // 7 users and 2 routes
  }
}

TEST_CASE("a limiter that forgets a rule is violated, named with the rule and its key") {
  const Verdict no_route = asked(ExactLimiter(10, 1'000'000), 1).judged();
  CHECK(no_route.verdict == VerdictKind::violated);
  INFO(no_route.reason);
  CHECK(no_route.reason.find("the limit is 20 per 1s per route: '/") != std::string::npos);
  CHECK(no_route.policy.totals.max_certain == no_route.policy.by_rule[1].max_certain);
  const Verdict no_user = asked(ExactLimiter(1'000'000, 20), 1).judged();
  CHECK(no_user.verdict == VerdictKind::violated);
  INFO(no_user.reason);
  CHECK(no_user.reason.find("the limit is 10 per 1s per user: 'u") != std::string::npos);
}

TEST_CASE("a denial that no rule explains under its own key is wrong") {
  NamedLog named("1/1s, per user & 2/1s, per route");
  named.add(0, 0, "ann", "/a", Outcome::allowed);
  named.add(10, 10, "bob", "/b", Outcome::denied);  // full for ann, but not for bob
  named.add(20, 20, "ann", "/b", Outcome::denied);
  const Verdict verdict = named.judged();
  CHECK(verdict.verdict == VerdictKind::violated);
  CHECK(verdict.policy.totals.certain_false_denials == std::vector<std::uint32_t>{1});
}

TEST_CASE("each rule has a placement, but no placement keeps both") {
  NamedLog named("1/1s, per user & 1/1s, per route");
  // For ann's sake the second one comes late, for the sake of /b it comes early.
  named.add(0, 0, "ann", "/a", Outcome::allowed);
  named.add(500'000, 1'500'000, "ann", "/b", Outcome::allowed);
  named.add(1'900'000, 1'900'000, "bob", "/b", Outcome::allowed);
  named.add(1'950'000, 1'950'000, "bob", "/a", Outcome::denied);
  const Verdict verdict = named.judged();
  CHECK(verdict.verdict == VerdictKind::violated);
  CHECK(verdict.policy.totals.proof != Proof::containment);
}

TEST_CASE("one rule per user judges the users of a log with one key") {
  NamedLog named("2/1s, per user");
  for (int i = 0; i < 6; ++i)
    named.add(i * 10, i * 10, i % 2 == 0 ? "ann" : "bob", "",
              i < 4 ? Outcome::allowed : Outcome::denied);
  const Verdict verdict = named.judged();
  CHECK(verdict.verdict == VerdictKind::holds);
  REQUIRE(verdict.policy.keys.size() == 2);
  CHECK(verdict.policy.name_of(named.log, verdict.policy.keys[0]) == "'ann' (per user)");
}

TEST_CASE("a user of whom nothing is to be placed, beside one who must be") {
  NamedLog named("1/1s, per user & 5/1s, per route");
  named.add(0, 900'000, "ann", "/a", Outcome::allowed);
  named.add(500'000, 1'500'000, "ann", "/a", Outcome::allowed);
  named.add(1'500'000, 1'500'000, "ann", "/a", Outcome::denied);
  named.add(0, 0, "bob", "/b", Outcome::failed);
  const Figures totals = named.judged().policy.totals;
  CHECK(totals.proof == Proof::witness);
  CHECK(totals.together == Together::explained);
}

TEST_CASE("one placement settles what a rule in flight leaves open under its keys") {
  NamedLog named("1 in flight, per user & 5/1s, per route");
  named.add(0, 1'000, "ann", "/a", Outcome::allowed);
  named.add(500, 2'000, "ann", "/b", Outcome::allowed);
  named.add(1'600, 1'700, "ann", "/a", Outcome::denied);
  const Verdict verdict = named.judged();
  INFO(verdict.reason);
  CHECK(verdict.verdict == VerdictKind::holds);
  CHECK(verdict.policy.totals.proof == Proof::witness);
  CHECK(verdict.policy.keys.front().figures.proof == Proof::witness);
  CHECK(verdict.policy.by_rule.front().proof == Proof::witness);
}

TEST_CASE("a request without the name is not counted, and a note says so") {
  NamedLog named("1/1s, per user");
  named.add(0, 0, "ann", "/a", Outcome::allowed);
  named.add(1, 1, "", "/a", Outcome::allowed);
  named.add(2, 2, "ann", "/a", Outcome::denied);
  const Verdict verdict = named.judged();
  CHECK(verdict.verdict == VerdictKind::holds);
  CHECK(std::ranges::find(verdict.notes,
                          "1 request has no 'user': 1 per 1s per user does not count it") !=
        verdict.notes.end());
}

TEST_CASE("a name that no record has is an error") {
  NamedLog named("1/1s, per tenant");
  named.add(0, 0, "ann", "/a", Outcome::allowed);
  CHECK_THROWS_WITH_AS(named.judged(), "the log has no column 'tenant' for '1/1s, per tenant'",
                       Error);
}

}  // namespace rlctl
