// How full a bucket may be and must be at each instant, exactly.
//
// A bucket of `capacity` that refills `limit` tokens per `window_us` keeps every span [x, y] at or
// below capacity + limit / window_us * (y - x). To stay in integers a token is cut into window_us
// drops: each admission takes window_us drops, each µs brings `limit`. What is missing from a full
// bucket at t is the largest excess of any span that ends at t (the min-plus form of a token
// bucket, see Le Boudec and Thiran, "Network Calculus", 1.2):
//   missing(t) = max over x <= t of  window_us * admitted[x, t] - limit * (t - x)
// It is never below 0, because x = t gives 0 or more. The most that may be missing counts every
// admission that can lie in [x, t]; a lower bound counts only those that must lie there.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "verdict/algorithm/range_max.h"
#include "verdict/history.h"

namespace rlctl {

struct BucketRule {
  std::int64_t capacity = 0;
  std::int64_t limit = 0;
  std::int64_t window_us = 0;
  std::int64_t tolerance_us = 0;

  Wide drops(std::int64_t tokens) const { return static_cast<Wide>(tokens) * window_us; }
  Wide refill(std::int64_t span_us) const { return static_cast<Wide>(limit) * span_us; }
};

// The most that may be missing. Between the starts of intervals it only falls, so its largest value
// in [from, to] is at `from` or at such a start.
class PossibleFill {
 public:
  // `placements` in any order; `instants`: every `from_us` that most() will get.
  PossibleFill(const std::vector<Placement>& placements, std::vector<std::int64_t> instants,
               const BucketRule& rule);

  Wide most(std::int64_t from_us, std::int64_t to_us) const;

  Wide worst() const { return worst_; }
  std::int64_t worst_count() const { return worst_count_; }  // admissions in the worst span

 private:
  void fill(const std::vector<Placement>& by_low, const std::vector<Placement>& by_high,
            const BucketRule& rule);

  std::vector<std::int64_t> instants_;
  RangeMax<Wide> missing_;
  Wide worst_ = 0;
  std::int64_t worst_count_ = 0;
};

// Spans that open at the start of an added operation: the sums over [x, …] for all x at once. A
// leaf per start holds its admissions, a node the best span of its leaves: a change costs O(log n)
// time.
class SpanTree {
 public:
  SpanTree(std::vector<std::int64_t> starts, const BucketRule& rule);

  void add(std::int64_t start_us, std::int64_t tokens);  // negative: takes them out
  bool empty() const { return !active_; }
  // The maximum over the added starts x of: window_us * (tokens added at or after x) + limit * x.
  // Only if not empty().
  Wide best() const { return nodes_[1].best; }
  std::int64_t best_start() const { return starts_[nodes_[1].at]; }
  std::int64_t best_tokens() const { return nodes_[1].tokens; }

 private:
  struct Node {
    Wide best = 0;
    std::int64_t sum = 0;     // tokens below
    std::int64_t tokens = 0;  // those of the best span
    std::uint32_t at = 0;     // its start
    bool active = false;
  };
  Node joined(const Node& left, const Node& right) const;

  BucketRule rule_;
  std::vector<std::int64_t> starts_;
  std::size_t size_ = 1;
  std::vector<Node> nodes_;
  bool active_ = false;
};

// A lower bound of what is missing: it counts only the operations that certainly lie before.
class CertainFill {
 public:
  // `instants`: every `to_us` that will be used below.
  CertainFill(const std::vector<Placement>& placements, std::vector<std::int64_t> instants,
              const BucketRule& rule);

  // The least that is missing at an instant in [from_us, to_us], before the operations at that
  // instant.
  Wide least_before(std::int64_t from_us, std::int64_t to_us) const;
  // The same, after the operations that end at that instant.
  Wide least_after(std::int64_t from_us, std::int64_t to_us) const;

 private:
  std::size_t index_of(std::int64_t instant) const;

  std::vector<std::int64_t> instants_;
  RangeMax<Wide> before_;    // negated, to find the least
  RangeMax<Wide> approach_;  // negated: what is missing shortly before each instant
  std::vector<Wide> after_;
};

}  // namespace rlctl
