// bench: each algorithm measured on the same Redis in interleaved rounds (A B
// C, A B C …), so that the machine's drift hits all alike; then attacked, and
// judged on the server's own stamps.
//
// Owns its connections while it lasts. Keys are under rlctl:<run_id>: and are
// removed after every measurement. A contestant whose script fails is left out
// from there on (`failed`) and the others go on; a server that is gone ends it
// all (`problem`). A Redis that can't be spoken to in the first place is an
// Error(Exit::target), and so is a script that it refuses when there is no
// other. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/bench_result.h"
#include "core/record.h"
#include "io/connection.h"
#include "limiter/registry.h"

namespace rlctl {

enum class BenchPart : std::uint8_t { all, speed, accuracy };

struct BenchPlan {
  std::vector<Script> scripts;
  Policy policy;
  BenchPart part = BenchPart::all;
  std::string run_id;
  std::string command;   // that plays it again, for the logs
  std::string version;   // of rlctl, likewise
  bool clean_up = true;  // look for leftovers at the end: not on an embedded server
  std::int64_t connections = 50;
  std::int64_t pipeline = 1;
  std::int64_t keys = 2'000;
  std::int64_t rounds = 5;
  std::int64_t warm_up_us = 100'000;     // of each algorithm, before the first round
  std::int64_t duration_us = 500'000;    // of one algorithm in one round under one traffic
  std::optional<std::int64_t> requests;  // instead of the duration
  std::optional<double> rate_per_s;      // open loop
};

// What is being done; `records` grows while it is.
struct BenchProgress {
  std::string what;
  std::int64_t steps_done = 0;
  std::int64_t steps = 0;
  const std::vector<Record>* records = nullptr;
};

// Called with the finished log of every measurement and attack.
using LogSink = std::function<void(const Log&)>;

// Runs the loop until it is done.
BenchResult bench(Loop& loop, const Endpoint& endpoint, const BenchPlan& plan,
                  BenchProgress& progress, const LogSink& sink);

}  // namespace rlctl
