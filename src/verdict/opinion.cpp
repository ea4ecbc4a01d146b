#include "verdict/opinion.h"

#include <algorithm>

#include "verdict/block.h"
#include "verdict/step_function.h"

namespace rlctl {
namespace {

// At t: everything that can lie in (t - W, t].
Depth possible_depth(const History& history, const WindowRule& window, bool counts_denied) {
  Depth depth;
  const auto add = [&](const std::vector<Placement>& placements) {
    for (const Placement& p : placements) depth.add(p.low_us, window.end(p.high_us), p.cost);
  };
  add(history.admitted);
  add(history.unknown);
  if (counts_denied) add(history.denied);
  depth.build();
  return depth;
}

// At t: everything that certainly lies in (t - W, t], or in (t - W, t) if `lag_us` is 1.
Depth certain_depth(const History& history, const WindowRule& window, bool counts_denied,
                    std::int64_t lag_us) {
  Depth depth;
  const auto add = [&](const std::vector<Placement>& placements) {
    for (const Placement& p : placements) {
      depth.add(p.high_us + lag_us, window.end(p.low_us), p.cost);
    }
  };
  add(history.admitted);
  if (counts_denied) add(history.denied);
  depth.build();
  return depth;
}

// The smallest certain fill of the window at any instant of `denial`, without `denial` itself.
std::int64_t least_of_others(const Depth& certain, const Placement& denial,
                             const WindowRule& window, bool counts_denied) {
  const bool counts_itself = counts_denied && denial.high_us < window.end(denial.low_us);
  const std::int64_t at_end = certain.at(denial.high_us) - (counts_itself ? denial.cost : 0);
  if (denial.exact()) return at_end;
  return std::min(at_end, certain.least(denial.low_us, denial.high_us - 1));
}

}  // namespace

std::vector<Opinion> judge_denials(const History& history, const WindowRule& window,
                                   const DenialRule& rule) {
  if (history.denied.empty()) return {};
  const Depth possible = possible_depth(history, window, rule.counts_denied);
  const Depth certain = certain_depth(history, window, rule.counts_denied, 0);
  std::vector<Opinion> opinions(history.denied.size(), Opinion::undecided);
  for (std::size_t i = 0; i < opinions.size(); ++i) {
    const Placement& denial = history.denied[i];
    const std::int64_t itself = rule.counts_denied ? denial.cost : 0;
    const std::int64_t most = possible.most(denial.low_us, denial.high_us) - itself;
    const std::int64_t least = least_of_others(certain, denial, window, rule.counts_denied);
    if (least + denial.cost > rule.limit) {
      opinions[i] = Opinion::right;
    } else if (most + denial.cost <= rule.limit) {
      opinions[i] = Opinion::wrong;
    }
  }
  if (rule.block_us > 0) {
    explain_by_block(history.denied, block_starts(history.denied, possible, rule), rule.block_us,
                     opinions);
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
  const Depth possible = possible_depth(history, window, counts_denied);
  const Depth certain = certain_depth(history, window, counts_denied, 1);
  const Ties ties = ties_of(history.admitted);
  std::vector<Opinion> opinions(history.admitted.size(), Opinion::undecided);
  for (std::size_t i = 0; i < opinions.size(); ++i) {
    const Placement& p = history.admitted[i];
    const std::int64_t most = possible.most(p.low_us, p.high_us) - ties.after[i];
    const std::int64_t least = certain.least(p.low_us, p.high_us) + ties.before[i] + p.cost;
    if (most <= limit) {
      opinions[i] = Opinion::right;
    } else if (least > limit) {
      opinions[i] = Opinion::wrong;
    }
  }
  return opinions;
}

}  // namespace rlctl
