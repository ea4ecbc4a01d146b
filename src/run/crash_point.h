// CrashPoint: where a client's process dies. Once armed, the next decision to have sent so many
// commands gets no further: what it sent was executed, what it would have sent next never is, and
// Redis sees the connection's end (RESET does to its state what closing would).
//
// A user speaks through a Redis of its own and is a Limiter that says when a decision begins.
// Borrows the loop and the connections; must outlive the users. One thread.
#pragma once

#include <cstdint>
#include <memory>

#include "io/loop.h"
#include "io/redis.h"
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

// `limiter` speaks through `user`.
class MortalLimiter final : public Limiter {
 public:
  MortalLimiter(std::unique_ptr<CrashPoint::User> user, std::unique_ptr<Limiter> limiter)
      : user_(std::move(user)), limiter_(std::move(limiter)) {}
  Task<Decision> decide(Attempt attempt) override;

 private:
  std::unique_ptr<CrashPoint::User> user_;
  std::unique_ptr<Limiter> limiter_;
};

}  // namespace rlctl
