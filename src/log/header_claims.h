// Sums up what a service claimed about its limits in the headers of many responses. This part of
// the truth check needs the headers; the part in verdict/outcome/header_truth.h needs the records.
// Also, by their Date, how far the service's clock is ahead of ours. Plain values; pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "log/record.h"
#include "policy/rate_limit_fields.h"

namespace rlctl {

struct HeaderClaims {
  std::int64_t responses = 0;
  std::int64_t denials = 0;
  std::int64_t denials_without_wait = 0;  // neither Retry-After nor a reset
  std::int64_t waits_of_zero = 0;         // a denial with Retry-After: 0, or a reset of 0
  std::int64_t waits_until_past = 0;      // a denial whose Retry-After is a date that is over
  std::int64_t absurd_waits = 0;          // more than a year
  std::int64_t early_waits = 0;           // a Retry-After before the reset of an exhausted limit
  std::map<std::string, std::int64_t> malformed;  // by the field's name, as received
  std::vector<QuotaPolicy> policies;              // the first 16 different ones

  ClockRange server_ahead;

  // An answer had this Date, in whole seconds, between these times of ours. Many answers, some just
  // before and some just after a change of the second, bound the clock to milliseconds.
  void note_date(std::int64_t date_us, std::int64_t sent_us, std::int64_t received_us);
  void note(const RateLimitFields& fields, Outcome outcome);
  void add(const HeaderClaims& other);
};

}  // namespace rlctl
