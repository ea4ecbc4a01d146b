#include "compare/mann_whitney.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/stats.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostExact = 60;

// Twice the mean rank of each value of `sorted`, so that ties stay whole numbers.
std::vector<std::size_t> doubled_ranks(const std::vector<double>& sorted) {
  std::vector<std::size_t> ranks(sorted.size());
  for (std::size_t from = 0, to = 0; from < sorted.size(); from = to) {
    while (to < sorted.size() && sorted[to] == sorted[from]) ++to;
    std::fill(ranks.begin() + static_cast<std::ptrdiff_t>(from),
              ranks.begin() + static_cast<std::ptrdiff_t>(to), from + to + 1);
  }
  return ranks;
}

// ways[s]: in how many ways `chosen` of the ranks have the sum s.
std::vector<double> ways_by_sum(const std::vector<std::size_t>& ranks, std::size_t chosen) {
  const std::size_t most = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(most + 1, 0.0));
  ways[0][0] = 1;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    for (std::size_t taken = std::min(chosen, i + 1); taken > 0; --taken)
      for (std::size_t sum = ranks[i]; sum <= most; ++sum)
        ways[taken][sum] += ways[taken - 1][sum - ranks[i]];
  return ways[chosen];
}

std::vector<double> pooled(std::span<const double> first, std::span<const double> second) {
  std::vector<double> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  std::sort(all.begin(), all.end());
  return all;
}

std::size_t doubled_rank_sum(std::span<const double> part, const std::vector<double>& sorted,
                             const std::vector<std::size_t>& ranks) {
  std::size_t sum = 0;
  for (const double value : part) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin();
    sum += ranks[static_cast<std::size_t>(at)];
  }
  return sum;
}

void count_orders(RankTest& test, const std::vector<std::size_t>& ranks, std::size_t chosen,
                  std::size_t seen) {
  const std::vector<double> ways = ways_by_sum(ranks, chosen);
  const double all = std::accumulate(ways.begin(), ways.end(), 0.0);
  const auto at = ways.begin() + static_cast<std::ptrdiff_t>(seen);
  test.p_less = std::accumulate(ways.begin(), at + 1, 0.0) / all;
  test.p_greater = std::accumulate(at, ways.end(), 0.0) / all;
}

double upper_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

// Uses the variance corrected for ties and a continuity correction of 0.5.
void use_normal_curve(RankTest& test, const std::vector<double>& sorted, double n, double m) {
  const double all = n + m;
  double tied = 0;
  for (std::size_t from = 0, to = 0; from < sorted.size(); from = to) {
    while (to < sorted.size() && sorted[to] == sorted[from]) ++to;
    const auto t = static_cast<double>(to - from);
    tied += t * t * t - t;
  }
  const double deviation = std::sqrt(n * m / 12 * (all + 1 - tied / (all * (all - 1))));
  test.exact = false;
  if (deviation <= 0) return;
  test.p_greater = upper_tail((test.u - n * m / 2 - 0.5) / deviation);
  test.p_less = upper_tail((n * m / 2 - test.u - 0.5) / deviation);
}

// The largest k with P(U <= k - 1) <= `tail`, for samples without ties; 0: none.
std::size_t rejected_on_each_side(std::size_t n, std::size_t m, double tail) {
  if (n + m > kMostExact) {
    const auto pairs = static_cast<double>(n * m);
    const double deviation = std::sqrt(pairs / 12 * static_cast<double>(n + m + 1));
    double z = 0;
    while (upper_tail(z) > tail) z += 0.001;
    return static_cast<std::size_t>(std::max(0.0, std::floor(pairs / 2 - z * deviation)));
  }
  std::vector<std::size_t> ranks(n + m);
  std::iota(ranks.begin(), ranks.end(), std::size_t{1});
  const std::vector<double> ways = ways_by_sum(ranks, m);
  const double all = std::accumulate(ways.begin(), ways.end(), 0.0);
  const std::size_t least = m * (m + 1) / 2;
  double below = 0;
  for (std::size_t u = 0; u <= n * m; ++u) {
    below += ways[least + u] / all;
    if (below > tail) return u;
  }
  return n * m;
}

}  // namespace

RankTest mann_whitney(std::span<const double> first, std::span<const double> second) {
  RankTest test;
  if (first.empty() || second.empty()) return test;
  const std::vector<double> sorted = pooled(first, second);
  const std::vector<std::size_t> ranks = doubled_ranks(sorted);
  const std::size_t sum = doubled_rank_sum(second, sorted, ranks);
  const auto n = static_cast<double>(first.size());
  const auto m = static_cast<double>(second.size());
  test.u = static_cast<double>(sum) / 2 - m * (m + 1) / 2;
  if (sorted.size() <= kMostExact)
    count_orders(test, ranks, second.size(), sum);
  else
    use_normal_curve(test, sorted, n, m);
  test.p_either = std::min(1.0, 2 * std::min(test.p_less, test.p_greater));
  return test;
}

RatioEstimate estimate_ratio(std::span<const double> first, std::span<const double> second,
                             double confidence) {
  if (first.empty() || second.empty()) return {};
  std::vector<double> quotients;
  quotients.reserve(first.size() * second.size());
  for (const double before : first)
    for (const double after : second) quotients.push_back(after / before);
  std::sort(quotients.begin(), quotients.end());
  const std::size_t cut = rejected_on_each_side(first.size(), second.size(), (1 - confidence) / 2);
  const std::size_t low = std::min(cut > 0 ? cut - 1 : 0, (quotients.size() - 1) / 2);
  return {median(quotients), quotients[low], quotients[quotients.size() - 1 - low]};
}

std::vector<double> holm_adjusted(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double highest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    highest = std::max(highest, std::min(1.0, p[order[i]] * static_cast<double>(p.size() - i)));
    adjusted[order[i]] = highest;
  }
  return adjusted;
}

}  // namespace rlctl
