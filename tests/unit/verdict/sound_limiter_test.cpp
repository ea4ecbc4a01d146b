// Logs of simulated limiters that keep their promise, one for each kind of rule. The judge knows
// every decision only to the interval between request and answer, as over a network. A sound
// limiter must never be called violated, and seldom be left undecided.
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>

#include "policy/rules_text.h"
#include "tools/random_history.h"
#include "verdict/order_search.h"
#include "verdict/verdict.h"

namespace {

using namespace rlctl;
using namespace rlctl::test;

// What a limiter that keeps one rule exactly remembers.
class SoundRule {
 public:
  explicit SoundRule(const Rule& rule) : rule_(rule) {}

  bool has_room(std::int64_t now_us, std::int64_t cost) {
    switch (rule_.kind) {
      case RuleKind::sliding:
        while (!entries_.empty() && entries_.front() <= now_us - rule_.window_us)
          entries_.pop_front();
        break;
      case RuleKind::fixed:
        start_window((now_us - *rule_.phase_us) / rule_.window_us * rule_.window_us);
        break;
      case RuleKind::first_hit:
        if (has_ended(now_us)) return cost <= rule_.limit;
        break;
      default:
        if (rule_.step_us > 0) return tokens_by_steps(now_us) >= cost;
        return std::max(now_us, full_us_) + cost * token() <= now_us + rule_.capacity * token();
    }
    return static_cast<std::int64_t>(entries_.size()) + cost <= rule_.limit;
  }

  void take(std::int64_t now_us, std::int64_t cost) {
    if (rule_.kind == RuleKind::first_hit && has_ended(now_us)) start_window(now_us);
    entries_.insert(entries_.end(), static_cast<std::size_t>(cost), now_us);
    full_us_ = std::max(now_us, full_us_) + cost * token();
    taken_ += cost;
  }

  bool is_blocked(std::int64_t now_us) const {
    return blocked_us_ && now_us < *blocked_us_ + rule_.block_us;
  }
  void block(std::int64_t now_us) {
    if (rule_.block_us > 0) blocked_us_ = now_us;
  }
  bool counts_denied() const { return rule_.counts_denied; }

 private:
  bool has_ended(std::int64_t now_us) const {
    return !opened_us_ || now_us >= *opened_us_ + rule_.window_us;
  }
  // Refilled at each whole step of the clock.
  std::int64_t tokens_by_steps(std::int64_t now_us) {
    const std::int64_t steps = now_us / rule_.step_us;
    taken_ = std::max<std::int64_t>(0, taken_ - (steps - steps_) * rule_.refill_per_step());
    steps_ = steps;
    return rule_.capacity - taken_;
  }
  std::int64_t token() const { return rule_.window_us / std::max<std::int64_t>(1, rule_.limit); }
  void start_window(std::int64_t at_us) {
    if (opened_us_ == at_us) return;
    opened_us_ = at_us;
    entries_.clear();
  }

  Rule rule_;
  std::deque<std::int64_t> entries_;
  std::optional<std::int64_t> opened_us_;
  std::optional<std::int64_t> blocked_us_;
  std::int64_t full_us_ = 0;
  std::int64_t taken_ = 0;
  std::int64_t steps_ = 0;
};

bool decide(std::vector<SoundRule>& rules, std::int64_t now_us, std::int64_t cost) {
  bool blocked = false;
  for (const SoundRule& rule : rules) blocked = blocked || rule.is_blocked(now_us);
  bool room = !blocked;
  for (SoundRule& rule : rules) {
    const bool fits = rule.has_room(now_us, cost);
    if (!blocked && !fits) rule.block(now_us);
    room = room && fits;
  }
  for (SoundRule& rule : rules)
    if (room || rule.counts_denied()) rule.take(now_us, cost);
  return room;
}

struct Traffic {
  std::int64_t requests = 3'000;
  std::int64_t gap_us = 2'000;      // the mean time between two requests
  std::int64_t latency_us = 5'000;  // the longest way to the limiter, and back
  std::int64_t most_cost = 1;
  std::int64_t lost_in = 0;     // one in so many gets no answer
  std::int64_t pause_in = 400;  // before one in so many there is a pause
  bool stamped = false;         // with the limiter's own time
};

Log log_of(const Rules& rules, const Traffic& traffic, HistoryRandom& random) {
  std::vector<SoundRule> limiter;
  for (const Rule& rule : rules) limiter.emplace_back(rule);
  Log log;
  log.keys = {"k"};
  log.policy = policy_of(rules);
  std::int64_t now_us = 1'000'000;
  for (std::int64_t i = 0; i < traffic.requests; ++i) {
    const bool pause = random.one_in(traffic.pause_in);
    now_us += random.between(0, 2 * traffic.gap_us) * (pause ? 300 : 1);
    Record record;
    record.cost = static_cast<std::uint32_t>(random.between(1, traffic.most_cost));
    record.outcome = decide(limiter, now_us, record.cost) ? Outcome::allowed : Outcome::denied;
    record.sent_us = now_us - random.between(0, traffic.latency_us);
    record.received_us = now_us + random.between(0, traffic.latency_us);
    if (traffic.lost_in > 0 && random.one_in(traffic.lost_in)) {
      record.outcome = Outcome::unknown;
      record.received_us = record.sent_us + 1'000'000;
    }
    if (traffic.stamped) record.server_us = now_us;
    log.records.push_back(record);
  }
  return log;
}

struct Trial {
  const char* rules;
  Traffic traffic;
};

constexpr Trial kTrials[] = {
    {"bucket 100 + 50/1s", {.latency_us = 50'000}},
    {"10/1s", {.gap_us = 30'000, .latency_us = 20'000}},
    {"100/1s fixed", {}},
    {"100/1s fixed+?", {}},
    {"100/1s first-hit", {}},
    {"10/1s first-hit", {.gap_us = 30'000, .latency_us = 20'000}},
    {"bucket 20 + 100/1s", {}},
    {"bucket 100 + 50/1s", {.latency_us = 50'000}},
    {"bucket 20 + 100/1s by steps of 100ms", {}},
    {"bucket 100 + 300/1s by steps of 1s", {}},
    {"10/1s & 100/1m", {.gap_us = 30'000}},
    {"100/1s & bucket 20 + 200/1s", {}},
    {"100/1s, denied count", {.gap_us = 9'000}},
    {"20/1s, block 3s", {.gap_us = 20'000}},
    {"20/1s first-hit, block 3s", {.gap_us = 20'000}},
    {"100/1s", {.most_cost = 5}},
    {"bucket 20 + 100/1s", {.most_cost = 5}},
    {"100/1s", {.lost_in = 500}},
    {"10/500ms first-hit, denied count & 30/3s first-hit", {.latency_us = 2'000}},
};

}  // namespace

TEST_CASE("a sound limiter is never refuted, and seldom left undecided") {
  const std::int64_t logs = from_environment("RLCTL_SOUND_LOGS", 3);
  const auto first = static_cast<std::uint64_t>(from_environment("RLCTL_SEED", 1));
  std::int64_t undecided = 0;
  std::int64_t all = 0;
  for (const Trial& trial : kTrials) {
    std::int64_t here = 0;
    for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(logs); ++seed) {
      HistoryRandom random(seed);
      const Rules rules = parse_rules(trial.rules, "policy");
      INFO(trial.rules << " cost up to " << trial.traffic.most_cost << " seed " << seed);
      Rules acted = rules;
      for (Rule& rule : acted)
        if (rule.has_unknown_phase()) rule.phase_us = 300'000;
      const Log log = log_of(acted, trial.traffic, random);
      JudgeOptions options;
      options.fresh = true;
      const Judgement judgement = judge_rules(log, rules, options);
      CHECK_MESSAGE(judgement.verdict != VerdictKind::violated, judgement.reason);
      ++all;
      here += judgement.verdict == VerdictKind::inconclusive ? 1 : 0;
    }
    undecided += here;
    if (here > 0)
      MESSAGE(std::string(trial.rules) << ": " << here << " of " << logs << " undecided");
  }
  // These logs are hard: many ranges are wider than the time that a token takes.
  CHECK(undecided * 10 <= all);
}

namespace {

// Every denial depends on all admissions since the bucket was full. `late`: each answer takes as
// long as any.
void check_saturated(const Traffic& traffic, bool late) {
  const Rules rules = parse_rules("bucket 1000 + 1000/1s", "policy");
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    HistoryRandom random(seed);
    Log log = log_of(rules, traffic, random);
    if (late)
      for (Record& record : log.records) record.received_us = record.sent_us + traffic.latency_us;
    const Judgement judgement = judge_rules(log, rules, JudgeOptions());
    CHECK_MESSAGE(judgement.verdict == VerdictKind::holds, judgement.reason);
  }
}

}  // namespace

TEST_CASE("a sound bucket that does not get full again is decided") {
  check_saturated({.requests = 8'000, .gap_us = 500, .latency_us = 2'000, .pause_in = 1'000'000},
                  true);
}

TEST_CASE("a sound bucket that does not get full again is decided where answers are slow") {
  check_saturated({.requests = 6'000, .gap_us = 500, .latency_us = 50'000, .pause_in = 1'000'000},
                  false);
}

// Lines are in the order of the answers: requests that are cut off may have been decided after the
// first ones that are left.
TEST_CASE("a log without its first lines refutes no sound limiter") {
  Traffic overlapping{.requests = 40, .gap_us = 700'000, .latency_us = 900'000};
  for (const char* text :
       {"1/1s, block 2s", "2/1s fixed, block 3s", "1/1s first-hit, block 2s", "2/1s first-hit",
        "1/500ms first-hit, denied count", "bucket 2 + 1/1s, block 2s", "bucket 2 + 1/1s",
        "2/1s & 3/2s first-hit"}) {
    const Rules rules = parse_rules(text, "policy");
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      INFO(std::string(text) << " seed " << seed);
      HistoryRandom random(seed);
      overlapping.stamped = seed % 2 == 0;
      Log log = log_of(rules, overlapping, random);
      std::ranges::sort(log.records, {}, &Record::received_us);
      log.records.erase(log.records.begin(), log.records.begin() + random.between(1, 35));
      const Judgement judgement = judge_rules(log, rules, JudgeOptions());
      CHECK_MESSAGE(judgement.verdict != VerdictKind::violated, judgement.reason);
    }
  }
}

namespace {

// Of exact times, or of ranges of which few overlap, the order is searched in short stretches.
constexpr std::int64_t kShortLatencies[] = {0, 300};

Requests requests_of(const Log& log) {
  Requests requests;
  for (const Record& record : log.records) {
    Request request;
    request.low = record.sent_us;
    request.high = record.received_us;
    request.cost = record.cost;
    request.role = record.outcome == Outcome::allowed  ? Role::admission
                   : record.outcome == Outcome::denied ? Role::denial
                                                       : Role::unanswered;
    requests.push_back(request);
  }
  std::ranges::stable_sort(requests, {}, &Request::low);
  return requests;
}

}  // namespace

TEST_CASE("the search of all orders never refutes a sound limiter, however long the log is") {
  for (const Trial& trial : kTrials)
    for (const std::int64_t latency_us : kShortLatencies) {
      const Rules rules = parse_rules(trial.rules, "policy");
      if (rules.front().has_unknown_phase()) continue;
      Traffic traffic = trial.traffic;
      traffic.requests = 1'000;
      traffic.latency_us = latency_us;
      HistoryRandom random(1);
      const Requests requests = requests_of(log_of(rules, traffic, random));
      INFO(trial.rules << " latency " << latency_us);
      const Schedulable found = search_orders(requests, {rules}, {});
      CHECK(found != Schedulable::no);
      if (latency_us == 0 && traffic.lost_in == 0) CHECK(found == Schedulable::yes);
    }
}
