// Lockstep: users whose commands go out together, so that a race needs no luck. A user's command is
// held back until every user who is inside (between enter and leave) has one waiting; then all go
// out at once, in the users' order. Between two such steps all have their answers.
//
// Each user speaks through a Redis of its own (over any other), enters before its first command of
// an attempt and leaves after its last. After a time when nobody was inside, the first step waits
// until `gather` users have come: those who start at one instant do so one after the other. Should
// not that many come within the patience, those who are there go.
//
// Borrows the loop and the users' connections; must outlive the coroutines that send through it.
// One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/loop.h"
#include "io/redis/redis.h"

struct event;

namespace rlctl {

class Lockstep final : private Loop::Flushable {
 public:
  Lockstep(Loop& loop, std::size_t gather, std::int64_t patience_us = 1'000'000);
  ~Lockstep();
  Lockstep(const Lockstep&) = delete;
  Lockstep& operator=(const Lockstep&) = delete;

  class User final : public Redis {
   public:
    void start(Exchange& exchange, std::string_view wire) override;
    void enter();
    void leave();

   private:
    friend class Lockstep;
    User(Lockstep& gate, Redis& redis) : gate_(gate), redis_(redis) {}

    Lockstep& gate_;
    Redis& redis_;
    bool inside_ = false;
    Exchange* held_ = nullptr;
    std::string wire_;
  };

  // The gate's, and there as long as it is.
  User& add(Redis& redis);

  // How many users are on their way, from the next time when nobody is inside.
  void set_gather(std::size_t users) { gather_ = users; }

  // Steps that went out, and how many of them did not wait for all of `gather`.
  std::int64_t steps() const { return steps_; }
  std::int64_t impatient() const { return impatient_; }

 private:
  void flush() override;
  bool all_are_here() const;
  void release();
  void start_patience();

  Loop& loop_;
  std::size_t gather_;
  std::int64_t patience_us_;
  event* timer_ = nullptr;
  std::vector<std::unique_ptr<User>> users_;
  std::size_t inside_ = 0;
  std::size_t waiting_ = 0;
  bool gathering_ = true;
  std::int64_t steps_ = 0;
  std::int64_t impatient_ = 0;
};

}  // namespace rlctl
