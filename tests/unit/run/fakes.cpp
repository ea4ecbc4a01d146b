#include "unit/run/fakes.h"

#include <algorithm>

namespace rlctl {

struct SteppedClock::Wait {
  SteppedClock& clock;
  std::int64_t at_us;
  bool ends_with_run;
  bool await_ready() const noexcept { return at_us <= clock.now_us_; }
  void await_suspend(std::coroutine_handle<> awaiting) {
    clock.appointments_.push({at_us, clock.order_++, ends_with_run, awaiting});
    clock.loop().want_flush(clock);
  }
  void await_resume() const noexcept {}
};

Task<> SteppedClock::until(std::int64_t at_us) {
  if (!stopped()) co_await Wait{*this, at_us, true};
}

Task<> SteppedClock::elapse(std::int64_t duration_us) {
  co_await Wait{*this, now_us_ + duration_us, false};
}

void SteppedClock::flush() {
  const Appointment next = appointments_.top();
  appointments_.pop();
  if (!appointments_.empty()) loop().want_flush(*this);
  if (!next.ends_with_run || !stopped()) now_us_ = std::max(now_us_, next.at_us);
  loop().resume(next.waiter);
}

struct ShuffledNetwork::Wait {
  ShuffledNetwork& network;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> awaiting) {
    network.under_way_.push_back(awaiting);
    network.most_ = std::max(network.most_, network.under_way_.size());
    network.loop_.want_flush(network);
  }
  void await_resume() const noexcept {}
};

Task<> ShuffledNetwork::round_trip() { co_await Wait{*this}; }

void ShuffledNetwork::flush() {
  const auto drawn = static_cast<std::ptrdiff_t>(random_.below(under_way_.size()));
  const std::coroutine_handle<> answered = under_way_[static_cast<std::size_t>(drawn)];
  under_way_.erase(under_way_.begin() + drawn);
  if (!under_way_.empty()) loop_.want_flush(*this);
  loop_.resume(answered);
}

Task<Decision> FakeLimiter::decide(const Attempt& attempt) {
  PlayClock& clock = service_.clock;
  const std::size_t nth = service_.asked.size();
  service_.asked.push_back({user_, std::string(attempt.key), attempt.cost, clock.now_us(),
                            attempt.clock_offset_us,
                            attempt.identity == nullptr ? "" : attempt.identity->ip});
  Decision decision = service_.answer(nth);
  decision.sent_us = clock.now_us();
  if (service_.network != nullptr) co_await service_.network->round_trip();
  if (service_.latency_us > 0)
    co_await static_cast<SteppedClock&>(clock).elapse(service_.latency_us);
  const bool answered = decision.outcome <= Outcome::denied;
  if (answered) decision.received_us = decision.decided_us = clock.now_us();
  co_return decision;
}

FakeUsers::FakeUsers(FakeService& service, std::size_t users) {
  for (std::size_t user = 0; user < users; ++user)
    users_.push_back(std::make_unique<FakeLimiter>(service, user));
}

std::vector<Limiter*> FakeUsers::limiters() {
  std::vector<Limiter*> all;
  for (const auto& user : users_) all.push_back(user.get());
  return all;
}

Task<std::unique_ptr<TargetUsers>> FakeTarget::users(PolicyPlay&, UserPlan plan) {
  plans.push_back(plan);
  co_return std::make_unique<FakeUsers>(service_, plan.users);
}

}  // namespace rlctl
