#include "core/block.h"

#include <algorithm>
#include <limits>
#include <map>

namespace rlctl {
namespace {

struct Span {  // closed
  std::int64_t from;
  std::int64_t to;
};

std::vector<Span> merged(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Span& a, const Span& b) { return a.from < b.from; });
  std::vector<Span> result;
  for (const Span& span : spans) {
    if (!result.empty() && span.from <= result.back().to) {
      result.back().to = std::max(result.back().to, span.to);
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
    while (step + 1 < depth.steps() && depth.start(step + 1) <= span.from) ++step;
    for (;; ++step) {
      const bool last = step + 1 == depth.steps();
      const std::int64_t until = last ? span.to : std::min(span.to, depth.start(step + 1) - 1);
      if (depth.value(step) > threshold) {
        deep.push_back({std::max(span.from, depth.start(step)), until});
      }
      if (until == span.to) break;
    }
  }
}

// Every instant at which some denial may have been decided with a full window: a block may start.
std::vector<Span> possible_starts(const std::vector<Placement>& denied, const Depth& possible,
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

// Whether a block that starts at u in `starts` can be in force at a t of the denial: u < t <= u +
// D.
bool may_be_blocked(const Placement& denial, const std::vector<Span>& starts,
                    std::int64_t block_us) {
  const auto at = std::partition_point(starts.begin(), starts.end(), [&](const Span& span) {
    return span.to < denial.low_us - block_us;
  });
  return at != starts.end() && at->from < denial.high_us;
}

void confirm_certain_blocks(const std::vector<Placement>& denied,
                            const std::vector<Opinion>& by_window, std::int64_t block_us,
                            std::vector<Opinion>& opinions) {
  constexpr std::int64_t kBefore = std::numeric_limits<std::int64_t>::min();
  Span certain{kBefore, kBefore};  // blocked at every instant of it
  std::int64_t possible_end = kBefore;
  for (std::size_t i = 0; i < denied.size(); ++i) {
    const Placement& p = denied[i];
    if (p.low_us >= certain.from && p.high_us <= certain.to) {
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

void explain_by_block(const std::vector<Placement>& denied, const Depth& possible,
                      const DenialRule& rule, std::vector<Opinion>& opinions) {
  const std::vector<Span> starts = possible_starts(denied, possible, rule);
  const std::vector<Opinion> by_window = opinions;
  for (std::size_t i = 0; i < denied.size(); ++i) {
    if (opinions[i] == Opinion::wrong && may_be_blocked(denied[i], starts, rule.block_us)) {
      opinions[i] = Opinion::undecided;
    }
  }
  confirm_certain_blocks(denied, by_window, rule.block_us, opinions);
}

}  // namespace rlctl
