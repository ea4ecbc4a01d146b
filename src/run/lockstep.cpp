#include "run/lockstep.h"

#include <event2/event.h>
#include <sys/time.h>

#include <cassert>
#include <new>
#include <utility>

#include "io/loop.h"

namespace rlctl {

Lockstep::Lockstep(Loop& loop, std::size_t gather, std::int64_t patience_us)
    : loop_(loop), gather_(gather), patience_us_(patience_us) {
  auto out_of_patience = [](evutil_socket_t, short, void* self) {
    auto* gate = static_cast<Lockstep*>(self);
    if (!gate->gathering_ || gate->waiting_ == 0) return;
    ++gate->impatient_;
    gate->gathering_ = false;
    gate->loop_.want_flush(*gate);
  };
  timer_ = event_new(loop.base(), -1, 0, out_of_patience, this);
  if (timer_ == nullptr) throw std::bad_alloc();
}

Lockstep::~Lockstep() {
  event_free(timer_);
  loop_.forget(*this);
}

Lockstep::User& Lockstep::add(Redis& redis) {
  users_.push_back(std::unique_ptr<User>(new User(*this, redis)));
  return *users_.back();
}

void Lockstep::User::enter() {
  assert(!inside_);
  inside_ = true;
  ++gate_.inside_;
}

void Lockstep::User::leave() {
  assert(inside_ && held_ == nullptr);
  inside_ = false;
  if (--gate_.inside_ == 0) gate_.gathering_ = true;
  if (gate_.waiting_ > 0) gate_.loop_.want_flush(gate_);
}

void Lockstep::User::start(Exchange& exchange, std::string_view wire) {
  assert(inside_ && held_ == nullptr);
  held_ = &exchange;
  wire_ = wire;
  if (++gate_.waiting_ == 1 && gate_.gathering_) gate_.start_patience();
  // Not at once: the first of several users who start in the same pass would otherwise go alone.
  gate_.loop_.want_flush(gate_);
}

void Lockstep::start_patience() {
  const timeval patience = to_timeval(patience_us_);
  event_add(timer_, &patience);
}

bool Lockstep::all_are_here() const {
  if (waiting_ == 0 || waiting_ < inside_) return false;
  return !gathering_ || inside_ >= gather_;
}

void Lockstep::flush() {
  if (all_are_here()) release();
}

void Lockstep::release() {
  event_del(timer_);
  gathering_ = false;
  waiting_ = 0;
  ++steps_;
  for (const auto& user : users_)
    if (Exchange* const exchange = std::exchange(user->held_, nullptr); exchange != nullptr)
      user->redis_.start(*exchange, user->wire_);
}

}  // namespace rlctl
