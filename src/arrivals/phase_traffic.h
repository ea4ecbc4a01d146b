// The traffic of a scenario's phase: which clients send, and when. Pure functions of the scenario
// and its seed: the result is the same on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "arrivals/identity_set.h"
#include "arrivals/phase.h"
#include "arrivals/retries.h"
#include "arrivals/shard.h"
#include "arrivals/traffic.h"
#include "base/random.h"
#include "policy/identity.h"

namespace rlctl {

// All clients of a phase. A client's number is its index in `identities`.
struct Clients {
  std::vector<Identity> identities;
  std::vector<std::uint32_t> kinds;         // by client: index into the identities
  std::vector<std::uint32_t> first_of_mix;  // by entry of Phase::mix: its first client
};
Clients clients_of(std::span<const IdentitySpec> identities, const Phase& phase);

// Picks the next request: its number, its client and its cost. The client: first a kind by its
// weight, then one client of that kind by the kind's own rule (Pick).
class RequestPicker {
 public:
  RequestPicker(std::span<const IdentitySpec> identities, const Phase& phase,
                const Clients& clients, std::uint64_t seed);

  Arrival next();
  // For a run on several machines: picks shard.count requests and returns the one of this part.
  Arrival next_of(const Shard& shard);

 private:
  std::uint32_t next_client();

  std::vector<std::uint64_t> cumulative_weights_;
  std::vector<std::uint32_t> first_;
  std::vector<IdentityPicker> pickers_;
  DrawnNumber cost_;
  Random random_;
  Random costs_;
  std::uint32_t picked_ = 0;
};

// The seed of one phase's traffic. Each phase has its own random streams, so one more request in a
// phase does not change the next phase.
std::uint64_t phase_seed(std::uint64_t seed, std::uint32_t phase);

// The number of planned requests; 0 if it depends on the answers.
double planned_requests(const Phase& phase);

// The send times of all stages, one stage after the other. Times start at 0 and ascend.
std::vector<std::int64_t> plan_stages(const std::vector<RateStage>& stages, ArrivalPattern pattern,
                                      std::uint64_t seed);
std::vector<std::int64_t> plan_bursts(const std::vector<Burst>& bursts);

// Closed loop: each user sends again `think_us` after its answer, until the end or until `requests`
// were sent.
struct ClosedPlan {
  std::int64_t start_us = 0;
  std::int64_t duration_us = 0;  // 0: no end
  std::int64_t requests = 0;     // 0: any number
  std::int64_t think_us = 0;
  Shard shard{};  // the other members are already this part's share
};

class ClosedTraffic final : public Traffic {
 public:
  ClosedTraffic(const ClosedPlan& plan, RequestPicker picker) : plan_(plan), picker_(picker) {}
  std::optional<Arrival> next(const Turn& turn) override;

 private:
  ClosedPlan plan_;
  RequestPicker picker_;
  std::int64_t sent_ = 0;
};

// Consumers share a queue of items. After a denial, a consumer retries, or drops the item
// (arrivals/retries.h). Items of unanswered requests are lost.
struct DrainPlan {
  std::int64_t start_us = 0;
  std::int64_t items = 0;
  std::uint32_t consumers = 1;
  RetryPlan retries;
  Shard shard{};  // as above
};

class DrainTraffic final : public Traffic {
 public:
  DrainTraffic(const DrainPlan& plan, RequestPicker picker, std::uint64_t seed);
  std::optional<Arrival> next(const Turn& turn) override;
  WaitingRetries waiting(std::int64_t now_us) const override;

  std::int64_t completed() const { return completed_; }
  std::int64_t lost() const { return lost_; }

 private:
  struct Consumer {
    std::optional<Arrival> item;
    int denials = 0;
    bool told = false;
  };

  std::optional<std::int64_t> settle(Consumer& consumer, const Record& last);

  DrainPlan plan_;
  RequestPicker picker_;
  RetryPause pause_;
  std::vector<Consumer> consumers_;
  std::int64_t taken_ = 0;
  std::int64_t completed_ = 0;
  std::int64_t lost_ = 0;
};

// Adds the key, the kind and the phase to each arrival of another Traffic. It keeps references to
// its arguments.
class AddressedTraffic final : public Traffic {
 public:
  AddressedTraffic(Traffic& traffic, const Clients& clients, std::span<const std::uint32_t> keys,
                   std::uint8_t phase)
      : traffic_(traffic), clients_(clients), keys_(keys), phase_(phase) {}
  std::optional<Arrival> next(const Turn& turn) override;
  WaitingRetries waiting(std::int64_t now_us) const override { return traffic_.waiting(now_us); }

 private:
  Traffic& traffic_;
  const Clients& clients_;
  std::span<const std::uint32_t> keys_;  // by client
  std::uint8_t phase_;
};

}  // namespace rlctl
