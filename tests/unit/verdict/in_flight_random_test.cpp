// "N in flight", compared with brute force on random small histories: few instants, so that ties
// are common. RLCTL_HISTORIES sets the number of histories (5,000), RLCTL_SEED the seed (1).
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "tools/random_history.h"
#include "unit/verdict/in_flight_brute_force.h"
#include "verdict/verdict.h"

namespace {

using namespace rlctl;
using brute::Held;
using test::from_environment;
using test::HistoryRandom;

struct Case {
  Log log;
  Rule rule;
  JudgeOptions options;
};

Case case_of(std::uint64_t seed) {
  HistoryRandom random(seed);
  Case c;
  c.rule.kind = RuleKind::in_flight;
  c.rule.limit = random.between(1, 3);
  c.log.keys = {"k"};
  c.log.has_finishes = random.one_in(2);
  if (c.log.has_finishes && random.one_in(3)) c.rule.lease_us = random.between(2, 8);
  if (!c.log.has_finishes && random.one_in(2)) c.options.held_at_least_us = random.between(1, 4);
  c.options.fresh = !random.one_in(4);
  if (random.one_in(2)) c.options.max_inflight_us = random.between(0, 4);
  const bool costly = random.one_in(4);
  for (std::int64_t i = random.between(1, 6); i > 0; --i) {
    Record record;
    record.sent_us = random.between(0, 12);
    record.received_us = record.sent_us + (random.one_in(3) ? 0 : random.between(0, 4));
    const std::int64_t dice = random.between(1, 20);
    record.outcome = dice <= 12   ? Outcome::allowed
                     : dice <= 17 ? Outcome::denied
                     : dice <= 19 ? Outcome::unknown
                                  : Outcome::failed;
    if (!c.log.has_finishes && record.outcome == Outcome::allowed)
      record.received_us += c.options.held_at_least_us;
    if (costly) record.cost = static_cast<std::uint32_t>(random.between(1, 2));
    if (c.log.has_finishes && record.outcome == Outcome::allowed && !random.one_in(5)) {
      Finish finish{record.received_us + random.between(0, 6)};
      if (!random.one_in(6)) finish.received_us = finish.sent_us + random.between(0, 2);
      c.log.set_finish(c.log.records.size(), finish);
    }
    c.log.records.push_back(record);
  }
  if (c.rule.lease_us > 0 && random.one_in(3)) c.options.tolerance_us = 1;
  return c;
}

std::vector<Held> operations_of(const Case& c) {
  std::vector<Held> operations;
  for (std::size_t i = 0; i < c.log.records.size(); ++i) {
    const Record& record = c.log.records[i];
    Held held{record.sent_us, record.received_us, record.sent_us,
              brute::kNever,  record.cost,        record.outcome};
    const Finish finish = c.log.finish_of(i);
    if (record.outcome == Outcome::unknown) {
      held.high =
          c.options.max_inflight_us ? record.sent_us + *c.options.max_inflight_us : brute::kNever;
    } else if (!c.log.has_finishes) {
      held.to = record.received_us;
    } else if (finish.sent_us != kNoTime) {
      held.from = finish.sent_us;
      if (finish.received_us != kNoTime) held.to = finish.received_us;
    }
    operations.push_back(held);
  }
  return operations;
}

std::int64_t first_seen(const Case& c) {
  std::int64_t first = brute::kNever;
  for (const Record& record : c.log.records)
    if (record.outcome != Outcome::failed) first = std::min(first, record.received_us);
  return first;
}

brute::InFlightRule rule_of(const Case& c) {
  brute::InFlightRule rule;
  rule.limit = c.rule.limit;
  rule.lease = c.rule.lease_us;
  rule.least = c.options.held_at_least_us;
  rule.tolerance = c.options.tolerance_us;
  if (c.options.fresh) return rule;
  rule.unseen_until =
      c.rule.lease_us > 0 ? first_seen(c) + rule.lease + rule.tolerance : brute::kNever;
  return rule;
}

std::string show(const Case& c) {
  std::ostringstream out;
  out << rules_text({c.rule}) << " tolerance " << c.options.tolerance_us << " held at least "
      << c.options.held_at_least_us << " fresh " << c.options.fresh << " inflight "
      << c.options.max_inflight_us.value_or(-1) << " finishes " << c.log.has_finishes << "\n";
  for (const Held& op : operations_of(c))
    out << "  [" << op.low << ", " << op.high << "] ends [" << op.from << ", " << op.to << "] cost "
        << op.cost << " outcome " << static_cast<int>(op.outcome) << "\n";
  return out.str();
}

}  // namespace

TEST_CASE("in flight: over-admission is what brute force says") {
  const std::int64_t histories = from_environment("RLCTL_HISTORIES", 5'000);
  const auto seed = static_cast<std::uint64_t>(from_environment("RLCTL_SEED", 1));
  std::int64_t undetermined = 0;
  for (std::int64_t i = 0; i < histories; ++i) {
    Case c = case_of(seed * 1'000'003 + static_cast<std::uint64_t>(i));
    for (Record& record : c.log.records)
      if (record.outcome == Outcome::denied) record.outcome = Outcome::failed;
    INFO("history " << i << "\n" << show(c));
    const Figures figures = judge_rules(c.log, {c.rule}, c.options).totals;
    const bool kept = brute::some_order_keeps(operations_of(c), rule_of(c), false);
    CHECK(figures.over_admission != (kept ? OverAdmission::certain : OverAdmission::none));
    if (figures.proof == Proof::witness) CHECK(kept);
    if (figures.over_admission == OverAdmission::certain) CHECK_FALSE(kept);
    undetermined += figures.proof == Proof::undetermined;
  }
  CHECK(undetermined * 100 <= histories);
}

TEST_CASE("in flight: one placement explains everything, or the log does not hold") {
  const std::int64_t histories = from_environment("RLCTL_HISTORIES", 5'000);
  const auto seed = static_cast<std::uint64_t>(from_environment("RLCTL_SEED", 1));
  std::int64_t undetermined = 0;
  for (std::int64_t i = 0; i < histories; ++i) {
    Case c = case_of(seed * 2'000'003 + static_cast<std::uint64_t>(i));
    INFO("history " << i << "\n" << show(c));
    const Figures figures = judge_rules(c.log, {c.rule}, c.options).totals;
    const bool kept = brute::some_order_keeps(operations_of(c), rule_of(c), true);
    const bool violated = figures.over_admission == OverAdmission::certain ||
                          !figures.certain_false_denials.empty() ||
                          figures.together == Together::impossible;
    const bool unsure =
        figures.proof == Proof::undetermined || figures.together == Together::not_found;
    if (violated) CHECK_FALSE(kept);
    if (!violated && !unsure) CHECK(kept);
    undetermined += !violated && unsure;
  }
  MESSAGE(undetermined << " of " << histories << " undetermined");
  CHECK(undetermined * 100 <= histories);
}
