// The judge compared with brute force on random small histories: few instants, so that ties and
// edges are common. RLCTL_HISTORIES sets the number of histories (5,000), RLCTL_SEED the seed (1);
// a failure names the history's seed.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>

#include "tools/random_history.h"
#include "unit/verdict/brute_force.h"
#include "unit/verdict/joint_force.h"
#include "unit/verdict/random_case.h"
#include "verdict/verdict.h"

namespace {

using namespace rlctl;
using test::Case;
using test::case_of;
using test::from_environment;
using test::history_from;
using test::HistoryRandom;
using test::show;

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
      // A denied request that costs too much may have opened a window of a first hit.
      if (rule.contract.kind != RuleKind::first_hit)
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
  brute::Operations admitted;
  std::ranges::copy_if(operations, std::back_inserter(admitted),
                       [](const brute::Operation& op) { return op.outcome == Outcome::allowed; });
  const bool possible = brute::some_placement_explains(admitted, tried);
  if (figures.over_admission == OverAdmission::certain) CHECK_FALSE(possible);
  if (figures.proof == Proof::witness || figures.proof == Proof::bound) CHECK(possible);
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
