#include "run/bench/bench_thread.h"

namespace rlctl {
namespace {

// Small enough for the server's listen queue, large enough that 3,000 connections are quick.
constexpr std::size_t kConnectionsAtOnce = 100;

}  // namespace

Task<> open_all(Loop& loop, const Connections& connections) {
  std::size_t opening = 0;
  for (const auto& connection : connections) {
    if (connection->is_open()) continue;
    loop.spawn(connection->connect());
    if (++opening % kConnectionsAtOnce == 0) co_await loop.join();
  }
  co_await loop.join();
}

BenchThread::BenchThread(Loop::Timers timers) : loop_(timers) { loop_.follow_signals(); }

void BenchThread::connect(const Endpoint& endpoint, std::int64_t connections) {
  redis_.emplace(loop_, endpoint.for_another_thread());
  loop_.run(redis_->discover());
  for (std::int64_t i = 0; i < connections; ++i) connections_.push_back(redis_->client());
  reconnect();
}

}  // namespace rlctl
