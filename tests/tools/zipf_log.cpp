// zipf_log FILE RECORDS KEYS [STAMPS]: writes the log of a correct sliding window with keys drawn
// by Zipf's law, to measure the cost of judging. STAMPS 0 leaves out the limiter's own times, so
// that intervals are judged instead of instants. The same arguments give the same log.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>

#include "log/log_file.h"

namespace rlctl {
namespace {

constexpr std::int64_t kLimit = 100;
constexpr std::int64_t kWindowUs = 60'000'000;
constexpr std::int64_t kSpanUs = 600'000'000;

// By inversion of the integral, which is close enough to 1/rank for a load.
std::uint32_t draw_key(std::mt19937_64& random, double keys) {
  const double uniform = std::uniform_real_distribution<double>(0, 1)(random);
  return static_cast<std::uint32_t>(std::pow(keys + 1, uniform)) - 1;
}

Outcome decide(std::deque<std::int64_t>& admitted, std::int64_t now_us) {
  while (!admitted.empty() && admitted.front() <= now_us - kWindowUs) admitted.pop_front();
  if (static_cast<std::int64_t>(admitted.size()) >= kLimit) return Outcome::denied;
  admitted.push_back(now_us);
  return Outcome::allowed;
}

Log make_log(std::size_t records, std::size_t keys, bool stamps) {
  Log log;
  log.policy = policy_of({Rule{.limit = kLimit, .window_us = kWindowUs}});
  log.contract = log.policy.rules;
  log.identities = {""};
  log.phases = {""};
  for (std::size_t key = 0; key < keys; ++key)
    log.keys.push_back("ratelimit:user:" + std::to_string(key) + ":minute");
  log.records.reserve(records);
  std::vector<std::deque<std::int64_t>> admitted(keys);
  std::mt19937_64 random(1);
  std::int64_t decided_us = 0;  // one decision after the other, as Redis makes them
  for (std::size_t i = 0; i < records; ++i) {
    Record record;
    record.key = draw_key(random, static_cast<double>(keys - 1));
    record.intended_us = 1'800'000'000'000'000 + kSpanUs / 1'000 * static_cast<std::int64_t>(i) /
                                                     static_cast<std::int64_t>(records) * 1'000;
    record.sent_us = record.intended_us + static_cast<std::int64_t>(random() % 50);
    decided_us =
        std::max(decided_us, record.sent_us + 100 + static_cast<std::int64_t>(random() % 300));
    record.received_us = decided_us + 100;
    if (stamps) record.server_us = decided_us;
    record.outcome = decide(admitted[record.key], decided_us);
    log.records.push_back(record);
  }
  return log;
}

}  // namespace
}  // namespace rlctl

int main(int argc, char** argv) {
  if (argc < 4) return std::fprintf(stderr, "usage: zipf_log FILE RECORDS KEYS [STAMPS]\n"), 2;
  rlctl::LogWriter writer(argv[1]);
  writer.write(rlctl::make_log(std::strtoul(argv[2], nullptr, 10),
                               std::strtoul(argv[3], nullptr, 10), argc < 5 || argv[4][0] != '0'));
  writer.close();
}
