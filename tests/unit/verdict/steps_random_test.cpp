// A bucket that refills in steps, compared with brute force on random small histories: few
// instants, so that ties are common. RLCTL_HISTORIES sets the number of histories (3,000),
// RLCTL_SEED the seed (1).
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <tuple>

#include "tools/random_history.h"
#include "verdict/verdict.h"

namespace {

using namespace rlctl;
using test::from_environment;
using test::HistoryRandom;

struct StepCase {
  Log log;
  Rule rule;
  JudgeOptions options;
};

StepCase step_case_of(std::uint64_t seed) {
  HistoryRandom random(seed);
  StepCase c;
  c.rule.kind = RuleKind::bucket;
  c.rule.capacity = random.between(1, 4);
  c.rule.limit = random.between(1, 3);
  c.rule.window_us = c.rule.step_us = random.between(2, 5);
  c.log.keys = {"k"};
  c.options.fresh = true;
  c.options.max_inflight_us = random.between(0, 3);
  const bool exact = random.one_in(3);
  const bool costly = random.one_in(4);
  for (std::int64_t i = random.between(1, 7); i > 0; --i) {
    Record record;
    record.sent_us = random.between(0, 14);
    record.received_us = record.sent_us + (exact || random.one_in(3) ? 0 : random.between(0, 4));
    const std::int64_t dice = random.between(1, 20);
    record.outcome = dice <= 13   ? Outcome::allowed
                     : dice <= 19 ? Outcome::denied
                                  : Outcome::unknown;
    if (costly) record.cost = static_cast<std::uint32_t>(random.between(1, 2));
    c.log.records.push_back(record);
  }
  return c;
}

// Plays every order of the decisions, and every instant at which the refills may begin: when the
// bucket is no longer full, the next refill comes within a step, and a step or more after the last.
class EveryRefill {
 public:
  EveryRefill(const StepCase& c, bool with_denials) : c_(c), with_denials_(with_denials) {}

  bool some_order_keeps() { return play({0, c_.rule.capacity, -1, -100, 0}); }

 private:
  struct State {
    std::int64_t now;
    std::int64_t tokens;
    std::int64_t refill_at;  // -1: the bucket is full
    std::int64_t refilled_at;
    std::uint32_t done;
    auto operator<=>(const State&) const = default;
  };

  std::int64_t end_of(const Record& record) const {
    return record.outcome == Outcome::unknown ? record.sent_us + *c_.options.max_inflight_us
                                              : record.received_us;
  }

  bool must(const Record& record) const {
    return record.outcome == Outcome::allowed ||
           (with_denials_ && record.outcome == Outcome::denied);
  }

  bool play(State state) {
    if (!seen_.insert(state).second) return false;
    const auto& records = c_.log.records;
    bool all = true;
    for (std::size_t i = 0; i < records.size(); ++i)
      all = all && ((state.done >> i & 1) != 0 || !must(records[i]));
    if (all) return true;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const Record& record = records[i];
      const bool may_be_now = record.sent_us <= state.now && state.now <= end_of(record);
      if ((state.done >> i & 1) != 0 || !may_be_now) continue;
      if (record.outcome == Outcome::denied ? deny(state, i) : admit(state, i)) return true;
    }
    return wait(state);
  }

  bool deny(State state, std::size_t i) {
    if (!with_denials_ || state.tokens >= c_.log.records[i].cost) return false;
    state.done |= 1U << i;
    return play(state);
  }

  bool admit(State state, std::size_t i) {
    if (state.tokens < c_.log.records[i].cost) return false;
    state.tokens -= c_.log.records[i].cost;
    state.done |= 1U << i;
    if (state.refill_at >= 0) return play(state);
    for (std::int64_t after = 1; after <= c_.rule.step_us; ++after) {
      state.refill_at = state.now + after;
      const bool is_apart = state.refill_at >= state.refilled_at + c_.rule.step_us;
      if (is_apart && play(state)) return true;
    }
    return false;
  }

  // One instant passes.
  bool wait(State state) {
    const auto& records = c_.log.records;
    for (std::size_t i = 0; i < records.size(); ++i)
      if ((state.done >> i & 1) == 0 && must(records[i]) && end_of(records[i]) <= state.now)
        return false;
    ++state.now;
    if (state.now == state.refill_at) {
      state.refilled_at = state.now;
      state.tokens = std::min(c_.rule.capacity, state.tokens + c_.rule.limit);
      state.refill_at = state.tokens == c_.rule.capacity ? -1 : state.now + c_.rule.step_us;
    }
    return play(state);
  }

  const StepCase& c_;
  bool with_denials_;
  std::set<State> seen_;
};

std::string shown_case(const StepCase& c) {
  std::ostringstream out;
  out << rules_text({c.rule}) << " inflight " << *c.options.max_inflight_us << "\n";
  for (const Record& r : c.log.records)
    out << "  [" << r.sent_us << ", " << r.received_us << "] cost " << r.cost << " outcome "
        << static_cast<int>(r.outcome) << "\n";
  return out.str();
}

}  // namespace

TEST_CASE("a bucket by steps is judged as brute force says") {
  const std::int64_t histories = from_environment("RLCTL_HISTORIES", 3'000);
  const auto seed = static_cast<std::uint64_t>(from_environment("RLCTL_SEED", 1));
  std::int64_t undetermined = 0;
  for (std::int64_t i = 0; i < histories; ++i) {
    const StepCase c = step_case_of(seed * 1'000'003 + static_cast<std::uint64_t>(i));
    INFO("history " << i << "\n" << shown_case(c));
    const Figures figures = judge_rules(c.log, {c.rule}, c.options).totals;
    const bool admissions_fit = EveryRefill(c, false).some_order_keeps();
    const bool all_fit = admissions_fit && EveryRefill(c, true).some_order_keeps();
    const bool violated = figures.over_admission == OverAdmission::certain ||
                          !figures.certain_false_denials.empty() ||
                          figures.together == Together::impossible;
    const bool unsure =
        figures.proof == Proof::undetermined || figures.together != Together::explained;
    if (violated) CHECK_FALSE(all_fit);
    if (!violated && !unsure) CHECK(all_fit);
    undetermined += !violated && unsure;
  }
  MESSAGE("undetermined: " << undetermined);
  CHECK(undetermined * 100 <= histories);
}
