// The judge compared with brute force on random small histories: few instants, so that ties and
// edges are common. RLCTL_HISTORIES sets the number of histories (5,000), RLCTL_SEED the seed (1);
// a failure names the history's seed.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "tools/random_history.h"
#include "unit/verdict/brute_force.h"
#include "verdict/verdict.h"

namespace {

using namespace rlctl;
using test::from_environment;
using test::HistoryRandom;

struct Case {
  Log log;
  Rule contract;
  JudgeOptions options;
};

Record record_of(HistoryRandom& random, bool stamped, std::int64_t offset, bool costly) {
  Record record;
  record.sent_us = random.between(0, 18);
  record.received_us = record.sent_us + (random.one_in(3) ? 0 : random.between(0, 4));
  const std::int64_t dice = random.between(1, 20);
  record.outcome = dice <= 11   ? Outcome::allowed
                   : dice <= 17 ? Outcome::denied
                   : dice <= 19 ? Outcome::unknown
                                : Outcome::failed;
  if (costly) record.cost = static_cast<std::uint32_t>(random.between(1, 3));
  if (stamped && record.outcome != Outcome::unknown && record.outcome != Outcome::failed) {
    record.server_us = random.between(record.sent_us, record.received_us) + offset;
  }
  return record;
}

Log log_of(HistoryRandom& random) {
  Log log;
  log.keys = {"k"};
  const std::int64_t offset = random.between(-5, 5);
  const std::int64_t how = random.between(1, 4);  // no stamps, all, some, some with a step
  const bool costly = random.one_in(3);
  const std::int64_t count = random.between(0, 7);
  for (std::int64_t i = 0; i < count; ++i) {
    const bool stamped = how == 2 || (how > 2 && random.one_in(2));
    const std::int64_t step = how == 4 && random.one_in(4) ? random.between(1, 3) : 0;
    log.records.push_back(record_of(random, stamped, offset + step, costly));
  }
  return log;
}

Case case_of(std::uint64_t seed) {
  HistoryRandom random(seed);
  Case c;
  c.log = log_of(random);
  c.contract.kind = static_cast<RuleKind>(random.between(0, 3));
  c.contract.limit = random.one_in(12) ? 0 : random.between(1, 3);
  c.contract.window_us = random.between(2, 8);
  c.contract.phase_us = random.between(0, 7);
  if (random.one_in(3)) c.contract.phase_us.reset();
  if (c.contract.kind == RuleKind::bucket) c.contract.capacity = random.between(1, 3);
  c.contract.counts_denied = random.one_in(4);
  if (random.one_in(4)) c.contract.block_us = random.between(1, 9);
  c.options.tolerance_us = random.one_in(4) ? 1 : 0;
  c.options.fresh = random.one_in(2);
  c.options.closed = c.contract.kind == RuleKind::sliding && random.one_in(4);
  if (random.one_in(2)) c.options.max_inflight_us = random.between(0, 5);
  if (random.one_in(4)) c.options.history_from_us = random.between(-4, 4);
  return c;
}

std::string show(const Case& c) {
  std::ostringstream out;
  out << "kind " << static_cast<int>(c.contract.kind) << " limit " << c.contract.limit << " window "
      << c.contract.window_us << " phase " << c.contract.phase_us.value_or(-1) << " capacity "
      << c.contract.capacity << " counts_denied " << c.contract.counts_denied << " block "
      << c.contract.block_us << " tolerance " << c.options.tolerance_us << " fresh "
      << c.options.fresh << " closed " << c.options.closed << " inflight "
      << c.options.max_inflight_us.value_or(-1) << "\n";
  for (const Record& r : c.log.records) {
    out << "  [" << r.sent_us << ", " << r.received_us << "] ";
    if (r.server_us != kNoTime) out << "at " << r.server_us << " ";
    out << "cost " << r.cost << " outcome " << static_cast<int>(r.outcome) << "\n";
  }
  return out.str();
}

std::int64_t history_from(const Case& c, const brute::Operations& operations,
                          std::int64_t latest_shift) {
  if (c.options.history_from_us) return *c.options.history_from_us + latest_shift;
  std::int64_t from = 1000;
  for (const brute::Operation& op : operations) {
    const bool decided = op.outcome != Outcome::unknown;
    const std::int64_t received = c.log.records[op.record].received_us + latest_shift;
    from = std::min(from, decided ? op.high : received);
  }
  return from;
}

void check_proof(const Figures& figures, const brute::Operations& operations,
                 const brute::Rule& rule) {
  switch (figures.proof) {
    case Proof::bound:
      CHECK(figures.over_admission == OverAdmission::none);
      CHECK(brute::every_placement_keeps(operations, rule));
      break;
    case Proof::containment:
    case Proof::schedule:
      CHECK(figures.over_admission == OverAdmission::certain);
      CHECK_FALSE(brute::some_placement_keeps(operations, rule));
      break;
    case Proof::witness:
      CHECK(figures.over_admission == OverAdmission::possible);
      CHECK(brute::some_placement_keeps(operations, rule));
      break;
    case Proof::undetermined:
      CHECK(figures.over_admission == OverAdmission::possible);
      break;
    case Proof::block:
      CHECK(figures.over_admission == OverAdmission::certain);  // block_test.cpp
      break;
  }
}

void check_figures(const Figures& figures, const brute::Figures& expected, const Case& c) {
  CHECK(figures.max_certain == expected.max_certain);
  CHECK(figures.excess_certain == expected.excess);
  CHECK(figures.certain_false_denials == expected.false_denials);
  CHECK(figures.unverifiable_denials == expected.unverifiable);
  if (figures.admitted_in_blocks == 0) CHECK(figures.wrong == expected.wrong);
  CHECK(figures.wrong >= expected.wrong);
  CHECK(figures.right + figures.wrong + figures.undecided == figures.decisions);
  if (c.contract.block_us == 0) CHECK(figures.right == expected.right);
  if (c.contract.block_us > 0 && figures.admitted_in_blocks == 0)
    CHECK(figures.right >= expected.right);
}

void check_windows(const Figures& figures, const Case& c, const brute::Operations& operations,
                   const brute::Rule& rule) {
  const brute::Figures expected = brute::windows(operations, rule);
  check_figures(figures, expected, c);
  CHECK(figures.max_possible == expected.max_possible);
  CHECK(figures.proof != Proof::undetermined);
  if (c.contract.kind != RuleKind::sliding) return;
  CHECK(c.contract.window_us + (c.options.closed ? 1 : 0) - figures.slack_us ==
        brute::widest_kept(operations, rule));
}

void check_bucket(const Figures& figures, const Case& c, const brute::Operations& operations,
                  const brute::Rule& rule) {
  if (c.contract.block_us > 0) return;  // blocks are the windows' code; their starts are wider here
  brute::Figures expected = brute::bucket(operations, rule);
  if (c.contract
          .counts_denied) {  // a denial's own share of a bound is taken off whole: fewer are right
    CHECK(figures.right <= expected.right);
    expected.right = figures.right;
  }
  check_figures(figures, expected, c);
  CHECK(figures.proof != Proof::undetermined);
}

void check_unknown_phase(const Figures& figures, const brute::Operations& operations,
                         brute::Rule rule) {
  std::int64_t least = 1000;
  std::int64_t excess = 1000;
  std::int64_t possible = 0;
  bool some_keeps = false;
  for (std::int64_t phase = 0; phase < rule.contract.window_us; ++phase) {
    rule.contract.phase_us = phase;
    const brute::Figures at = brute::windows(operations, rule);
    least = std::min(least, at.max_certain);
    excess = std::min(excess, at.excess);
    possible = std::max(possible, at.max_possible);
    some_keeps = some_keeps || brute::some_placement_keeps(operations, rule);
  }
  if (rule.options.tolerance_us == 0) {
    CHECK(figures.max_certain == least);
    CHECK(figures.excess_certain == excess);
    CHECK(figures.max_possible == possible);
  }
  CHECK(figures.max_certain <= least);
  CHECK(figures.excess_certain <= excess);
  if (figures.over_admission == OverAdmission::certain) CHECK_FALSE(some_keeps);
  if (figures.proof == Proof::witness) CHECK(some_keeps);
  if (figures.proof == Proof::bound) CHECK(some_keeps);
}

void check_case(const Case& c) {
  const Figures figures = judge_rules(c.log, {c.contract}, c.options).totals;
  const bool fixed = c.contract.kind == RuleKind::fixed;
  std::int64_t shift = 0;
  const auto operations =
      brute::operations_of(c.log, c.options, fixed && c.contract.phase_us.has_value(), &shift);
  const brute::Rule rule{c.contract, c.options, history_from(c, operations, shift)};
  if (fixed && !c.contract.phase_us) return check_unknown_phase(figures, operations, rule);
  check_proof(figures, operations, rule);
  CHECK(figures.max_certain <= figures.max_possible);
  if (fixed || c.contract.kind == RuleKind::sliding) {
    check_windows(figures, c, operations, rule);
  }
  if (c.contract.kind == RuleKind::bucket) check_bucket(figures, c, operations, rule);
}

// Two rules that brute force can try together: no unknown phase, no windows of a first hit.
Rules two_rules(HistoryRandom& random) {
  Rules rules;
  for (int i = 0; i < 2; ++i) {
    Rule rule;
    constexpr RuleKind kKinds[] = {RuleKind::sliding, RuleKind::fixed, RuleKind::bucket};
    rule.kind = kKinds[random.between(0, 2)];
    rule.limit = random.between(1, 3);
    rule.window_us = random.between(2, 8);
    rule.phase_us = random.between(0, 7);
    if (rule.row().takes_capacity) rule.capacity = random.between(1, 3);
    rules.push_back(rule);
  }
  return rules;
}

// The denials that no rule explains.
std::vector<std::uint32_t> unexplained(const brute::Operations& operations,
                                       const std::vector<brute::Rule>& rules) {
  const auto false_under = [&](const brute::Rule& rule) {
    return rule.contract.kind == RuleKind::bucket ? brute::bucket(operations, rule).false_denials
                                                  : brute::windows(operations, rule).false_denials;
  };
  const auto first = false_under(rules[0]);
  const auto second = false_under(rules[1]);
  std::vector<std::uint32_t> both;
  std::ranges::set_intersection(first, second, std::back_inserter(both));
  return both;
}

// What the judge could not decide, of all histories.
struct Decided {
  std::int64_t undetermined = 0;
  std::int64_t all = 0;
};

void check_together(const Case& c, const Rules& rules, Decided& decided) {
  const Judgement judgement = judge_rules(c.log, rules, c.options);
  const Figures& figures = judgement.totals;
  std::int64_t shift = 0;
  const bool aligned = std::ranges::any_of(rules, &Rule::has_known_phase);
  const auto operations = brute::operations_of(c.log, c.options, aligned, &shift);
  std::vector<brute::Rule> tried;
  for (const Rule& rule : rules)
    tried.push_back({rule, c.options, history_from(c, operations, shift)});
  const bool possible = brute::some_placement_keeps_all(operations, tried);
  if (figures.over_admission == OverAdmission::certain) CHECK_FALSE(possible);
  // A bucket alone may have a witness between two µs.
  const auto needs_placement = [](const Figures& one) {
    return one.over_admission == OverAdmission::possible;
  };
  const bool alone = std::ranges::count_if(judgement.by_rule, needs_placement) < 2 &&
                     std::ranges::any_of(rules, [](const Rule& r) { return r.capacity > 0; });
  if (!alone && (figures.proof == Proof::witness || figures.proof == Proof::bound)) CHECK(possible);
  CHECK(figures.certain_false_denials == unexplained(operations, tried));
  CHECK(figures.right + figures.wrong + figures.undecided == figures.decisions);
  decided.undetermined += figures.proof == Proof::undetermined ? 1 : 0;
  ++decided.all;
}

}  // namespace

TEST_CASE("of two rules, one placement must keep both, and either explains a denial") {
  const std::int64_t histories = from_environment("RLCTL_HISTORIES", 1000);
  const auto first = static_cast<std::uint64_t>(from_environment("RLCTL_SEED", 1));
  Decided decided;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(histories); ++seed) {
    Case c = case_of(seed);
    c.options.closed = false;
    HistoryRandom random(seed + 1'000'000'007);
    const Rules rules = two_rules(random);
    INFO("RLCTL_SEED=" << seed << " RLCTL_HISTORIES=1\n" << rules_text(rules) << "\n" << show(c));
    check_together(c, rules, decided);
  }
  CHECK(decided.all == histories);
  CHECK(decided.undetermined * 100 <= decided.all);
}

TEST_CASE("the judge agrees with brute force on random histories") {
  const std::int64_t histories = from_environment("RLCTL_HISTORIES", 5000);
  const auto first = static_cast<std::uint64_t>(from_environment("RLCTL_SEED", 1));
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(histories); ++seed) {
    const Case c = case_of(seed);
    INFO("RLCTL_SEED=" << seed << " RLCTL_HISTORIES=1\n" << show(c));
    check_case(c);
  }
}
