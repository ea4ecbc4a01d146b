#include "run/probe/identity_play.h"

#include <algorithm>
#include <deque>

#include "io/clock.h"
#include "limiter/http_limiter.h"

namespace rlctl {
namespace {

constexpr int kTries = 3;
// A refill may admit one; a fresh quota admits them all.
constexpr std::int64_t kChanged = 3;
// Requests in flight are gone a moment after they were answered.
constexpr std::int64_t kMomentUs = 80'000;
constexpr std::int64_t kLookAgainUs = 1'000;

// Requests of one kind that are sent at once. Must live until all are answered.
class Volley {
 public:
  Volley(HttpClient& client, const HttpTarget& target, RequestNumbers& numbers)
      : client_(client), target_(target), numbers_(numbers) {}

  void send(Loop& loop, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      loop.spawn(ask(limiters_.emplace_back(client_, target_, numbers_)));
  }
  const Answered& answered() const { return answered_; }
  bool is_over() const { return over_ == answered_.sent; }

 private:
  Task<> ask(Limiter& limiter) {
    ++answered_.sent;
    const Decision decision = co_await limiter.decide({});
    ++over_;
    answered_.admitted += decision.outcome == Outcome::allowed ? 1 : 0;
    answered_.denied += decision.outcome == Outcome::denied ? 1 : 0;
  }

  HttpClient& client_;
  const HttpTarget& target_;
  RequestNumbers& numbers_;
  std::deque<HttpLimiter> limiters_;
  Answered answered_;
  std::int64_t over_ = 0;
};

QuotaAnswer answer_of(const Answered& changed, bool is_control_denied) {
  if (changed.admitted + changed.denied < changed.sent) return QuotaAnswer::no_decision;
  if (changed.admitted == 0) return QuotaAnswer::same;
  const bool is_fresh = changed.admitted == changed.sent && is_control_denied;
  return is_fresh ? QuotaAnswer::fresh : QuotaAnswer::undecided;
}

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
  co_return answer_of(answered, control.outcome == Outcome::denied);
}

// The first denial says that it is full, and the others still wait for their answers.
Task<QuotaAnswer> IdentityPlay::try_at_once(const IdentityTrial& trial) {
  const HttpTarget target = http_target_from(unchanged_request(plan_.spec, trial));
  const HttpTarget changed_target = http_target_from(changed_request(plan_.spec, trial, ++n_));
  Volley filling(*client_, target, numbers_);
  Volley changed(*client_, changed_target, numbers_);
  Volley control(*client_, target, numbers_);
  co_await loop_.until(now_us() + kMomentUs);
  filling.send(loop_, plan_.at_once);
  while (filling.answered().denied == 0 && !filling.is_over())
    co_await loop_.until(now_us() + kLookAgainUs);
  const bool is_full = filling.answered().denied > 0;
  if (is_full) {
    changed.send(loop_, std::min(kChanged, plan_.limit));
    control.send(loop_, 1);
  }
  co_await loop_.join();
  if (!is_full) co_return QuotaAnswer::undecided;
  co_return answer_of(changed.answered(), control.answered().denied > 0);
}

Task<QuotaAnswer> IdentityPlay::play(const IdentityTrial& trial) {
  QuotaAnswer answer = QuotaAnswer::undecided;
  for (int i = 0; i < kTries && answer == QuotaAnswer::undecided; ++i) {
    if (plan_.at_once > 0)
      answer = co_await try_at_once(trial);
    else
      answer = co_await try_once(trial);
  }
  co_return answer;
}

bool IdentityPlay::is_playable(const IdentityTrial& trial,
                               const std::vector<IdentityFinding>& findings) const {
  if (trial.name == kSourceAddress) return plan_.on_loopback && plan_.spec.source_ip.empty();
  // Requests at once are on several connections anyway.
  if (trial.name == kNewConnection) return plan_.at_once == 0;
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
