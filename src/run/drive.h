// Drive: arrivals × limiters → records. The one loop that plays traffic, whatever its mode: a
// virtual user is a coroutine that takes the next arrival, waits until it is due, lets its limiter
// decide and records both. Open or closed, counted or timed, with or without second tries is what
// the Traffic says; real or virtual time what the clock says.
//
// Borrows everything it is given, which must outlive its end. One thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/identity.h"
#include "core/record.h"
#include "core/traffic.h"
#include "io/latch.h"
#include "limiter/limiter.h"
#include "run/play_clock.h"

namespace rlctl {

// What a user does when its target is gone: stop for good, or try again with its next arrival.
enum class OnLoss : std::uint8_t { stop, go_on };

struct Drive {
  PlayClock& clock;
  Traffic& traffic;
  std::span<Limiter* const> users;
  std::span<const std::string> keys;     // what Arrival::key counts in
  std::span<const Identity> identities;  // what Arrival::client counts in; may be empty
  std::vector<Record>& records;          // appended to, in order of completion
  OnLoss on_loss = OnLoss::stop;
  std::span<const std::int64_t> clock_offsets_us = {};  // by user; none: all clocks are right

  // The first reason why a decision was not to be had.
  std::string problem = {};
  std::size_t users_playing = 0;
  // Opens when the traffic is exhausted, or the run is stopped, and every user has its last answer.
  Latch ended{clock.loop()};
};

// Spawns the users on the clock's loop: several drives can share one.
void spawn_users(Drive& drive);

// The record of a decision on an arrival that was taken at taken_us.
Record make_record(const Arrival& arrival, const Decision& decision, std::int64_t taken_us);

}  // namespace rlctl
