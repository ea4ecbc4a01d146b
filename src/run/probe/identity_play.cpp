#include "run/probe/identity_play.h"

#include <algorithm>

#include "limiter/http_limiter.h"

namespace rlctl {
namespace {

constexpr int kTries = 3;
// A refill may admit one; a fresh quota admits them all.
constexpr std::int64_t kChanged = 3;

}  // namespace

IdentityPlay::IdentityPlay(Loop& loop, IdentityPlan plan)
    : loop_(loop), plan_(std::move(plan)), client_(make_http_client(loop, plan_.settings)) {}

Task<QuotaAnswer> IdentityPlay::try_once(const IdentityTrial& trial) {
  const HttpTarget target = http_target_from(unchanged_request(plan_.spec, trial));
  HttpLimiter before(*client_, target, numbers_);
  const bool is_full = co_await paced(before).fill(plan_.limit);
  if (!is_full) co_return QuotaAnswer::undecided;
  if (trial.name == kNewConnection) client_ = make_http_client(loop_, plan_.settings);
  const HttpTarget changed_target = http_target_from(changed_request(plan_.spec, trial, ++n_));
  HttpLimiter changed(*client_, changed_target, numbers_);
  HttpLimiter unchanged(*client_, target, numbers_);
  const Answered answered = co_await paced(changed).ask(std::min(kChanged, plan_.limit));
  const Decision control = co_await paced(unchanged).ask();
  if (answered.admitted + answered.denied < answered.sent) co_return QuotaAnswer::no_decision;
  if (answered.admitted == 0) co_return QuotaAnswer::same;
  const bool is_fresh = answered.admitted == answered.sent && control.outcome == Outcome::denied;
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
