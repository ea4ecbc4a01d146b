// The definitions of the verdict, tried literally: every instant, every window, every placement,
// every choice of admissions to leave out. Shares no code with the judges in src/core. Only for a
// few operations at small times.
#pragma once

#include <cstdint>
#include <vector>

#include "verdict/verdict.h"

namespace brute {

struct Operation {
  std::int64_t low;
  std::int64_t high;
  std::int64_t cost;
  rlctl::Outcome outcome;
  std::uint32_t record;
  // Of rules "in flight": it ends in [from, to], `least` after its decision or later.
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t least = 0;

  bool exact() const { return low == high; }
};
using Operations = std::vector<Operation>;

struct Rule {
  rlctl::Rule contract;
  rlctl::JudgeOptions options;
  std::int64_t history_from = 0;
  std::vector<bool> counts = {};  // by record, of rules with keys of their own; empty: all
};

// The intervals that the records stand for. `aligned`: windows are aligned to the limiter's clock.
// `latest_shift`: the most that was added to times of ours.
Operations operations_of(const rlctl::Log& log, const rlctl::JudgeOptions& options, bool aligned,
                         std::int64_t* latest_shift);

// When the work of the admissions ends.
void add_ends(const rlctl::Log& log, const rlctl::JudgeOptions& options, Operations& operations);

struct Figures {
  std::int64_t max_certain = 0;
  std::int64_t max_possible = 0;
  std::int64_t excess = 0;
  std::vector<std::uint32_t> false_denials;
  std::int64_t unverifiable = 0;
  std::int64_t right = 0;
  std::int64_t wrong = 0;
};

Figures windows(const Operations& operations, const Rule& rule);  // sliding; fixed with its phase
Figures bucket(const Operations& operations, const Rule& rule);

// Of sliding windows: the widest W' <= W that certainly holds no more than the limit.
std::int64_t widest_kept(const Operations& operations, const Rule& rule);

// Whether at least one placement of the admissions keeps the contract (sliding, fixed with its
// phase, bucket, anchored), and whether every placement does.
bool some_placement_keeps(const Operations& operations, const Rule& rule);
bool every_placement_keeps(const Operations& operations, const Rule& rule);

}  // namespace brute
