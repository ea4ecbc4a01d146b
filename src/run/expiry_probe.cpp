#include "run/expiry_probe.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/escape.h"
#include "run/explore/probe.h"
#include "run/explore/script_program.h"

namespace rlctl {
namespace {

constexpr std::int64_t kMostLimit = 20;
constexpr std::int64_t kLongestUs = 300'000'000;
constexpr std::int64_t kStartUs = 1'767'225'600'000'000;  // 2026-01-01T00:00:00Z
constexpr std::int64_t kYearUs = 365 * 86'400'000'000;
constexpr std::size_t kMostInBurst = 60;

Policy in_small(Policy policy) {
  const std::int64_t limit = std::min(policy.limit, kMostLimit);
  if (policy.capacity > 0)
    policy.capacity = std::max<std::int64_t>(1, policy.capacity * limit / policy.limit);
  policy.limit = limit;
  policy.window_us = std::min(policy.window_us, kLongestUs);
  policy.block_us = std::min(policy.block_us, kLongestUs);
  return policy;
}

// Whoever was admitted keeps what it was given.
Script without_finish(Script script) {
  script.finish = nullptr;
  return script;
}

// One Redis on which keys expire, and one on which they stay.
class TwoModels {
 public:
  TwoModels(const Script& script, const Policy& policy)
      : policy_(in_small(policy)),
        call_(without_finish(script), policy_, TimeSource::virtual_time),
        program_(call_, "key") {
    for (RedisModel* redis : {&expiring_, &lasting_}) {
      if (call_.client_script() == nullptr) redis->execute(0, {"SCRIPT", "LOAD", script.text});
      program_.set_up(now_us_, [&](const Words& command) { return redis->execute(0, command); });
    }
  }

  // The key whose expiry made a difference; empty: none did.
  std::string find() {
    const std::int64_t window_us = policy_.window_us;
    const std::int64_t gaps_us[] = {0,
                                    window_us / 3,
                                    window_us / 3,
                                    window_us / 3 + 2'000,
                                    window_us / 2,
                                    window_us + policy_.block_us,
                                    3 * window_us};
    for (const std::int64_t gap_us : gaps_us) {
      now_us_ += gap_us;
      expiring_.advance_to(now_us_);
      if (burst_differs()) return missing_key();
    }
    return {};
  }

 private:
  // Asks until two in a row are denied.
  bool burst_differs() {
    int denied = 0;
    for (std::size_t client = 0; client < kMostInBurst && denied < 2; ++client) {
      const Outcome expiring = decide_alone(program_, expiring_, {client, now_us_});
      if (decide_alone(program_, lasting_, {client, now_us_}) != expiring) return true;
      denied = expiring == Outcome::denied ? denied + 1 : 0;
    }
    return false;
  }

  std::string missing_key() const {
    for (const auto& [one, other] : {std::pair{&lasting_, &expiring_}, {&expiring_, &lasting_}})
      for (const auto& [name, entry] : one->entries())
        if (!other->entries().contains(name)) return name;
    return "key";
  }

  Policy policy_;
  ScriptCall call_;
  ScriptProgram program_;
  ScriptRunner runner_;
  std::int64_t now_us_ = kStartUs;
  RedisModel expiring_{1, kStartUs, &runner_};
  RedisModel lasting_{1, kStartUs + kYearUs, &runner_};  // a virtual date has passed there
};

// A script that the models can't play is not judged: a command is missing, or its reply.
std::string key_that_matters(const Script& script, const Policy& policy) {
  try {
    return TwoModels(script, policy).find();
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::string why_in_real_time(const Script& script, const Policy& policy) {
  if (std::string reason = needs_real_time(script); !reason.empty()) return reason;
  const std::string key = key_that_matters(script, policy);
  if (key.empty()) return {};
  return "what it decides depends on when " + in_quotes(key) + " expires, in real time";
}

void require_virtual_clock(const Script& script, const Policy& policy) {
  if (const std::string reason = why_in_real_time(script, policy); !reason.empty())
    refuse_virtual_clock(script, reason);
}

}  // namespace rlctl
