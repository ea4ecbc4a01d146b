// Drive: arrivals × limiters → records. The one loop that plays traffic, whatever its mode: a
// virtual user is a coroutine that takes the next arrival, waits until it is due, lets its limiter
// decide and records both. Open or closed, counted or timed is what the Traffic says.
//
// Borrows everything it is given, which must outlive the join. One thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/record.h"
#include "core/traffic.h"
#include "io/loop.h"
#include "limiter/limiter.h"

namespace rlctl {

struct Drive {
  Loop& loop;
  Traffic& traffic;
  std::span<Limiter* const> users;
  std::span<const std::string> keys;  // what Arrival::key counts in
  std::vector<Record>& records;       // appended to, in order of completion

  // A user stops for good when a connection is gone; its first reason is kept here.
  std::string problem;
};

// Spawns the users on the loop: several drives can share one. Loop::join() then waits until the
// traffic is exhausted, or the loop was interrupted, and every user has its last answer.
void spawn_users(Drive& drive);

// The record of a decision on an arrival that was taken at taken_us.
Record make_record(const Arrival& arrival, const Decision& decision, std::int64_t taken_us);

}  // namespace rlctl
