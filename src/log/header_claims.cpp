#include "log/header_claims.h"

#include <algorithm>

#include "base/units.h"

namespace rlctl {
namespace {

constexpr std::int64_t kAbsurdUs = 366 * kDayUs;
constexpr std::size_t kMostPolicies = 16;
constexpr std::size_t kMostMalformed = 16;

void remember(std::vector<QuotaPolicy>& policies, const QuotaPolicy& policy) {
  const auto same = [&](const QuotaPolicy& known) {
    return known.name == policy.name && known.quota == policy.quota &&
           known.window_us == policy.window_us && known.unit == policy.unit;
  };
  if (policies.size() < kMostPolicies && std::none_of(policies.begin(), policies.end(), same))
    policies.push_back(policy);
}

// A server that prepares its Date once a second, by a timer, may change it so late.
constexpr std::int64_t kLateDateUs = 20'000;

}  // namespace

void HeaderClaims::note_date(std::int64_t date_us, std::int64_t sent_us, std::int64_t received_us) {
  server_ahead.narrow({date_us - received_us, date_us + kSecondUs + kLateDateUs - sent_us});
}

void HeaderClaims::note(const RateLimitFields& fields, Outcome outcome) {
  ++responses;
  for (const std::string& name : fields.malformed)
    if (malformed.size() < kMostMalformed || malformed.contains(name)) ++malformed[name];
  for (const QuotaPolicy& policy : fields.policies) remember(policies, policy);
  if (outcome != Outcome::denied) return;
  ++denials;
  const std::int64_t wait_us = fields.wait_us();
  if (wait_us == kNoTime) ++denials_without_wait;
  if (wait_us == 0) ++(fields.retry_date_is_over ? waits_until_past : waits_of_zero);
  if (wait_us > kAbsurdUs) ++absurd_waits;
  if (fields.retry_after_us != kNoTime && fields.retry_after_us < fields.exhausted_reset_us())
    ++early_waits;
}

void HeaderClaims::add(const HeaderClaims& other) {
  responses += other.responses;
  denials += other.denials;
  denials_without_wait += other.denials_without_wait;
  waits_of_zero += other.waits_of_zero;
  waits_until_past += other.waits_until_past;
  absurd_waits += other.absurd_waits;
  early_waits += other.early_waits;
  server_ahead.narrow(other.server_ahead);
  for (const auto& [name, count] : other.malformed) malformed[name] += count;
  for (const QuotaPolicy& policy : other.policies) remember(policies, policy);
}

}  // namespace rlctl
