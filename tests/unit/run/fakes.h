// Fakes for what a run meets: time, network and limiter. They are deterministic and take no real
// time. One thread.
#pragma once

#include <coroutine>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "base/random.h"
#include "run/play_clock.h"
#include "run/target.h"

namespace rlctl {

// A wall clock without a wall: is_virtual() is false and decisions take time, but time passes only
// when the loop has nothing else to do. So lateness is exact.
class SteppedClock final : public PlayClock, private Loop::Flushable {
 public:
  SteppedClock(Loop& loop, std::int64_t start_us) : PlayClock(loop), now_us_(start_us) {}
  ~SteppedClock() override { loop().forget(*this); }
  bool is_virtual() const override { return false; }
  std::int64_t now_us() const override { return now_us_; }
  Task<> until(std::int64_t at_us) override;
  // Like until(), for time that passes even if the run is stopped: an answer that is under way.
  Task<> elapse(std::int64_t duration_us);

 private:
  struct Wait;
  struct Appointment {
    std::int64_t at_us;
    std::uint64_t order;
    bool ends_with_run;
    std::coroutine_handle<> waiter;
    bool operator>(const Appointment& other) const {
      return at_us != other.at_us ? at_us > other.at_us : order > other.order;
    }
  };
  void flush() override;

  std::int64_t now_us_;
  std::uint64_t order_ = 0;
  std::priority_queue<Appointment, std::vector<Appointment>, std::greater<>> appointments_;
};

// Delivers the answers of all requests that are under way in a random order, one per pass.
class ShuffledNetwork final : private Loop::Flushable {
 public:
  ShuffledNetwork(Loop& loop, std::uint64_t seed) : loop_(loop), random_(seed) {}
  ~ShuffledNetwork() { loop_.forget(*this); }
  ShuffledNetwork(const ShuffledNetwork&) = delete;
  ShuffledNetwork& operator=(const ShuffledNetwork&) = delete;

  Task<> round_trip();
  std::size_t most_under_way() const { return most_; }

 private:
  struct Wait;
  void flush() override;

  Loop& loop_;
  Random random_;
  std::vector<std::coroutine_handle<>> under_way_;
  std::size_t most_ = 0;
};

inline Decision decided(Outcome outcome) {
  Decision decision;
  decision.outcome = outcome;
  return decision;
}

// The service behind all users. It keeps every attempt; `answer` decides, and may be replaced.
struct FakeService {
  struct Asked {
    std::size_t user = 0;
    std::string key;
    std::int64_t cost = 1;
    std::int64_t at_us = 0;  // by the clock of the run
    std::int64_t clock_offset_us = 0;
    std::string ip;
  };

  PlayClock& clock;
  std::function<Decision(std::size_t nth)> answer = [](std::size_t) {
    return decided(Outcome::allowed);
  };
  ShuffledNetwork* network = nullptr;  // null: answers at once
  std::int64_t latency_us = 0;         // on a SteppedClock
  std::vector<Asked> asked = {};
};

// One user's access to the service.
class FakeLimiter final : public Limiter {
 public:
  FakeLimiter(FakeService& service, std::size_t user) : service_(service), user_(user) {}
  Task<Decision> decide(const Attempt& attempt) override;

 private:
  FakeService& service_;
  std::size_t user_;
};

// Users of a FakeService, as limiters.
class FakeUsers final : public TargetUsers {
 public:
  FakeUsers(FakeService& service, std::size_t users);
  std::vector<Limiter*> limiters() override;

 private:
  std::vector<std::unique_ptr<FakeLimiter>> users_;
};

class FakeTarget final : public Target {
 public:
  explicit FakeTarget(FakeService& service) : service_(service) {}
  Task<> open() override { co_return; }
  Task<std::unique_ptr<TargetUsers>> users(PolicyPlay& policy, UserPlan plan) override;
  std::string key_prefix() const override { return prefix; }
  bool names_keys() const override { return makes_keys; }
  bool tells_clients_apart(const PolicySpec&) const override { return knows_clients; }
  Task<std::string> close() override { co_return std::string(); }

  std::string prefix = "run:";
  bool makes_keys = true;
  bool knows_clients = true;
  std::vector<UserPlan> plans;  // what it was asked for

 private:
  FakeService& service_;
};

}  // namespace rlctl
