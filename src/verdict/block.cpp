#include "verdict/block.h"

#include <algorithm>
#include <limits>
#include <map>

namespace rlctl {
namespace {

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
// denial: u < t <= u + block_us.
bool may_be_blocked(const Placement& denial, const std::vector<Span>& starts,
                    std::int64_t block_us) {
  const auto at = std::partition_point(starts.begin(), starts.end(), [&](const Span& span) {
    return span.to_us < denial.low_us - block_us;
  });
  return at != starts.end() && at->from_us < denial.high_us;
}

void confirm_certain_blocks(const std::vector<Placement>& denied,
                            const std::vector<Opinion>& by_window, std::int64_t block_us,
                            std::vector<Opinion>& opinions) {
  constexpr std::int64_t kBefore = std::numeric_limits<std::int64_t>::min();
  Span certain{kBefore, kBefore};  // a block is active at every instant of it
  std::int64_t possible_end = kBefore;
  for (std::size_t i = 0; i < denied.size(); ++i) {
    const Placement& p = denied[i];
    if (p.low_us >= certain.from_us && p.high_us <= certain.to_us) {
      opinions[i] = Opinion::right;
    } else if (by_window[i] == Opinion::right && p.low_us > possible_end) {
      certain = {p.high_us + 1, p.low_us + block_us};
      possible_end = p.high_us + block_us;
    } else if (by_window[i] != Opinion::wrong) {
      possible_end = std::max(possible_end, p.high_us + block_us);
    }
  }
}

}  // namespace

std::vector<Span> block_starts(const std::vector<Placement>& denied, const Depth& possible,
                               const DenialRule& rule) {
  std::map<std::int64_t, std::vector<Span>> by_cost;
  for (const Placement& p : denied) by_cost[p.cost].push_back({p.low_us, p.high_us});
  std::vector<Span> starts;
  for (auto& [cost, spans] : by_cost) {
    const std::int64_t itself = rule.counts_denied ? cost : 0;
    append_deep_instants(merged(std::move(spans)), possible, rule.limit + itself - cost, starts);
  }
  return merged(std::move(starts));
}

std::vector<Span> block_starts(const std::vector<Placement>& denied,
                               const std::vector<Opinion>& opinions) {
  std::vector<Span> starts;
  for (std::size_t i = 0; i < denied.size(); ++i) {
    if (opinions[i] != Opinion::wrong) starts.push_back({denied[i].low_us, denied[i].high_us});
  }
  return merged(std::move(starts));
}

void explain_by_block(const std::vector<Placement>& denied, const std::vector<Span>& starts,
                      std::int64_t block_us, std::vector<Opinion>& opinions) {
  const std::vector<Opinion> by_window = opinions;
  for (std::size_t i = 0; i < denied.size(); ++i) {
    if (opinions[i] == Opinion::wrong && may_be_blocked(denied[i], starts, block_us)) {
      opinions[i] = Opinion::undecided;
    }
  }
  confirm_certain_blocks(denied, by_window, block_us, opinions);
}

}  // namespace rlctl
