#include "plan/most_denials.h"

#include <algorithm>
#include <limits>

#include "base/sort.h"
#include "base/units.h"

namespace rlctl {
namespace {

// The best sums of spans that end at known instants, in ascending order. An arrival adds to all
// that end before it: for them it is not yet counted.
//
// Kept are the differences of neighbours, so that to add to all before an instant changes one leaf;
// each node knows its sum and the best sum from one of its leaves to its end.
template <class Sum>
class EndedSpans {
 public:
  explicit EndedSpans(std::size_t most) {
    while (leaves_ < most + 1) leaves_ *= 2;
    nodes_.assign(2 * leaves_, {});
    push(std::numeric_limits<std::int64_t>::min(), 0);
  }

  // No earlier than the last one. What is not yet there counts as 0, which is never too much.
  void push(std::int64_t end_us, Sum sum) {
    const std::size_t state = ends_.size();
    ends_.push_back(end_us);
    change(state, sum);
    if (state > 0) change(state - 1, -sum);
  }

  void add_before(std::int64_t instant_us, Sum amount) {
    const auto after = std::lower_bound(ends_.begin(), ends_.end(), instant_us);
    change(static_cast<std::size_t>(after - ends_.begin()) - 1, amount);
  }

  Sum best() const { return nodes_[1].best; }

 private:
  struct Sums {
    Sum all = 0;
    Sum best = 0;
  };

  void change(std::size_t state, Sum by) {
    std::size_t node = state + leaves_;
    nodes_[node].all += by;
    nodes_[node].best = nodes_[node].all;
    for (node /= 2; node > 0; node /= 2) {
      const Sums& left = nodes_[2 * node];
      const Sums& right = nodes_[2 * node + 1];
      nodes_[node] = {left.all + right.all, std::max(right.best, left.best + right.all)};
    }
  }

  std::size_t leaves_ = 1;
  std::vector<Sums> nodes_;
  std::vector<std::int64_t> ends_;
};

std::vector<std::int64_t> highs_of(const std::vector<Placement>& arrivals) {
  std::vector<std::int64_t> highs;
  highs.reserve(arrivals.size());
  for (const Placement& p : arrivals) highs.push_back(p.high_us);
  sort_unless_sorted(highs);
  return highs;
}

// The arrivals that a span can still count: those that may lie at or after its beginning. Stamps
// are coarse, so many intervals begin together.
template <class Sum>
class Waiting {
 public:
  Waiting(const std::vector<Placement>& arrivals, EndedSpans<Sum>& spans, Sum unit)
      : by_low_(arrivals), by_high_(by_high(arrivals)), spans_(spans), unit_(unit) {}

  // Returns how many came.
  std::int64_t let_in(std::int64_t until_us) {
    const std::size_t before = next_;
    while (next_ < by_low_.size() && by_low_[next_].low_us <= until_us)
      add_together(by_low_, next_, unit_);
    return static_cast<std::int64_t>(next_ - before);
  }

  void let_out(std::int64_t from_us) {
    while (gone_ < by_high_.size() && by_high_[gone_].high_us < from_us)
      add_together(by_high_, gone_, -unit_);
  }

 private:
  // All that have the interval of this one.
  void add_together(const std::vector<Placement>& arrivals, std::size_t& next, Sum unit) {
    const Placement& first = arrivals[next];
    Sum sum = 0;
    for (; next < arrivals.size() && arrivals[next].low_us == first.low_us &&
           arrivals[next].high_us == first.high_us;
         ++next)
      sum += unit;
    spans_.add_before(first.low_us, sum);
  }

  const std::vector<Placement>& by_low_;
  std::vector<Placement> by_high_;
  EndedSpans<Sum>& spans_;
  Sum unit_;
  std::size_t next_ = 0;
  std::size_t gone_ = 0;
};

// The distinct starts of windows that matter: moved to the right as far as no arrival gets lost, a
// window begins at the end of an interval, or holds one.
std::vector<std::int64_t> starts_of(const std::vector<Placement>& arrivals,
                                    const WindowRule& window) {
  std::vector<std::int64_t> starts = highs_of(arrivals);
  if (window.is_aligned())
    for (std::int64_t& start : starts) start = window.earliest_counting_at(start);
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  return starts;
}

// What a span that ends now really gains: it admits a whole number. The rest of a sum is whole, so
// that the best sum stays the best one.
Wide whole_units(Wide sum, Wide unit) {
  const Wide rest = sum % unit;
  return sum - (rest < 0 ? rest + unit : rest);
}

}  // namespace

std::vector<Placement> by_high(std::vector<Placement> arrivals) {
  if (!std::ranges::is_sorted(arrivals, {}, &Placement::high_us))
    std::ranges::stable_sort(arrivals, {}, &Placement::high_us);
  return arrivals;
}

// The deepest overlap of [low, high + window).
FullestWindow fullest_window(std::span<const Placement> by_low, std::span<const Placement> by_high,
                             std::int64_t window_us) {
  FullestWindow fullest;
  std::int64_t sum = 0;
  std::size_t gone = 0;
  for (const Placement& come : by_low) {
    for (; by_high[gone].high_us + window_us <= come.low_us; ++gone) sum -= by_high[gone].cost;
    sum += come.cost;
    if (sum > fullest.count) fullest = {sum, by_high[gone].high_us};
  }
  return fullest;
}

std::int64_t most_denials(const std::vector<Placement>& arrivals, const WindowRule& window,
                          std::int64_t limit) {
  const std::vector<std::int64_t> starts = starts_of(arrivals, window);
  EndedSpans<std::int64_t> spans(starts.size());
  Waiting<std::int64_t> waiting(arrivals, spans, 1);
  std::int64_t most = 0;
  for (const std::int64_t start : starts) {
    const std::int64_t last = window.end(start) - 1;
    waiting.let_in(last);
    waiting.let_out(start);
    const std::int64_t sum = spans.best() - limit;
    spans.push(last, sum);
    most = std::max(most, sum);
  }
  return most;
}

std::int64_t most_denials_of_bucket(const std::vector<Placement>& arrivals, const Rule& bucket) {
  const Wide unit = bucket.window_us;  // one request, so that a µs refills a whole number
  // Less by almost one, because what a span admits is rounded down.
  const Wide opening = unit * bucket.capacity - (unit - 1);
  const std::vector<std::int64_t> highs = highs_of(arrivals);
  std::vector<std::int64_t> instants = highs;
  for (const Placement& p : arrivals) instants.push_back(p.low_us);
  sort_unique(instants);
  EndedSpans<Wide> spans(instants.size());
  Waiting<Wide> waiting(arrivals, spans, unit);
  Wide open = -(Wide{1} << 100);  // the best sum of which the last span is not over
  Wide most = 0;
  std::int64_t before_us = instants.empty() ? 0 : instants.front();
  for (const std::int64_t now_us : instants) {
    waiting.let_out(now_us);
    open += unit * waiting.let_in(now_us) - static_cast<Wide>(bucket.limit) * (now_us - before_us);
    if (std::ranges::binary_search(highs, now_us)) open = std::max(open, spans.best() - opening);
    const Wide ended = whole_units(open, unit);
    spans.push(now_us, ended);
    most = std::max(most, ended);
    before_us = now_us;
  }
  return static_cast<std::int64_t>(most / unit);
}

}  // namespace rlctl
