#include "run/probe/identity_play.h"

#include <algorithm>

#include "io/clock.h"
#include "limiter/http_limiter.h"

namespace rlctl {
namespace {

constexpr int kTries = 3;
// A refill may admit one; a fresh quota admits them all.
constexpr std::int64_t kChanged = 3;

}  // namespace

IdentityPlay::IdentityPlay(Loop& loop, IdentityPlan plan)
    : loop_(loop), plan_(std::move(plan)), client_(make_http_client(loop, plan_.settings)) {}

Task<Outcome> IdentityPlay::ask(TargetSpec spec, bool on_new_connection) {
  if (on_new_connection) client_ = make_http_client(loop_, plan_.settings);
  if (plan_.gap_us > 0) co_await loop_.until(now_us() + plan_.gap_us);
  const HttpTarget target = http_target_from(spec);
  HttpLimiter limiter(*client_, target, numbers_);
  ++requests_;
  const Decision decision = co_await limiter.decide({});
  co_return decision.outcome;
}

// True when it denies twice in a row.
Task<bool> IdentityPlay::fill(const TargetSpec& spec) {
  int denied = 0;
  for (std::int64_t sent = 0; denied < 2 && sent < 2 * plan_.limit + 4; ++sent) {
    const Outcome outcome = co_await ask(spec);
    denied = outcome == Outcome::denied ? denied + 1 : 0;
  }
  co_return denied == 2;
}

Task<QuotaAnswer> IdentityPlay::try_once(const IdentityTrial& trial) {
  const TargetSpec unchanged = unchanged_request(plan_.spec, trial);
  const bool is_full = co_await fill(unchanged);
  if (!is_full) co_return QuotaAnswer::undecided;
  const TargetSpec changed = changed_request(plan_.spec, trial, ++n_);
  const std::int64_t sent = std::min(kChanged, plan_.limit);
  std::int64_t admitted = 0;
  std::int64_t denied = 0;
  for (std::int64_t i = 0; i < sent; ++i) {
    const bool is_new = i == 0 && trial.name == kNewConnection;
    const Outcome outcome = co_await ask(changed, is_new);
    admitted += outcome == Outcome::allowed ? 1 : 0;
    denied += outcome == Outcome::denied ? 1 : 0;
  }
  const Outcome control = co_await ask(unchanged);
  if (admitted + denied < sent) co_return QuotaAnswer::no_decision;
  if (admitted == 0) co_return QuotaAnswer::same;
  const bool is_fresh = admitted == sent && control == Outcome::denied;
  co_return is_fresh ? QuotaAnswer::fresh : QuotaAnswer::undecided;
}

Task<QuotaAnswer> IdentityPlay::play(const IdentityTrial& trial) {
  QuotaAnswer answer = QuotaAnswer::undecided;
  for (int i = 0; i < kTries && answer == QuotaAnswer::undecided; ++i)
    answer = co_await try_once(trial);
  co_return answer;
}

bool IdentityPlay::is_playable(const IdentityTrial& trial,
                               const std::vector<IdentityFinding>& findings) const {
  if (trial.name == kSourceAddress) return plan_.on_loopback && plan_.spec.source_ip.empty();
  if (*trial.only_after == '\0') return true;
  return std::ranges::any_of(findings, [&](const IdentityFinding& one) {
    return one.trial->name == std::string(trial.only_after) && one.answer == QuotaAnswer::fresh;
  });
}

Task<std::vector<IdentityFinding>> IdentityPlay::play() {
  std::vector<IdentityFinding> findings;
  for (const IdentityTrial& trial : identity_trials()) {
    if (loop_.interrupted()) break;
    if (!is_playable(trial, findings)) continue;
    doing_ = trial.name;
    const QuotaAnswer answer = co_await play(trial);
    findings.push_back({&trial, answer});
  }
  co_return findings;
}

}  // namespace rlctl
