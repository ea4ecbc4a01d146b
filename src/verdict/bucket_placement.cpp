#include "verdict/bucket_placement.h"

#include <algorithm>
#include <optional>

#include "verdict/algorithm/feasibility.h"
#include "verdict/pace.h"

namespace rlctl {
namespace {

// When the admissions were made; when the bucket would be full again before all, and after each.
struct EarlyStarts {
  std::vector<Instant> starts;
  std::vector<Instant> full_at;
};

class EarlyPlacement {
 public:
  EarlyPlacement(const Requests& requests, const Rule& rule, const JointFrame& frame)
      : bucket_{rule.window_us * frame.scale / rule.limit, rule.capacity,
                frame.tolerance_us * frame.scale} {
    Instant first = RuleTrack::kEver;
    for (const Request& request : requests) {
      first = std::min(first, request.low);
      if (request.role == Role::admission)
        admissions_.push_back({request.low, request.high, request.cost});
      if (request.role == Role::denial) denials_.push_back(&request);
    }
    if (frame.from_us) unseen_ = std::min(first, (*frame.from_us - frame.base_us) * frame.scale);
  }

  bool explains_all() const {
    const std::optional<EarlyStarts> placed = emptiest();
    return placed && std::ranges::all_of(denials_, [&](const Request* denial) {
             return explains(*placed, *denial);
           });
  }

 private:
  // As much as possible was taken before the log; it matters to denials alone.
  std::optional<EarlyStarts> emptiest() const {
    std::optional<EarlyStarts> best = placed_after(unseen_.value_or(-RuleTrack::kEver));
    if (!unseen_ || denials_.empty()) return best;
    Instant least = 0;
    Instant most = bucket_.token * bucket_.capacity + 1;
    while (best && most - least > 1) {
      const Instant taken = least + (most - least) / 2;
      std::optional<EarlyStarts> placed = placed_after(*unseen_ + taken);
      (placed ? least : most) = taken;
      if (placed) best = std::move(placed);
    }
    return best;
  }

  // Empty: no schedule was found.
  std::optional<EarlyStarts> placed_after(Instant full_at) const {
    const auto most = static_cast<std::int64_t>(20 * admissions_.size() + 1'000);
    Scheduler scheduler(admissions_, BucketPace(bucket_, full_at),
                        {.units = most, .steps = most, .orders = 0});
    if (scheduler.run() != Schedulable::yes) return {};
    return EarlyStarts{scheduler.starts(), scheduler.pace().full_at()};
  }

  // Somewhere in its range the cost did not fit.
  bool explains(const EarlyStarts& placed, const Request& denial) const {
    const Instant missing = bucket_.excess(denial.cost) + bucket_.tolerance - 1;
    if (missing >= 0) return true;  // not even into a full bucket
    auto after = std::ranges::upper_bound(placed.starts, denial.high) - placed.starts.begin();
    for (Instant next = denial.high;; --after) {
      const auto i = static_cast<std::size_t>(after);
      const Instant last = placed.full_at[i] + missing;
      if (last < denial.low) return false;  // before, there was more in it
      if (i == 0) return denial.low <= std::min(next, last);
      if (std::max(denial.low, placed.starts[i - 1]) <= std::min(next, last)) return true;
      next = placed.starts[i - 1];
    }
  }

  TokenBucket<Instant> bucket_;
  std::optional<Instant> unseen_;  // when requests before the log took from it
  std::vector<Job<Instant>> admissions_;
  std::vector<const Request*> denials_;
};

}  // namespace

bool explained_early(const Requests& requests, const Lanes& lanes, const JointFrame& frame) {
  if (lanes.size() != 1 || lanes.front().size() != 1) return false;
  const Rule& rule = lanes.front().front();
  if (!rule.row().takes_capacity || rule.limit < 1 || rule.step_us > 0 || minds_denials(rule, 1))
    return false;
  return EarlyPlacement(requests, rule, frame).explains_all();
}

}  // namespace rlctl
