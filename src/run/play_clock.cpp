#include "run/play_clock.h"

#include <algorithm>

#include "io/clock.h"

namespace rlctl {
namespace {

// Long waits are split, so that an interrupted run ends soon.
constexpr std::int64_t kLongestNapUs = 200'000;
// Any fixed time works; this one is an edge of every window that divides a day.
constexpr std::int64_t kVirtualStartUs = 1'767'225'600'000'000;  // 2026-01-01T00:00:00Z

// One lockstep phase sets the clock for the whole run; it has no effect on the other phases.
bool in_lockstep(const Scenario& scenario) {
  return std::ranges::any_of(scenario.phases, &Phase::lockstep);
}

}  // namespace

std::unique_ptr<PlayClock> make_clock(Loop& loop, const Scenario& scenario) {
  if (scenario.clock == ScenarioClock::virtual_time)
    return std::make_unique<VirtualClock>(loop, kVirtualStartUs, in_lockstep(scenario));
  return std::make_unique<WallClock>(loop);
}

std::int64_t WallClock::now_us() const { return rlctl::now_us(); }

Task<> WallClock::until(std::int64_t at_us) {
  while (!stopped() && now_us() < at_us)
    co_await loop().until(std::min(at_us, now_us() + kLongestNapUs));
}

struct VirtualClock::Wait {
  VirtualClock& clock;
  std::int64_t at_us;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> awaiting) {
    clock.appointments_.push({at_us, clock.order_++, awaiting});
    clock.leave();
  }
  void await_resume() const noexcept {}
};

Task<> VirtualClock::until(std::int64_t at_us) {
  if (!stopped()) co_await Wait{*this, std::max(at_us, now_us_)};
}

void VirtualClock::leave() {
  --busy_;
  move_on();
}

// Not recursive: if a user that is resumed here waits or leaves at once, control returns to this
// loop. So the stack does not grow with the number of users.
void VirtualClock::move_on() {
  if (moving_) return;
  moving_ = true;
  while (busy_ == 0 && !appointments_.empty()) {
    now_us_ = std::max(now_us_, appointments_.top().at_us);
    std::vector<std::coroutine_handle<>> next;
    do {
      next.push_back(appointments_.top().waiter);
      appointments_.pop();
    } while (together_ && !appointments_.empty() && appointments_.top().at_us <= now_us_);
    busy_ += static_cast<std::int64_t>(next.size());
    for (const std::coroutine_handle<> waiter : next) loop().resume(waiter);
  }
  moving_ = false;
}

}  // namespace rlctl
