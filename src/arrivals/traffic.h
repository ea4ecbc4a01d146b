// Traffic: the requests of a run, in the order in which virtual users take them.
//
// Count, deadline, rate and the reaction to a denial are values here, so that one loop plays all
// traffic (run/drive.h). Plain values, no clock: the caller passes the time.
//
// The room arrivals: who sends requests, and when.
// - It includes log, policy and base. It is pure: the same plan, seed and times give the same
//   requests on every machine.
// - It must not send anything, wait, or know which limiter decides. It sees only the last record of
//   a user, because a client may react to a denial.
//
// Begin with this file. Then: phase.h (a phase as it stands in a scenario), phase_traffic.h (the
// traffic of a phase), identity_set.h (the clients), shard.h (a run on several machines), attack.h
// (the attacks of bench).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "arrivals/shard.h"
#include "log/record.h"

namespace rlctl {

// A planned request. intended_us kNoTime: as soon as a user is free (closed loop).
struct Arrival {
  std::int64_t intended_us = kNoTime;
  std::uint32_t key = 0;
  std::uint32_t client = 0;  // the identity that sends, if the run has a table of them
  std::uint32_t who = 0;
  std::uint32_t cost = 1;
  std::uint32_t number = 0;  // in the phase, over all parts of a run; decides what is drawn for it
  std::uint8_t phase = 0;
};

// A user asks for its next request: the time, and the result of its last request.
struct Turn {
  std::int64_t now_us = 0;
  std::uint32_t user = 0;
  const Record* last = nullptr;  // null: the user's first turn
};

// Requests that were denied and wait until they are sent again.
struct WaitingRetries {
  std::int64_t count = 0;
  std::int64_t next_us = 0;  // when the first of them is due
  bool told = false;         // by a Retry-After, at least one of them

  void add(const WaitingRetries& others) {
    if (others.count == 0) return;
    next_us = count == 0 ? others.next_us : std::min(next_us, others.next_us);
    count += others.count;
    told = told || others.told;
  }
};

class Traffic {
 public:
  virtual ~Traffic() = default;
  // Empty if this user has nothing more to send. now_us must not decrease between calls.
  virtual std::optional<Arrival> next(const Turn& turn) = 0;
  // O(n) of the users and the retries.
  virtual WaitingRetries waiting([[maybe_unused]] std::int64_t now_us) const { return {}; }
};

// The same request over `keys` keys, until a number or a duration is reached. Closed loop, or open
// loop at an even rate. Time counts from the first call, or from `start_us`.
struct SteadyPlan {
  std::uint32_t first_key = 0;
  std::uint32_t keys = 1;
  std::optional<std::int64_t> requests;
  std::optional<std::int64_t> duration_us;
  std::optional<double> rate_per_s;
  std::optional<std::int64_t> start_us;
  Shard shard{};  // the part that this traffic sends; `requests` and `rate_per_s` are of all parts
};

class SteadyTraffic final : public Traffic {
 public:
  explicit SteadyTraffic(const SteadyPlan& plan) : plan_(plan) {}
  std::optional<Arrival> next(const Turn& turn) override;

 private:
  SteadyPlan plan_;
  std::int64_t started_us_ = 0;
  std::int64_t sent_ = 0;
};

// A list of requests, sorted by time. A request is dropped if no user was free to send it within
// `patience_us`: after a stall of the target, a burst of old requests would be a different test.
class PlannedTraffic final : public Traffic {
 public:
  explicit PlannedTraffic(std::vector<Arrival> arrivals,
                          std::optional<std::int64_t> patience_us = std::nullopt)
      : arrivals_(std::move(arrivals)), patience_us_(patience_us) {}
  std::optional<Arrival> next(const Turn& turn) override;

  // Those dropped so far, and those not taken yet.
  std::int64_t dropped() const {
    return dropped_ + static_cast<std::int64_t>(arrivals_.size() - next_);
  }

 private:
  std::vector<Arrival> arrivals_;
  std::optional<std::int64_t> patience_us_;
  std::size_t next_ = 0;
  std::int64_t dropped_ = 0;
};

}  // namespace rlctl
