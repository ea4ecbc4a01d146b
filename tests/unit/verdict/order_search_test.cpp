// The search of all orders, stretch by stretch: what it proves of long logs, and that a search cut
// short never contradicts the whole one. RLCTL_HISTORIES and RLCTL_SEED as in joint_random_test.
#include "verdict/order_search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "policy/rules_text.h"
#include "tools/random_history.h"
#include "verdict/verdict.h"

namespace {

using namespace rlctl;
using test::from_environment;
using test::HistoryRandom;

constexpr std::int64_t kBotSecond = 1'000'000;

void add_decision(Log& log, std::int64_t at_us, Outcome outcome, std::int64_t takes_us = 0) {
  Record record;
  record.sent_us = record.server_us = at_us;
  record.received_us = at_us + takes_us;
  if (takes_us > 0) record.server_us = kNoTime;
  record.outcome = outcome;
  log.records.push_back(record);
}

struct Bot {
  std::int64_t requests;
  std::int64_t limit = 20;
  std::int64_t gap_us = 2 * kBotSecond;
  bool is_even = true;  // else one of seven requests is 1 us early
  std::int64_t from_us = 0;
};

// A bot at a limiter that counts what it admitted in the last minute.
void add_bot(Log& log, const Bot& bot) {
  std::vector<std::int64_t> admitted;
  for (std::int64_t i = 0; i < bot.requests; ++i) {
    const std::int64_t early_us = !bot.is_even && i % 7 == 1 ? 1 : 0;
    const std::int64_t at_us = bot.from_us + i * bot.gap_us - early_us;
    const auto in_window = std::ranges::count_if(
        admitted, [&](std::int64_t other_us) { return other_us > at_us - 60 * kBotSecond; });
    const bool fits = in_window < bot.limit;
    if (fits) admitted.push_back(at_us);
    add_decision(log, at_us, fits ? Outcome::allowed : Outcome::denied);
  }
}

Log log_of_bot(const Bot& bot) {
  Log log;
  log.keys = {"k"};
  add_bot(log, bot);
  return log;
}

Judgement judged_as_fresh(const Log& log, const std::string& rules) {
  JudgeOptions options;
  options.fresh = true;
  return judge_rules(log, parse_rules(rules, "policy"), options);
}

}  // namespace

TEST_CASE("requests at exact times have one order, and a contradiction in it stays proven") {
  for (const std::int64_t requests : {32, 60, 150, 2'000}) {
    CAPTURE(requests);
    const Judgement judgement =
        judged_as_fresh(log_of_bot({.requests = requests}), "20/1m, denied count");
    CHECK(judgement.verdict == VerdictKind::violated);
    CHECK(judgement.totals.together == Together::impossible);
  }
}

TEST_CASE("windows of an unknown phase are refuted however many exact requests there are") {
  constexpr Bot kBots[] = {{.requests = 150, .is_even = false},
                           {.requests = 600, .is_even = false},
                           // 300 phases differ.
                           {.requests = 750, .limit = 100, .gap_us = 400'000, .is_even = false}};
  for (const Bot& bot : kBots) {
    CAPTURE(bot.requests);
    const std::string rules = std::to_string(bot.limit) + "/1m fixed+?";
    CHECK(judged_as_fresh(log_of_bot(bot), rules).verdict == VerdictKind::violated);
    Bot even = bot;
    even.is_even = true;
    CHECK(judged_as_fresh(log_of_bot(even), rules).verdict == VerdictKind::holds);
  }
}

TEST_CASE("a part that has no order proves that the log has none, whatever follows it") {
  Log log = log_of_bot({.requests = 60});
  for (int i = 0; i < 60; ++i)
    add_decision(log, 121 * kBotSecond, i % 2 ? Outcome::denied : Outcome::allowed);
  CHECK(judged_as_fresh(log, "20/1m, denied count").verdict == VerdictKind::violated);
}

TEST_CASE("a request without an answer may explain what follows it") {
  const auto denied_at_the_limit = [](Outcome third) {
    Log log;
    log.keys = {"k"};
    for (std::int64_t i = 0; i < 60; ++i) {
      const std::int64_t at_us = i * 100 * kBotSecond;
      add_decision(log, at_us, Outcome::allowed);
      add_decision(log, at_us + kBotSecond, third, kBotSecond);
      add_decision(log, at_us + 10 * kBotSecond, Outcome::denied);
      add_decision(log, at_us + 30 * kBotSecond, Outcome::denied);
    }
    JudgeOptions options;
    options.fresh = true;
    options.max_inflight_us = kBotSecond;
    options.budgets = {};
    return judge_rules(log, parse_rules("2/1m, denied count", "policy"), options).verdict;
  };
  CHECK(denied_at_the_limit(Outcome::unknown) != VerdictKind::violated);
  CHECK(denied_at_the_limit(Outcome::failed) == VerdictKind::violated);
}

TEST_CASE("what would decide a log without unknown outcomes is not fewer of them") {
  // 60 requests at one instant: too many orders for the search of all.
  Log log;
  log.keys = {"k"};
  for (int i = 0; i < 60; ++i) add_decision(log, 0, i < 20 ? Outcome::allowed : Outcome::denied);
  add_decision(log, 59 * kBotSecond, Outcome::denied);
  add_bot(log, {.requests = 40, .from_us = 61 * kBotSecond});
  const Judgement judgement = judged_as_fresh(log, "20/1m, denied count");
  CAPTURE(judgement.reason);
  REQUIRE(judgement.verdict == VerdictKind::inconclusive);
  CHECK(judgement.remedy.find("unknown") == std::string::npos);
  CHECK(judgement.remedy.find("at the same time") != std::string::npos);
}

namespace {

Requests random_requests(HistoryRandom& random) {
  Requests requests;
  for (std::int64_t i = random.between(2, 9); i > 0; --i) {
    Request request;
    request.low = random.between(0, 40);
    request.high = request.low + (random.one_in(2) ? 0 : random.between(0, 6));
    request.cost = random.one_in(5) ? 2 : 1;
    const std::int64_t dice = random.between(1, 10);
    request.role = dice <= 6 ? Role::admission : dice <= 9 ? Role::denial : Role::unanswered;
    requests.push_back(request);
  }
  std::ranges::stable_sort(requests, {}, &Request::low);
  return requests;
}

Rules random_rules(HistoryRandom& random) {
  constexpr std::array kKinds{RuleKind::sliding, RuleKind::fixed, RuleKind::first_hit,
                              RuleKind::bucket};
  Rule rule{.kind = kKinds[static_cast<std::size_t>(random.between(0, 3))],
            .limit = random.between(1, 3)};
  rule.window_us = rule.limit * random.between(2, 6);
  if (rule.kind == RuleKind::bucket) rule.capacity = random.between(1, 3);
  rule.counts_denied = random.one_in(3);
  if (random.one_in(3)) rule.block_us = random.between(1, 9);
  return {rule};
}

}  // namespace

TEST_CASE("a search that ends at a large stretch never contradicts the whole one") {
  const std::int64_t histories = from_environment("RLCTL_HISTORIES", 3'000);
  const auto first = static_cast<std::uint64_t>(from_environment("RLCTL_SEED", 1));
  std::int64_t refuted = 0;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(histories); ++seed) {
    HistoryRandom random(seed);
    const Requests requests = random_requests(random);
    const Lanes lanes{random_rules(random)};
    JointFrame frame;
    frame.tolerance_us = random.one_in(3) ? 1 : 0;
    if (random.one_in(3)) frame.from_us = 0;
    const auto found = [&](std::size_t stretch) {
      return search_orders(requests, lanes, frame, {.stretch = stretch});
    };
    const Schedulable whole = found(40);
    CAPTURE(seed);
    CHECK(whole != Schedulable::undetermined);
    for (const std::size_t stretch : {1, 2, 4}) {
      const Schedulable part = found(stretch);
      CHECK((part == Schedulable::undetermined || part == whole));
      refuted += part == Schedulable::no && whole == Schedulable::no;
    }
  }
  CHECK(refuted * 20 > histories);
}
