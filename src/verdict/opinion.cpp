#include "verdict/opinion.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include "verdict/algorithm/step_function.h"

namespace rlctl {
namespace {

// At t: everything that can lie in (t - W, t].
template <class Curve>
Curve possible_changes(const History& history, const WindowRule& window, bool counts_denied) {
  Curve curve;
  const auto add = [&](const std::vector<Placement>& placements) {
    for (const Placement& p : placements) curve.add(p.low_us, window.end(p.high_us), p.cost);
  };
  add(history.admitted);
  add(history.unknown);
  if (counts_denied) add(history.denied);
  return curve;
}

// At t: everything that certainly lies in (t - W, t], or in (t - W, t) if `lag_us` is 1.
DepthInSlices certain_depth(const History& history, const WindowRule& window, bool counts_denied,
                            std::int64_t lag_us) {
  DepthInSlices depth;
  const auto add = [&](const std::vector<Placement>& placements) {
    for (const Placement& p : placements)
      depth.add(p.high_us + lag_us, window.end(p.low_us), p.cost);
  };
  add(history.admitted);
  if (counts_denied) add(history.denied);
  depth.sort();
  return depth;
}

// Both curves over the intervals of some decisions.
struct Depths {
  const Depth& possible;
  const Depth& certain;
};

// Calls `see` with the index of each decision and the curves around it. Decisions are by low_us.
template <class See>
void see_depths(const std::vector<Placement>& decisions, DepthInSlices& possible,
                DepthInSlices& certain, See see) {
  constexpr std::size_t kSlice = std::size_t{1} << 16U;
  for (std::size_t first = 0; first < decisions.size(); first += kSlice) {
    const std::size_t last = std::min(decisions.size(), first + kSlice);
    const std::int64_t from = decisions[first].low_us;
    std::int64_t to = from;
    for (std::size_t i = first; i < last; ++i) to = std::max(to, decisions[i].high_us);
    const Depths depths{possible.over(from, to), certain.over(from, to)};
    for (std::size_t i = first; i < last; ++i) see(i, depths);
  }
}

// The smallest certain fill of the window at any instant of `denial`, without `denial` itself.
std::int64_t least_of_others(const Depth& certain, const Placement& denial,
                             const WindowRule& window, bool counts_denied) {
  const bool counts_itself = counts_denied && denial.high_us < window.end(denial.low_us);
  const std::int64_t at_end = certain.at(denial.high_us) - (counts_itself ? denial.cost : 0);
  if (denial.exact()) return at_end;
  return std::min(at_end, certain.least(denial.low_us, denial.high_us - 1));
}

std::vector<Span> merged(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.from_us < b.from_us; });
  std::vector<Span> result;
  for (const Span& span : spans) {
    if (!result.empty() && span.from_us <= result.back().to_us) {
      result.back().to_us = std::max(result.back().to_us, span.to_us);
    } else {
      result.push_back(span);
    }
  }
  return result;
}

// Appends the instants of `spans` (merged) at which the depth is above `threshold`.
void append_deep_instants(const std::vector<Span>& spans, const Depth& depth,
                          std::int64_t threshold, std::vector<Span>& deep) {
  std::size_t step = 0;
  for (const Span& span : spans) {
    while (step + 1 < depth.steps() && depth.start(step + 1) <= span.from_us) ++step;
    for (;; ++step) {
      const bool last = step + 1 == depth.steps();
      const std::int64_t until =
          last ? span.to_us : std::min(span.to_us, depth.start(step + 1) - 1);
      if (depth.value(step) > threshold) {
        deep.push_back({std::max(span.from_us, depth.start(step)), until});
      }
      if (until == span.to_us) break;
    }
  }
}

// Whether a block that starts at an instant u in `starts` can be active at an instant t of the
// denial: u <= t <= u + block_us. (Their order within one instant is not known.)
bool may_be_blocked(const Placement& denial, const std::vector<Span>& starts,
                    std::int64_t block_us) {
  const auto at = std::partition_point(starts.begin(), starts.end(), [&](const Span& span) {
    return span.to_us < denial.low_us - block_us;
  });
  return at != starts.end() && at->from_us <= denial.high_us;
}

bool is_inside(const Span& span, const Placement& p) {
  return p.low_us >= span.from_us && p.high_us <= span.to_us;
}

}  // namespace

std::vector<Opinion> judge_denials(const History& history, const WindowRule& window,
                                   const DenialRule& rule) {
  if (history.denied.empty()) return {};
  auto possible = possible_changes<DepthInSlices>(history, window, rule.counts_denied);
  possible.sort();
  DepthInSlices certain = certain_depth(history, window, rule.counts_denied, 0);
  std::vector<Opinion> opinions(history.denied.size(), Opinion::undecided);
  see_depths(history.denied, possible, certain, [&](std::size_t i, const Depths& depths) {
    const Placement& denial = history.denied[i];
    const std::int64_t itself = rule.counts_denied ? denial.cost : 0;
    const std::int64_t most = depths.possible.most(denial.low_us, denial.high_us) - itself;
    const std::int64_t least = least_of_others(depths.certain, denial, window, rule.counts_denied);
    if (least + denial.cost > rule.limit) {
      opinions[i] = Opinion::right;
    } else if (most + denial.cost <= rule.limit) {
      opinions[i] = Opinion::wrong;
    }
  });
  if (rule.block_us > 0) {
    auto depth = possible_changes<Depth>(history, window, rule.counts_denied);
    depth.build();
    explain_by_block(history, block_starts(history, depth, rule), rule.block_us, opinions);
  }
  excuse_unseen(history.denied, rule.verifiable_from_us, opinions);
  return opinions;
}

void excuse_unseen(const std::vector<Placement>& denied,
                   const std::optional<std::int64_t>& verifiable_from_us,
                   std::vector<Opinion>& opinions) {
  if (!verifiable_from_us) return;
  for (std::size_t i = 0; i < denied.size(); ++i) {
    const bool unseen = denied[i].low_us < *verifiable_from_us;
    if (opinions[i] == Opinion::wrong && unseen) opinions[i] = Opinion::unverifiable;
  }
}

Ties ties_of(const std::vector<Placement>& admitted) {
  Ties ties{std::vector<std::int64_t>(admitted.size(), 0),
            std::vector<std::int64_t>(admitted.size(), 0)};
  for (std::size_t first = 0, next = 0; first < admitted.size(); first = next) {
    std::int64_t sum = 0;
    for (next = first; next < admitted.size() && admitted[next].low_us == admitted[first].low_us;
         ++next) {
      if (!admitted[next].exact()) continue;
      ties.before[next] = sum;
      sum += admitted[next].cost;
    }
    for (std::size_t i = first; i < next; ++i) {
      if (admitted[i].exact()) ties.after[i] = sum - ties.before[i] - admitted[i].cost;
    }
  }
  return ties;
}

std::vector<Opinion> judge_admissions(const History& history, const WindowRule& window,
                                      std::int64_t limit, bool counts_denied) {
  auto possible = possible_changes<DepthInSlices>(history, window, counts_denied);
  possible.sort();
  DepthInSlices certain = certain_depth(history, window, counts_denied, 1);
  const Ties ties = ties_of(history.admitted);
  std::vector<Opinion> opinions(history.admitted.size(), Opinion::undecided);
  see_depths(history.admitted, possible, certain, [&](std::size_t i, const Depths& depths) {
    const Placement& p = history.admitted[i];
    const std::int64_t most = depths.possible.most(p.low_us, p.high_us) - ties.after[i];
    const std::int64_t least = depths.certain.least(p.low_us, p.high_us) + ties.before[i] + p.cost;
    if (most <= limit) {
      opinions[i] = Opinion::right;
    } else if (least > limit) {
      opinions[i] = Opinion::wrong;
    }
  });
  return opinions;
}

std::vector<Span> block_starts(const History& history, const Depth& possible,
                               const DenialRule& rule) {
  // By the depth that leaves no room for them. An unanswered request counts in it itself.
  std::map<std::int64_t, std::vector<Span>> by_depth;
  for (const Placement& p : history.denied)
    by_depth[rule.limit - (rule.counts_denied ? 0 : p.cost)].push_back({p.low_us, p.high_us});
  for (const Placement& p : history.unknown) by_depth[rule.limit].push_back({p.low_us, p.high_us});
  std::vector<Span> starts;
  for (auto& [depth, spans] : by_depth)
    append_deep_instants(merged(std::move(spans)), possible, depth, starts);
  return merged(std::move(starts));
}

std::vector<Span> block_starts(const History& history, const std::vector<Opinion>& opinions) {
  std::vector<Span> starts;
  for (const Placement& p : history.unknown) starts.push_back({p.low_us, p.high_us});
  for (std::size_t i = 0; i < history.denied.size(); ++i) {
    const Placement& p = history.denied[i];
    if (opinions[i] != Opinion::wrong) starts.push_back({p.low_us, p.high_us});
  }
  return merged(std::move(starts));
}

std::vector<Span> certain_blocks(const std::vector<Placement>& denied,
                                 const std::vector<Opinion>& by_window, BlockLength length,
                                 std::int64_t unseen_until_us) {
  std::vector<Span> blocks;
  std::int64_t possible_end = unseen_until_us;
  for (std::size_t i = 0; i < denied.size(); ++i) {
    const Placement& p = denied[i];
    if (!blocks.empty() && is_inside(blocks.back(), p)) continue;
    if (by_window[i] == Opinion::right && p.low_us > possible_end) {
      blocks.push_back({p.high_us + 1, p.low_us + length.least_us});
      possible_end = p.high_us + length.most_us;
    } else if (by_window[i] != Opinion::wrong) {
      possible_end = std::max(possible_end, p.high_us + length.most_us);
    }
  }
  return blocks;
}

bool is_inside_any(const std::vector<Span>& blocks, const Placement& p) {
  const auto after = std::ranges::upper_bound(blocks, p.low_us, {}, &Span::from_us);
  return after != blocks.begin() && is_inside(*std::prev(after), p);
}

void explain_by_block(const History& history, const std::vector<Span>& starts,
                      std::int64_t block_us, std::vector<Opinion>& opinions) {
  const std::vector<Placement>& denied = history.denied;
  std::vector<Span> blocks;
  if (history.unknown.empty()) blocks = certain_blocks(denied, opinions, {block_us, block_us});
  for (std::size_t i = 0; i < denied.size(); ++i) {
    if (is_inside_any(blocks, denied[i]))
      opinions[i] = Opinion::right;
    else if (opinions[i] == Opinion::wrong && may_be_blocked(denied[i], starts, block_us))
      opinions[i] = Opinion::undecided;
  }
}

}  // namespace rlctl
