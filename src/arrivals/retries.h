// What clients do after a denial: they send the same request again, or drop it. Pure: the caller
// passes the time.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "arrivals/phase.h"
#include "arrivals/traffic.h"

namespace rlctl {

struct RetryPlan {
  OnDeny on_deny = OnDeny::drop;
  std::int64_t window_us = 0;  // the longest random pause
  std::int64_t most = 0;       // retries of one request; 0: until it is not denied
  std::int64_t until_us = 0;   // no retry begins later; 0: no such time
};

// How long a client waits before it retries: as long as it was told, or a growing random pause
// (Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015: full jitter).
class RetryPause {
 public:
  RetryPause(const RetryPlan& plan, std::uint64_t seed) : plan_(plan), seed_(seed) {}

  // After this many denials of the request (Arrival::number); empty: it is dropped.
  std::optional<std::int64_t> after(std::uint32_t number, int denials, const Record& denied) const;
  // It waits as long as it was told.
  bool is_told(const Record& denied) const;

 private:
  RetryPlan plan_;
  std::uint64_t seed_;
};

// Adds retries to the requests of another Traffic. Open loop: a retry is taken by any user that is
// free when it is due, so that a waiting client does not keep others from sending. Closed loop: by
// the user itself, before its next request. Borrows the other traffic.
class RetryingTraffic final : public Traffic {
 public:
  enum class Loop : std::uint8_t { open, closed };
  RetryingTraffic(Traffic& traffic, const RetryPlan& plan, Loop loop, std::uint64_t seed)
      : traffic_(traffic), plan_(plan), loop_(loop), pause_(plan, seed) {}

  std::optional<Arrival> next(const Turn& turn) override;
  WaitingRetries waiting(std::int64_t now_us) const override;

 private:
  struct Item {
    Arrival arrival;
    int denials = 0;
    bool told = false;
    bool operator>(const Item& other) const {
      return arrival.intended_us > other.arrival.intended_us;
    }
  };

  struct RetryQueue : std::priority_queue<Item, std::vector<Item>, std::greater<>> {
    const std::vector<Item>& items() const { return c; }
  };

  std::optional<Item> retry_of(const Turn& turn);
  std::optional<Item> item_for(const Turn& turn);
  std::optional<Item> earliest();

  Traffic& traffic_;
  RetryPlan plan_;
  Loop loop_;
  RetryPause pause_;
  std::vector<std::optional<Item>> in_flight_;  // by user; taken, and perhaps not due yet
  RetryQueue waiting_;                          // open loop
};

}  // namespace rlctl
