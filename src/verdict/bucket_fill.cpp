#include "verdict/bucket_fill.h"

#include <algorithm>

#include "base/sort.h"

namespace rlctl {
namespace {

std::vector<Placement> sorted_by(const std::vector<Placement>& placements,
                                 std::int64_t Placement::*time) {
  std::vector<Placement> sorted = placements;
  std::sort(sorted.begin(), sorted.end(),
            [time](const Placement& a, const Placement& b) { return a.*time < b.*time; });
  return sorted;
}

}  // namespace

PossibleFill::PossibleFill(const std::vector<Placement>& placements,
                           std::vector<std::int64_t> instants, const BucketRule& rule)
    : instants_(std::move(instants)) {
  for (const Placement& p : placements) instants_.push_back(p.low_us);
  sort_unique(instants_);
  fill(sorted_by(placements, &Placement::low_us), sorted_by(placements, &Placement::high_us), rule);
}

// At each instant t: started(t) counts the admissions with low <= t, and over(x) those with high <
// x, which are outside a span from x. Then missing = window * (started(t) - over(x)) - limit * (t -
// x). So only the x with the least window * over(x) - limit * x is kept: an interval ends there, or
// it is t itself.
void PossibleFill::fill(const std::vector<Placement>& by_low, const std::vector<Placement>& by_high,
                        const BucketRule& rule) {
  std::vector<Wide> missing;
  std::size_t low = 0;
  std::size_t high = 0;
  std::int64_t started = 0;
  std::int64_t over = 0;
  bool any = false;
  Wide least = 0;
  std::int64_t over_at_least = 0;
  const auto consider = [&](std::int64_t x) {
    const Wide value = rule.drops(over) - rule.refill(x);
    if (any && value >= least) return;
    any = true;
    least = value;
    over_at_least = over;
  };
  for (const std::int64_t t : instants_) {
    for (; low < by_low.size() && by_low[low].low_us <= t; ++low) started += by_low[low].cost;
    for (; high < by_high.size() && by_high[high].high_us < t; ++high) {
      consider(by_high[high].high_us);
      over += by_high[high].cost;
    }
    consider(t);
    missing.push_back(rule.drops(started) - rule.refill(t) - least);
    if (missing.back() <= worst_) continue;
    worst_ = missing.back();
    worst_count_ = started - over_at_least;
  }
  missing_.build(missing);
}

Wide PossibleFill::most(std::int64_t from_us, std::int64_t to_us) const {
  const auto first = std::lower_bound(instants_.begin(), instants_.end(), from_us);
  const auto last = std::upper_bound(first, instants_.end(), to_us);
  return missing_.over(static_cast<std::size_t>(first - instants_.begin()),
                       static_cast<std::size_t>(last - instants_.begin()) - 1);
}

SpanTree::SpanTree(std::vector<std::int64_t> starts, const BucketRule& rule)
    : rule_(rule), starts_(std::move(starts)) {
  sort_unique(starts_);
  while (size_ < starts_.size()) size_ *= 2;
  nodes_.resize(2 * size_);
  for (std::size_t i = 0; i < size_; ++i) nodes_[size_ + i].at = static_cast<std::uint32_t>(i);
}

SpanTree::Node SpanTree::joined(const Node& left, const Node& right) const {
  Node node = right;
  node.sum = left.sum + right.sum;
  node.active = left.active || right.active;
  const Wide with_left = left.best + rule_.drops(right.sum);
  if (left.active && (!right.active || with_left > right.best)) {
    node.best = with_left;
    node.tokens = left.tokens + right.sum;
    node.at = left.at;
  }
  return node;
}

void SpanTree::add(std::int64_t start_us, std::int64_t tokens) {
  const auto at = std::lower_bound(starts_.begin(), starts_.end(), start_us) - starts_.begin();
  std::size_t i = size_ + static_cast<std::size_t>(at);
  Node& leaf = nodes_[i];
  leaf.sum += tokens;
  leaf.tokens = leaf.sum;
  leaf.best = rule_.drops(leaf.sum) + rule_.refill(start_us);
  leaf.active = active_ = true;
  for (i /= 2; i >= 1; i /= 2) nodes_[i] = joined(nodes_[2 * i], nodes_[2 * i + 1]);
}

CertainFill::CertainFill(const std::vector<Placement>& placements,
                         std::vector<std::int64_t> instants, const BucketRule& rule)
    : instants_(std::move(instants)) {
  std::vector<std::int64_t> starts;
  for (const Placement& p : placements) {
    instants_.push_back(p.high_us);
    starts.push_back(p.low_us);
  }
  sort_unique(instants_);
  const std::vector<Placement> by_high = sorted_by(placements, &Placement::high_us);
  SpanTree spans(std::move(starts), rule);
  // Below 0 the bucket is full.
  const auto unclamped = [&](std::int64_t t) {
    return spans.empty() ? Wide{-1} : spans.best() - rule.refill(t);
  };
  std::vector<Wide> before;
  std::vector<Wide> approach;
  std::size_t next = 0;
  for (const std::int64_t t : instants_) {
    const Wide missing = unclamped(t);
    before.push_back(-std::max(Wide{0}, missing));
    approach.push_back(before.back() - (missing >= 0 && rule.limit > 0 ? 1 : 0));
    for (; next < by_high.size() && by_high[next].high_us == t; ++next) {
      spans.add(by_high[next].low_us, by_high[next].cost);
    }
    after_.push_back(std::max(Wide{0}, unclamped(t)));
  }
  before_.build(before);
  approach_.build(approach);
}

std::size_t CertainFill::index_of(std::int64_t instant) const {
  const auto at = std::lower_bound(instants_.begin(), instants_.end(), instant);
  return static_cast<std::size_t>(at - instants_.begin());
}

Wide CertainFill::least_before(std::int64_t from_us, std::int64_t to_us) const {
  return -before_.over(index_of(from_us), index_of(to_us));
}

// Shortly before an instant p, the missing amount falls towards its value at p but stays above it.
// In comparisons of whole drops that is one drop more.
Wide CertainFill::least_after(std::int64_t from_us, std::int64_t to_us) const {
  const std::size_t last = index_of(to_us);
  if (from_us == to_us) return after_[last];
  return std::min(after_[last], -approach_.over(index_of(from_us + 1), last));
}

}  // namespace rlctl
