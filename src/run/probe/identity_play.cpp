#include "run/probe/identity_play.h"

#include <ifaddrs.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "base/escape.h"
#include "io/address_scope.h"
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
  bool is_undecided() const { return answered_.admitted + answered_.denied < answered_.sent; }

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

std::vector<std::string> other_sources(const HostAddress& target) {
  std::vector<std::string> sources;
  if (!target.v6) {
    constexpr int kMost = 100;
    for (int i = 1; i <= kMost && target.bytes[0] == 127; ++i)
      sources.push_back("127.0.9." + std::to_string(i));
    return sources;
  }
  if (target != *parse_host_address("::1")) return sources;
  ifaddrs* found = nullptr;
  if (getifaddrs(&found) != 0) return sources;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owned(found, freeifaddrs);
  for (const ifaddrs* one = found; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    const auto address = host_address_of(*one->ifa_addr);
    // An address of one link (fe80::/10) is none without the name of the link.
    const bool is_of_link =
        address && address->bytes[0] == 0xfe && (address->bytes[1] & 0xc0) == 0x80;
    if (address && address->v6 && !is_of_link && *address != target)
      sources.push_back(format_host_address(*address));
  }
  return sources;
}

IdentityPlay::IdentityPlay(Loop& loop, IdentityPlan plan)
    : loop_(loop),
      plan_(std::move(plan)),
      client_(make_http_client(loop, plan_.settings)),
      trials_(identity_trials(plan_.spec, plan_.sources)) {}

// From 2 to 99, the next one each time.
int IdentityPlay::next_number() {
  n_ = n_ == 99 ? 2 : n_ + 1;
  return n_;
}

// It fills the limiter, and then sends the changed ones and one more.
std::int64_t IdentityPlay::most_of_a_try() const {
  const std::int64_t to_fill = plan_.at_once > 0 ? plan_.at_once : 2 * plan_.limit + 4;
  return to_fill + std::min(kChanged, plan_.limit) + 1;
}

bool IdentityPlay::may_send() const { return requests_ + most_of_a_try() <= plan_.most_requests; }

Task<QuotaAnswer> IdentityPlay::try_once(const IdentityTrial& trial) {
  const HttpTarget target = http_target_from(unchanged_request(plan_.spec, trial));
  HttpLimiter before(*client_, target, numbers_);
  PacedLimiter filling = paced(before);
  const bool is_full = co_await filling.fill(plan_.limit);
  requests_ += filling.asked();
  is_undecided_ = filling.is_undecided();
  if (!is_full) co_return QuotaAnswer::undecided;
  // The client may still be handing out the last answer, and a bucket is refilled soon: it goes
  // when the trial is over.
  std::unique_ptr<HttpClient> used;
  if (trial.part == RequestPart::connection)
    used = std::exchange(client_, make_http_client(loop_, plan_.settings));
  const HttpTarget changed_target =
      http_target_from(changed_request(plan_.spec, trial, next_number(), plan_.sources));
  HttpLimiter changed(*client_, changed_target, numbers_);
  HttpLimiter unchanged(*client_, target, numbers_);
  const Answered answered = co_await paced(changed).ask(std::min(kChanged, plan_.limit));
  const Decision control = co_await paced(unchanged).ask();
  requests_ += answered.sent + 1;
  is_undecided_ = control.outcome > Outcome::denied;
  co_return answer_of(answered, control.outcome == Outcome::denied);
}

// The first denial says that it is full, and the others still wait for their answers.
Task<QuotaAnswer> IdentityPlay::try_at_once(const IdentityTrial& trial) {
  const HttpTarget target = http_target_from(unchanged_request(plan_.spec, trial));
  const HttpTarget changed_target =
      http_target_from(changed_request(plan_.spec, trial, next_number(), plan_.sources));
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
  requests_ += filling.answered().sent + changed.answered().sent + control.answered().sent;
  is_undecided_ = is_full ? control.is_undecided() : filling.is_undecided();
  if (!is_full) co_return QuotaAnswer::undecided;
  co_return answer_of(changed.answered(), control.answered().denied > 0);
}

Task<> IdentityPlay::look_if_lost() {
  const HttpTarget target = http_target_from(plan_.spec);
  HttpLimiter limiter(*client_, target, numbers_);
  LifeSign sign = co_await life_sign(paced(limiter), plan_.pace, kWhoIsAClient,
                                     std::min(kMostLost, plan_.most_requests - requests_));
  requests_ += sign.requests;
  lost_ = std::move(sign.lost);
}

Task<QuotaAnswer> IdentityPlay::decided(const IdentityTrial& trial) {
  QuotaAnswer answer = QuotaAnswer::undecided;
  const auto goes_on = [&] { return answer == QuotaAnswer::undecided && !lost_ && may_send(); };
  for (int i = 0; i < kTries && goes_on(); ++i) {
    if (plan_.at_once > 0)
      answer = co_await try_at_once(trial);
    else
      answer = co_await try_once(trial);
    if (is_undecided_) co_await look_if_lost();
  }
  co_return answer;
}

// An address that was used has a quota no longer.
bool IdentityPlay::has_more_values(const IdentityTrial& trial) const {
  return trial.part != RequestPart::source_address ||
         std::ssize(plan_.sources) >= std::ptrdiff_t{2} * kTries;
}

Task<IdentityFinding> IdentityPlay::play(const IdentityTrial& trial) {
  IdentityFinding found;
  found.trial = trial;
  found.answer = co_await decided(trial);
  if (lost_) co_return found;
  found.times = found.answer == QuotaAnswer::undecided ? 0 : 1;
  if (found.answer != QuotaAnswer::fresh || !has_more_values(trial)) co_return found;
  const QuotaAnswer again = co_await decided(trial);
  if (again == QuotaAnswer::undecided) co_return found;
  found.times = 2;
  if (again != QuotaAnswer::fresh) found.answer = QuotaAnswer::changing;
  co_return found;
}

bool IdentityPlay::is_playable(const IdentityTrial& trial,
                               const std::vector<IdentityFinding>& findings) const {
  // Requests at once are on several connections anyway.
  if (trial.part == RequestPart::connection) return plan_.at_once == 0;
  if (trial.only_after.empty()) return true;
  return std::ranges::any_of(findings, [&](const IdentityFinding& one) {
    return one.trial.name == trial.only_after && one.answer == QuotaAnswer::fresh;
  });
}

Task<std::vector<IdentityFinding>> IdentityPlay::play() {
  std::vector<IdentityFinding> findings;
  for (const IdentityTrial& trial : trials_.trials) {
    if (loop_.interrupted()) break;
    if (!is_playable(trial, findings)) continue;
    if (!may_send()) {
      trials_.left_out.push_back(
          {trial.name, "the requests were used up; allow more with --budget"});
      continue;
    }
    doing_ = escape_for_terminal(trial.name);
    IdentityFinding found = co_await play(trial);
    if (lost_ || loop_.interrupted()) break;
    findings.push_back(std::move(found));
  }
  co_return findings;
}

}  // namespace rlctl
