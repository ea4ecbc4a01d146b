// Lockstep: sends the commands of several users together, so that a race does not depend on luck. A
// user's command is held back until every user who is inside (between enter and leave) has one
// waiting; then all are sent at once, in the users' order. The next step begins after all of them
// have their answers.
//
// Each user sends through its own Redis (a wrapper around any other), enters before the first
// command of an attempt and leaves after the last. When nobody was inside, the first step waits
// until `gather` users have entered, since users who start at the same instant enter one after the
// other. If fewer have entered when `patience` has passed, the step starts with those.
//
// Borrows the loop and the users' connections; must outlive the coroutines that send through it.
// One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/loop.h"
#include "io/redis/redis.h"
#include "limiter/limiter.h"

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
    void settle_on(std::string_view key) override { redis_.settle_on(key); }
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

  // Owned by the gate; lives as long as the gate.
  User& add(Redis& redis);

  // How many users are expected, from the next time when nobody is inside.
  void set_gather(std::size_t users) { gather_ = users; }

  // Steps that were sent, and how many of them were sent before all of `gather` had entered.
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

// A user's limiter whose attempts run step by step together with those of others (run/lockstep.h).
// The limiter sends through `user`; this class tells the gate when an attempt begins and ends.
// Borrows the user. One thread.

class LockstepLimiter final : public Limiter {
 public:
  LockstepLimiter(Lockstep::User& user, std::unique_ptr<Limiter> limiter)
      : user_(user), limiter_(std::move(limiter)) {}

  Task<Decision> decide(const Attempt& attempt) override {
    user_.enter();
    Decision decision = co_await limiter_->decide(attempt);
    user_.leave();
    co_return decision;
  }

  bool has_finish() const override { return limiter_->has_finish(); }
  Task<Decision> finish(Attempt attempt) override {
    user_.enter();
    Decision decision = co_await limiter_->finish(attempt);
    user_.leave();
    co_return decision;
  }

 private:
  Lockstep::User& user_;
  std::unique_ptr<Limiter> limiter_;
};

}  // namespace rlctl
