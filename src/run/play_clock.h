// PlayClock: the time that a run is played in. Virtual users take their times from it and wait on
// it, so that one loop (run/drive.h) plays both kinds:
//
// WallClock     time passes by itself.
// VirtualClock  time stands still while a decision is under way, and jumps to the next appointment
//               when every user waits: a window of a minute takes as long as its requests do. Users
//               go one at a time, in the order of their appointments, so that a run of one seed
//               gives the same decisions each time; `together`: those of one instant go at once.
//
// Times are µs since 1970. Borrows the loop; must outlive the users. One thread.
#pragma once

#include <coroutine>
#include <cstdint>
#include <queue>
#include <vector>

#include "io/loop.h"

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

  // Returns at at_us, or before it when the run is to end.
  virtual Task<> until(std::int64_t at_us) = 0;

  // Whoever may keep the time from moving on says when it begins and ends to take part.
  virtual void enter() {}
  virtual void leave() {}

  // Ends a run early: appointments are over, users see it and stop.
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_ || loop_.interrupted(); }

 private:
  Loop& loop_;
  bool stopped_ = false;
};

// Takes part from here to the end of its scope.
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
  std::int64_t busy_ = 0;  // participants that do not wait
  std::uint64_t order_ = 0;
  bool together_;
  bool moving_ = false;
  std::priority_queue<Appointment, std::vector<Appointment>, std::greater<>> appointments_;
};

}  // namespace rlctl
