#include "verdict/bucket_placement.h"

#include <algorithm>
#include <optional>

#include "verdict/algorithm/feasibility.h"

namespace rlctl {
namespace {

struct TokenBucket {
  Instant token;  // the time in which one comes
  std::int64_t capacity;
  Instant tolerance;

  // How long after a full bucket's last drop this cost fits: negative, if it fits at once.
  Instant excess(std::int64_t cost) const { return token * (cost - capacity); }
};

// After an admission: when it was made, and when the bucket would be full again.
struct Taken {
  Instant at;
  Instant full_at;
};

// Pace of the Scheduler: GCRA, from a level on.
class TokenPace {
 public:
  TokenPace(const TokenBucket& bucket, Instant full_at)
      : bucket_(bucket), taken_{{-RuleTrack::kEver, full_at}} {}

  Instant earliest(std::int64_t cost) const {
    if (bucket_.excess(cost) > bucket_.tolerance) return RuleTrack::kEver;  // it never fits
    return taken_.back().full_at + bucket_.excess(cost) - bucket_.tolerance;
  }
  void push(Instant at, std::int64_t cost) {
    taken_.push_back({at, std::max(at, taken_.back().full_at) + bucket_.token * cost});
  }
  void pop() { taken_.pop_back(); }

  const std::vector<Taken>& taken() const { return taken_; }

 private:
  TokenBucket bucket_;
  std::vector<Taken> taken_;  // first: what came before
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
    const std::optional<TokenPace> placed = emptiest();
    return placed && std::ranges::all_of(denials_, [&](const Request* denial) {
             return explains(placed->taken(), *denial);
           });
  }

 private:
  // As much as possible was taken before the log.
  std::optional<TokenPace> emptiest() const {
    if (!unseen_) return placed_after(-RuleTrack::kEver);
    std::optional<TokenPace> best = placed_after(*unseen_);
    Instant least = 0;
    Instant most = bucket_.token * bucket_.capacity + 1;
    while (best && most - least > 1) {
      const Instant taken = least + (most - least) / 2;
      std::optional<TokenPace> placed = placed_after(*unseen_ + taken);
      (placed ? least : most) = taken;
      if (placed) best = std::move(placed);
    }
    return best;
  }

  // Empty: no schedule was found.
  std::optional<TokenPace> placed_after(Instant full_at) const {
    const auto most = static_cast<std::int64_t>(20 * admissions_.size() + 1'000);
    Scheduler scheduler(admissions_, TokenPace(bucket_, full_at),
                        {.units = most, .steps = most, .orders = 0});
    if (scheduler.run() != Schedulable::yes) return {};
    return scheduler.pace();
  }

  // Somewhere in its range the cost did not fit.
  bool explains(const std::vector<Taken>& all, const Request& denial) const {
    const Instant missing = bucket_.excess(denial.cost) + bucket_.tolerance - 1;
    if (missing >= 0) return true;  // not even into a full bucket
    auto after = std::ranges::upper_bound(all, denial.high, {}, &Taken::at);
    Instant next = denial.high;
    while (after != all.begin()) {
      --after;
      const Instant last = after->full_at + missing;
      if (last < denial.low) return false;  // before, there was more in it
      if (std::max(denial.low, after->at) <= std::min(next, last)) return true;
      next = after->at;
    }
    return false;
  }

  TokenBucket bucket_;
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
