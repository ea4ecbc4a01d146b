// PlayClock: the time of a run. Virtual users read their times from it and wait on it, so that one
// loop (run/drive.h) plays both kinds:
//
// WallClock     time passes by itself.
// VirtualClock  time stands still while a decision is under way, and jumps to the next appointment
//               when every user waits: a window of a minute takes only as long as its requests.
//               Users run one at a time, in the order of their appointments, so that runs with the
//               same seed give the same decisions; `together`: users with the same time run at
//               once.
//
// Times are µs since 1970. Borrows the loop; must outlive the users. One thread.
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <queue>
#include <vector>

#include "io/loop.h"
#include "scenario/scenario.h"

namespace rlctl {

class PlayClock {
 public:
  explicit PlayClock(Loop& loop) : loop_(loop) {}
  virtual ~PlayClock() = default;
  PlayClock(const PlayClock&) = delete;
  PlayClock& operator=(const PlayClock&) = delete;

  Loop& loop() { return loop_; }
  virtual bool is_virtual() const = 0;
  virtual std::int64_t now_us() const = 0;

  // Returns at at_us, or earlier if the run is stopped.
  virtual Task<> until(std::int64_t at_us) = 0;

  // A participant calls enter() when it begins to take part and leave() when it ends. Virtual time
  // moves on only while all participants wait.
  virtual void enter() {}
  virtual void leave() {}

  // Ends a run early: waits return, and users see stopped() and end.
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_ || loop_.interrupted(); }

 private:
  Loop& loop_;
  bool stopped_ = false;
};

// Takes part from its construction to the end of its scope.
class Participation {
 public:
  explicit Participation(PlayClock& clock) : clock_(clock) { clock_.enter(); }
  ~Participation() { clock_.leave(); }
  Participation(const Participation&) = delete;
  Participation& operator=(const Participation&) = delete;

 private:
  PlayClock& clock_;
};

class WallClock final : public PlayClock {
 public:
  using PlayClock::PlayClock;
  bool is_virtual() const override { return false; }
  std::int64_t now_us() const override;
  Task<> until(std::int64_t at_us) override;
};

class VirtualClock final : public PlayClock {
 public:
  VirtualClock(Loop& loop, std::int64_t start_us, bool together = false)
      : PlayClock(loop), now_us_(start_us), together_(together) {}
  bool is_virtual() const override { return true; }
  std::int64_t now_us() const override { return now_us_; }
  Task<> until(std::int64_t at_us) override;
  void enter() override { ++busy_; }
  void leave() override;

 private:
  struct Appointment {
    std::int64_t at_us;
    std::uint64_t order;
    std::coroutine_handle<> waiter;
    bool operator>(const Appointment& other) const {
      return at_us != other.at_us ? at_us > other.at_us : order > other.order;
    }
  };
  struct Wait;

  void move_on();

  std::int64_t now_us_;
  std::int64_t busy_ = 0;  // participants that are not waiting
  std::uint64_t order_ = 0;
  bool together_;
  bool moving_ = false;
  std::priority_queue<Appointment, std::vector<Appointment>, std::greater<>> appointments_;
};

// The clock that the scenario asks for.
std::unique_ptr<PlayClock> make_clock(Loop& loop, const Scenario& scenario);

}  // namespace rlctl
