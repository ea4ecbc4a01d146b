// What a service claimed in its headers, summed up.
#include "log/header_claims.h"

#include <doctest/doctest.h>

using namespace rlctl;

namespace {

HeaderClaims noted(const RateLimitFields& fields, Outcome outcome = Outcome::denied) {
  HeaderClaims claims;
  claims.note(fields, outcome);
  return claims;
}

RateLimitFields waiting(std::int64_t wait_us) {
  RateLimitFields fields;
  fields.retry_after_us = wait_us;
  return fields;
}

}  // namespace

TEST_CASE("denials without a wait, with none, or with an absurd one are counted") {
  CHECK(noted({}).denials_without_wait == 1);
  CHECK(noted(waiting(0)).waits_of_zero == 1);
  CHECK(noted(waiting(366 * kDayUs)).absurd_waits == 0);
  CHECK(noted(waiting(366 * kDayUs + 1)).absurd_waits == 1);
  RateLimitFields over = waiting(0);
  over.retry_date_is_over = true;
  HeaderClaims of_date = noted(over);
  of_date.add(noted(over));
  CHECK(of_date.waits_of_zero == 0);
  CHECK(of_date.waits_until_past == 2);
  const HeaderClaims good = noted(waiting(kSecondUs));
  CHECK(good.responses == 1);
  CHECK(good.denials == 1);
  CHECK(good.denials_without_wait + good.waits_of_zero + good.absurd_waits + good.early_waits == 0);
}

TEST_CASE("an admitted request needs no wait") {
  const HeaderClaims claims = noted({}, Outcome::allowed);
  CHECK(claims.responses == 1);
  CHECK(claims.denials == 0);
  CHECK(claims.denials_without_wait == 0);
}

TEST_CASE("a Retry-After before the reset of an exhausted limit is too early") {
  RateLimitFields fields = waiting(4 * kSecondUs);
  fields.limits = {{"burst", 0, 5 * kSecondUs}};
  CHECK(noted(fields).early_waits == 1);
  fields.limits[0].reset_us = 4 * kSecondUs;
  CHECK(noted(fields).early_waits == 0);
  fields.limits = {{"burst", 3, 5 * kSecondUs}};  // not exhausted
  CHECK(noted(fields).early_waits == 0);
}

TEST_CASE("a service can't fill the memory with names: the first 16 are kept") {
  HeaderClaims claims;
  for (int i = 0; i < 100; ++i) {
    RateLimitFields fields;
    fields.malformed = {"X-" + std::to_string(i), "X-0"};
    fields.policies = {{std::to_string(i), i, kSecondUs, "requests"}};
    claims.note(fields, Outcome::allowed);
  }
  CHECK(claims.malformed.size() == 16);
  CHECK(claims.malformed.at("X-0") == 101);  // known names are still counted
  CHECK(claims.policies.size() == 16);
}

TEST_CASE("equal policies are one, and a difference in any part makes two") {
  HeaderClaims claims;
  RateLimitFields fields;
  const QuotaPolicy policy{"day", 100, kDayUs, "requests"};
  fields.policies = {policy, policy};
  fields.policies.push_back({"day", 101, kDayUs, "requests"});
  fields.policies.push_back({"day", 100, kHourUs, "requests"});
  fields.policies.push_back({"day", 100, kDayUs, "bytes"});
  claims.note(fields, Outcome::allowed);
  CHECK(claims.policies.size() == 4);
}

TEST_CASE("the claims of two users are summed") {
  HeaderClaims sum = noted(waiting(0));
  RateLimitFields fields;
  fields.malformed = {"RateLimit"};
  fields.policies = {{"day", 100, kDayUs, "requests"}};
  sum.add(noted(fields));
  sum.add(noted(fields, Outcome::allowed));
  CHECK(sum.responses == 3);
  CHECK(sum.denials == 2);
  CHECK(sum.denials_without_wait == 1);
  CHECK(sum.waits_of_zero == 1);
  CHECK(sum.malformed.at("RateLimit") == 2);
  CHECK(sum.policies.size() == 1);
}

TEST_CASE("the Date of answers on both sides of a second bounds the service's clock") {
  HeaderClaims claims;
  CHECK_FALSE(claims.server_ahead.is_known());
  // The service is 300 ms ahead: it says second 8 until ours is 8.7 s.
  claims.note_date(8 * kSecondUs, 8'690'000, 8'692'000);
  CHECK(claims.server_ahead.width_us() > kSecondUs);
  HeaderClaims later;
  later.note_date(9 * kSecondUs, 8'701'000, 8'703'000);
  claims.add(later);
  CHECK(claims.server_ahead.low_us == 297'000);
  // A Date that is prepared once a second may be late.
  CHECK(claims.server_ahead.high_us == 330'000);
}
