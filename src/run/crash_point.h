// CrashPoint: simulates the crash of a client process. Once armed, the next decision that has sent
// this many commands stops: Redis has executed those commands and never gets the next one. RESET
// then puts the connection into the state that Redis would see after it was closed.
//
// Each user sends through its own CrashPoint::User; its MortalLimiter reports when a decision
// begins. Borrows the loop and the connections; must outlive the users. One thread.
#pragma once

#include <cstdint>
#include <memory>

#include "io/loop.h"
#include "io/redis/redis.h"
#include "limiter/limiter.h"

namespace rlctl {

class CrashPoint {
 public:
  explicit CrashPoint(Loop& loop) : loop_(loop) {}

  void arm(std::int64_t commands) { commands_ = commands; }

  class User final : public Redis {
   public:
    User(CrashPoint& point, Redis& redis) : point_(point), redis_(redis) {}
    void begin() { sent_ = 0; }
    void start(Exchange& exchange, std::string_view wire) override;
    void settle_on(std::string_view key) override { redis_.settle_on(key); }

   private:
    Task<> die(Exchange& exchange);

    CrashPoint& point_;
    Redis& redis_;
    std::int64_t sent_ = 0;
  };

 private:
  static constexpr std::int64_t kNever = -1;

  Loop& loop_;
  std::int64_t commands_ = kNever;
};

// `limiter` must send its commands through `user`.
class MortalLimiter final : public Limiter {
 public:
  MortalLimiter(std::unique_ptr<CrashPoint::User> user, std::unique_ptr<Limiter> limiter)
      : user_(std::move(user)), limiter_(std::move(limiter)) {}
  Task<Decision> decide(const Attempt& attempt) override;
  bool has_finish() const override { return limiter_->has_finish(); }
  Task<Decision> finish(Attempt attempt) override;

 private:
  std::unique_ptr<CrashPoint::User> user_;
  std::unique_ptr<Limiter> limiter_;
};

}  // namespace rlctl
