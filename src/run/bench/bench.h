// bench: measures each algorithm on the same Redis in interleaved rounds (A B C, A B C …), so that
// a drift of the machine affects all equally; then attacks each one and judges it on the server's
// own stamps.
//
// Owns its connections while it runs. Keys are under rlctl:<run_id>: and are removed after every
// measurement. A contestant whose script fails is left out from then on (`failed`), and the others
// continue; if the server goes away, the bench ends (`problem`), unless a replica takes its place.
// Error(Exit::target) if Redis cannot be reached at the start, or if it refuses the only script.
// Runs on one thread, which starts `threads` - 1 others for each measurement of speed and waits for
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/words.h"
#include "io/redis/deployment/deployment.h"
#include "limiter/registry.h"
#include "log/record.h"
#include "policy/target.h"
#include "result/bench_result.h"

namespace rlctl {

enum class BenchPart : std::uint8_t { all, speed, accuracy };
inline constexpr Word<BenchPart> kBenchPartWords[] = {{"speed", BenchPart::speed},
                                                      {"accuracy", BenchPart::accuracy}};
constexpr std::span<const Word<BenchPart>> words_of(BenchPart) { return kBenchPartWords; }

struct BenchPlan {
  std::vector<Script> scripts;
  Policy policy;
  BenchPart part = BenchPart::all;
  std::string run_id;
  std::string command;   // the command line that repeats the bench, for the logs
  std::string version;   // of rlctl, for the logs
  bool clean_up = true;  // remove leftover keys at the end; not needed on an embedded server
  std::int64_t connections = 50;
  std::int64_t pipeline = 1;
  std::int64_t threads = 1;  // that measure the speed, each with its share of the connections and
                             // of the requests; the attacks are played by one
  ReplicaWait wait;          // for the speed; the attacks don't wait
  std::int64_t keys = 2'000;
  std::int64_t rounds = 5;
  std::int64_t warm_up_us = 100'000;     // of each algorithm, before the first round
  std::int64_t duration_us = 500'000;    // of one algorithm in one round under one traffic
  std::optional<std::int64_t> requests;  // instead of the duration
  std::optional<double> rate_per_s;      // open loop
};

// The current step; `records` grows during the step.
struct BenchProgress {
  std::string what;
  std::int64_t steps_done = 0;
  std::int64_t steps = 0;
  const std::vector<Record>* records = nullptr;  // null: each thread has some
};

// Called with the finished log of every measurement and attack.
using LogSink = std::function<void(const Log&)>;

// Runs the loop until the bench is done.
BenchResult bench(Loop& loop, Deployment& redis, const BenchPlan& plan, BenchProgress& progress,
                  const LogSink& sink);

}  // namespace rlctl
