#include "run/crash_point.h"

#include "io/redis/command.h"

namespace rlctl {

void CrashPoint::User::start(Exchange& exchange, std::string_view wire) {
  if (point_.commands_ == kNever || sent_ < point_.commands_) {
    ++sent_;
    redis_.start(exchange, wire);
    return;
  }
  point_.commands_ = kNever;  // only one crash per arm()
  point_.loop_.spawn(die(exchange));
}

Task<> CrashPoint::User::die(Exchange& exchange) {
  co_await redis_.send(encode_command("RESET"));
  exchange.state = Exchange::State::not_sent;
  exchange.problem = "the client crashed here, as planned in the scenario";
  point_.loop_.resume(exchange.waiter);
}

Task<Decision> MortalLimiter::decide(const Attempt& attempt) {
  user_->begin();
  co_return co_await limiter_->decide(attempt);
}

Task<Decision> MortalLimiter::finish(Attempt attempt) {
  user_->begin();
  co_return co_await limiter_->finish(attempt);
}

}  // namespace rlctl
