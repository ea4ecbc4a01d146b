// The verdict compared with brute force over joint placements, on random small histories of every
// kind of rule. RLCTL_HISTORIES sets the number of histories per kind, RLCTL_SEED the first seed; a
// failure names the history's seed.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "log/rule_keys.h"
#include "policy/rules_text.h"
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

struct Counts {
  std::int64_t all = 0;
  std::int64_t inconclusive = 0;
};

// What the judge claims of a history.
enum class Claim : std::uint8_t { holds, violated, inconclusive };

Claim claim_of(const Figures& figures) {
  const bool violated = figures.over_admission == OverAdmission::certain ||
                        !figures.certain_false_denials.empty() ||
                        figures.together == Together::impossible;
  if (violated) return Claim::violated;
  const bool unsure =
      figures.proof == Proof::undetermined || figures.together != Together::explained;
  return unsure ? Claim::inconclusive : Claim::holds;
}

void check(const Case& c, const Rules& rules, Counts& counts) {
  const Figures figures = judge_rules(c.log, rules, c.options).totals;
  std::int64_t shift = 0;
  const bool aligned = std::ranges::any_of(rules, &Rule::has_known_phase);
  auto operations = brute::operations_of(c.log, c.options, aligned, &shift);
  std::vector<brute::Rule> tried;
  for (const Rule& rule : rules) {
    const RuleKeys keys(c.log, rule.per);
    for (std::uint32_t key = 0; key < keys.size(); ++key) {
      tried.push_back({rule, c.options, history_from(c, operations, shift)});
      for (std::size_t i = 0; i < c.log.records.size(); ++i)
        tried.back().counts.push_back(keys.of(i) == key);
    }
  }
  if (!std::ranges::all_of(rules, &Rule::has_window)) brute::add_ends(c.log, c.options, operations);
  std::string ends;
  for (const brute::Operation& op : operations)
    ends += fmt::format(" [{}, {}] + {}", op.from, op.to, op.least);
  CAPTURE(ends);
  const bool exists = brute::some_placement_explains(operations, tried);
  const Claim claim = claim_of(figures);
  CAPTURE(static_cast<int>(figures.proof));
  CAPTURE(figures.certain_false_denials.size());
  CAPTURE(static_cast<int>(figures.together));
  if (claim == Claim::holds) CHECK(exists);
  if (claim == Claim::violated) CHECK_FALSE(exists);
  ++counts.all;
  if (claim == Claim::inconclusive) ++counts.inconclusive;
}

enum class Shape {
  sliding,
  fixed,
  unknown_phase,
  first_hit,
  bucket,
  counts_denied,
  block,
  two,
  two_modified,
  two_names,
  in_flight_too
};

Rule plain(RuleKind kind, HistoryRandom& random) {
  Rule rule;
  rule.kind = kind;
  rule.limit = random.between(1, 3);
  rule.window_us = random.between(2, 8);
  rule.phase_us = random.between(0, 7);
  if (kind == RuleKind::bucket) rule.capacity = random.between(1, 3);
  return rule;
}

Rules rules_of_shape(Shape shape, HistoryRandom& random) {
  const auto any = [&](std::int64_t last) {
    return plain(static_cast<RuleKind>(random.between(0, last)), random);
  };
  Rule rule;
  switch (shape) {
    case Shape::unknown_phase:
      rule = plain(RuleKind::fixed, random);
      rule.phase_us.reset();
      return {rule};
    case Shape::counts_denied:
      rule = any(3);
      rule.counts_denied = true;
      return {rule};
    case Shape::block:
      rule = any(3);
      rule.block_us = random.between(1, 9);
      rule.counts_denied = random.one_in(5);
      return {rule};
    case Shape::two:
      return {any(3), any(3)};
    case Shape::two_modified: {
      Rules rules{any(3), any(3)};
      for (Rule& each : rules) {
        each.counts_denied = random.one_in(3);
        if (random.one_in(2)) each.block_us = random.between(1, 9);
        if (random.one_in(4)) each.phase_us.reset();
      }
      return rules;
    }
    case Shape::two_names: {
      Rules rules{any(3), any(3)};
      rules[0].per = "user";
      if (random.one_in(2)) rules[1].per = "route";
      if (random.one_in(4)) rules[0].counts_denied = true;
      return rules;
    }
    case Shape::in_flight_too: {
      Rule held;
      held.kind = RuleKind::in_flight;
      held.limit = random.between(1, 3);
      if (random.one_in(3)) held.lease_us = random.between(2, 8);
      if (random.one_in(2)) return {any(3), held};
      return {held, any(3)};
    }
    default:
      return {plain(static_cast<RuleKind>(shape == Shape::first_hit ? 2
                                          : shape == Shape::bucket  ? 3
                                          : shape == Shape::fixed   ? 1
                                                                    : 0),
                    random)};
  }
}

// Each record has a value of both names, or none.
void name_records(Log& log, HistoryRandom& random) {
  for (const char* name : {"user", "route"}) {
    NamedValues& values = log.names.emplace_back();
    values.name = name;
    values.values = {"", "a", "b"};
    for (std::size_t i = 0; i < log.records.size(); ++i)
      values.set(i, random.one_in(8) ? 0 : static_cast<std::uint32_t>(random.between(1, 2)));
    // The judge refuses a log without any value.
    if (!log.records.empty()) values.set(0, 1);
  }
}

// Work that ends with its answer, or with a finish of its own, or never.
void add_finishes(Case& c, HistoryRandom& random) {
  c.log.has_finishes = random.one_in(2);
  if (!c.log.has_finishes && random.one_in(2)) c.options.held_at_least_us = random.between(1, 4);
  for (std::size_t i = 0; i < c.log.records.size(); ++i) {
    Record& record = c.log.records[i];
    record.server_us = kNoTime;
    if (record.outcome != Outcome::allowed) continue;
    if (!c.log.has_finishes) record.received_us += c.options.held_at_least_us;
    if (!c.log.has_finishes || random.one_in(5)) continue;
    Finish finish{record.received_us + random.between(0, 6)};
    if (!random.one_in(6)) finish.received_us = finish.sent_us + random.between(0, 2);
    c.log.set_finish(i, finish);
  }
}

void check_history(Shape shape, std::uint64_t seed, Counts& counts) {
  Case c = case_of(seed);
  HistoryRandom random(seed + 1'000'000'007);
  const Rules rules = rules_of_shape(shape, random);
  // Brute force would try every level of every bucket, with every block or under each of its keys.
  const auto is_bucket = [](const Rule& rule) { return rule.kind == RuleKind::bucket; };
  const bool many_levels = shape == Shape::two_names || shape == Shape::two_modified;
  if (many_levels && std::ranges::any_of(rules, is_bucket)) c.options.fresh = true;
  if (shape == Shape::two_names) name_records(c.log, random);
  if (shape == Shape::in_flight_too) add_finishes(c, random);
  INFO("RLCTL_SEED=" << seed << " RLCTL_HISTORIES=1\n" << rules_text(rules) << "\n" << show(c));
  check(c, rules, counts);
}

void check_shape(Shape shape) {
  const std::int64_t histories = from_environment("RLCTL_HISTORIES", 1000);
  const auto first = static_cast<std::uint64_t>(from_environment("RLCTL_SEED", 1));
  Counts counts;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(histories); ++seed)
    check_history(shape, seed, counts);
  MESSAGE(counts.inconclusive << " of " << counts.all << " inconclusive");
  CHECK(counts.inconclusive * 100 <= counts.all);
}

}  // namespace

TEST_CASE("joint placements: sliding windows") { check_shape(Shape::sliding); }
TEST_CASE("joint placements: windows of the clock") { check_shape(Shape::fixed); }
TEST_CASE("joint placements: windows of an unknown phase") { check_shape(Shape::unknown_phase); }
TEST_CASE("joint placements: windows of a first hit") { check_shape(Shape::first_hit); }
TEST_CASE("joint placements: buckets") { check_shape(Shape::bucket); }
TEST_CASE("joint placements: denied requests count") { check_shape(Shape::counts_denied); }
TEST_CASE("joint placements: blocks") { check_shape(Shape::block); }
TEST_CASE("joint placements: two rules") { check_shape(Shape::two); }
TEST_CASE("joint placements: two rules that block or count denied requests") {
  check_shape(Shape::two_modified);
}
TEST_CASE("joint placements: a rule in flight and another") { check_shape(Shape::in_flight_too); }
TEST_CASE("joint placements: two rules, each with keys of its own") {
  check_shape(Shape::two_names);
}

// A denial between two windows of first hits; a bucket that is refilled later than one admission
// would need, since it was not full before; edges within the tolerance beside parts of a us; blocks
// that forbid for the window less the tolerance and explain for the window plus the tolerance; an
// unanswered request that empties a bucket if it is decided late; admissions of one instant whose
// order matters; a block from before the log that follows an admission of the same instant.
TEST_CASE("joint placements: histories that were judged wrongly among 50,000") {
  constexpr std::pair<Shape, std::uint64_t> kFound[] = {
      {Shape::first_hit, 12540},  {Shape::bucket, 34968}, {Shape::two, 10186},
      {Shape::two, 16622},        {Shape::two, 17952},    {Shape::two, 49011},
      {Shape::block, 16105},      {Shape::block, 26365},  {Shape::block, 28294},
      {Shape::first_hit, 106028}, {Shape::block, 5259}};
  Counts counts;
  for (const auto& [shape, seed] : kFound) check_history(shape, seed, counts);
  CHECK(counts.all == std::ssize(kFound));
  CHECK(counts.inconclusive == 0);
}
