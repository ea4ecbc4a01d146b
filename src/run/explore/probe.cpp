#include "run/explore/probe.h"

#include <algorithm>

namespace rlctl {

std::int64_t probes_for(const Policy& policy) {
  return std::max(policy.limit, policy.bucket_capacity()) + 2;
}

Outcome decide_alone(StepProgram& program, RedisModel& redis, const ProgramStart& start,
                     bool holds) {
  redis.disconnect(0);
  std::vector<Reply> replies;
  ProgramStep step = program.next(start, replies);
  const auto is_over = [&] { return holds ? step.has_decided() : step.has_ended(); };
  while (!is_over() && replies.size() < kMostProgramSteps) {
    replies.push_back(redis.execute(0, step.command));
    step = program.next(start, replies);
  }
  return is_over() ? step.outcome : Outcome::unknown;
}

std::vector<Outcome> ExploreProbe::outcomes(const RedisModel& redis) {
  RedisModel later = redis;
  std::vector<Outcome> outcomes;
  for (std::int64_t i = 0; i < probes_for(policy_); ++i) {
    later.advance_to(later.now_us() + kProbeGapWindows * policy_.window_us);
    outcomes.push_back(decide_alone(program_, later, {0, later.now_us()}));
  }
  return outcomes;
}

bool ExploreProbe::is_blocked(const RedisModel& redis) {
  const auto [place, is_new] = known_.try_emplace(redis.fingerprint(), false);
  if (!is_new) return place->second;
  const std::vector<Outcome> later = outcomes(redis);
  place->second = std::all_of(later.end() - 2, later.end(),
                              [](Outcome outcome) { return outcome == Outcome::denied; });
  return place->second;
}

std::int64_t half_lease_us(const RedisModel& redis, const Policy& policy) {
  std::int64_t lease_us = policy.window_us;
  for (const auto& [name, entry] : redis.entries())
    if (entry.expires_ms != kNeverExpires)
      lease_us = std::max(lease_us, entry.expires_ms * 1000 - redis.now_us());
  return lease_us / 2;
}

std::vector<Outcome> ExploreProbe::holders(const RedisModel& redis) {
  RedisModel later = redis;
  const std::int64_t gap_us = half_lease_us(redis, policy_);
  for (int i = 0; i < kRequestsBeforeLeak; ++i) {
    later.advance_to(later.now_us() + gap_us);
    decide_alone(program_, later, {0, later.now_us()});
  }
  std::vector<Outcome> outcomes;
  for (std::int64_t i = 0; i < policy_.limit; ++i)
    outcomes.push_back(
        decide_alone(program_, later, {static_cast<std::size_t>(i), later.now_us() + 1}, true));
  return outcomes;
}

bool ExploreProbe::leaks(const RedisModel& redis) {
  const auto [place, is_new] = known_leaks_.try_emplace(redis.fingerprint(), false);
  if (!is_new) return place->second;
  const std::vector<Outcome> later = holders(redis);
  place->second = std::ranges::find(later, Outcome::denied) != later.end();
  return place->second;
}

}  // namespace rlctl
