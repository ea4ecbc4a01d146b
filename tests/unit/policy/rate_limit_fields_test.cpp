#include "policy/rate_limit_fields.h"

#include <doctest/doctest.h>

#include "base/timestamp.h"

using namespace rlctl;

namespace {

// 2026-11-21 10:00:00 UTC
constexpr std::int64_t kNowUs = 1'795'255'200'000'000;
constexpr std::int64_t kSecond = 1'000'000;

RateLimitFields read(std::vector<HeaderField> fields) {
  return read_rate_limit_fields(fields, kNowUs);
}

}  // namespace

TEST_CASE("Retry-After is a number of seconds, or a date against the response's own Date") {
  CHECK(read({{"Retry-After", "7"}}).retry_after_us == 7 * kSecond);
  CHECK(read({{"retry-after", " 0 "}}).retry_after_us == 0);
  // This Date differs from our clock by ten minutes, which does not matter.
  CHECK(read({{"Date", "Sat, 21 Nov 2026 10:10:00 GMT"},
              {"Retry-After", "Sat, 21 Nov 2026 10:11:01 GMT"}})
            .retry_after_us == 61 * kSecond);
  CHECK(read({{"Retry-After", "Sat, 21 Nov 2026 10:00:05 GMT"}}).retry_after_us == 5 * kSecond);
  const RateLimitFields over = read({{"Retry-After", "Sat, 21 Nov 2026 09:00:00 GMT"}});
  CHECK(over.retry_after_us == 0);
  CHECK(over.retry_date_is_over);
  CHECK_FALSE(read({{"Retry-After", "0"}}).retry_date_is_over);
}

TEST_CASE("a Retry-After has any number of digits, and is then as long as anything can be") {
  for (const char* text :
       {"99999999999999999999", "9999999999999999", "0000000000000000000000007"}) {
    CAPTURE(text);
    const RateLimitFields fields = read({{"Retry-After", text}});
    CHECK(fields.malformed.empty());
    CHECK(fields.retry_after_us >= 7 * kSecond);
    CHECK(fields.retry_after_us <= kLongestDurationUs);  // as logs have it
  }
}

TEST_CASE("any other Retry-After is ignored and named") {
  for (const char* text : {"-1", "soon", "", "1.234", "1.", "+1", "1;w=2", "Nov 21"}) {
    CAPTURE(text);
    const RateLimitFields fields = read({{"Retry-After", text}});
    CHECK(fields.retry_after_us == kNoTime);
    CHECK(fields.malformed == std::vector<std::string>{"Retry-After"});
  }
}

TEST_CASE("RateLimit and RateLimit-Policy are lists of strings with parameters") {
  const RateLimitFields fields =
      read({{"RateLimit-Policy", R"("burst";q=100;w=60, "day";q=5000;w=86400;pk=:cHN0:)"},
            {"RateLimit-Policy", R"("size";q=65535;qu="content-bytes")"},
            {"RateLimit", R"("burst";r=50;t=30,"day";r=49)"}});
  REQUIRE(fields.policies.size() == 3);
  CHECK(fields.policies[0].name == "burst");
  CHECK(fields.policies[0].quota == 100);
  CHECK(fields.policies[0].window_us == 60 * kSecond);
  CHECK(fields.policies[0].unit == "requests");
  CHECK(fields.policies[2].window_us == kNoTime);
  CHECK(fields.policies[2].unit == "content-bytes");
  REQUIRE(fields.limits.size() == 2);
  CHECK(fields.limits[0].reset_us == 30 * kSecond);
  CHECK(fields.limits[1].reset_us == kNoTime);
  CHECK(fields.remaining() == 49);
  CHECK(fields.malformed.empty());
}

TEST_CASE("a malformed member invalidates its whole field, and no other") {
  for (const char* text :
       {R"("a";r=5, "b")", R"("a";r=-1)", R"("a";r=1.5)", R"(a;r=5)", R"("a;r=5)", R"("a";r=5,)",
        R"("a";r=5 "b";r=1)", R"("a";r=1;t=-3)", R"("a";r=9999999999999999)", "(1 2)"}) {
    CAPTURE(text);
    const RateLimitFields fields =
        read({{"RateLimit", text}, {"RateLimit-Policy", R"("a";q=9;w=1)"}});
    CHECK(fields.limits.empty());
    CHECK(fields.remaining() == -1);
    CHECK(fields.malformed == std::vector<std::string>{"RateLimit"});
    CHECK(fields.policies.size() == 1);
  }
  CHECK(read({{"RateLimit-Policy", R"("a";q=9;w=0)"}}).malformed.size() == 1);
  CHECK(read({{"RateLimit-Policy", R"("a";w=9)"}}).malformed.size() == 1);
}

TEST_CASE("the forms of earlier drafts are read too") {
  const RateLimitFields seventh = read({{"RateLimit", "limit=100, remaining=0, reset=30"}});
  CHECK(seventh.remaining() == 0);
  CHECK(seventh.wait_us() == 30 * kSecond);
  REQUIRE(seventh.policies.size() == 1);
  CHECK(seventh.policies[0].quota == 100);
  const RateLimitFields sixth = read({{"RateLimit-Limit", "100, 100;w=60"},
                                      {"RateLimit-Policy", "100;w=60"},
                                      {"RateLimit-Remaining", "12"},
                                      {"RateLimit-Reset", "50"}});
  CHECK(sixth.remaining() == 12);
  CHECK(sixth.wait_us() == kNoTime);
  REQUIRE(sixth.policies.size() == 1);
  CHECK(sixth.policies[0].window_us == 60 * kSecond);
}

TEST_CASE("a legacy reset is a delay or an instant, which its size decides") {
  const auto reset = [](const char* text) {
    return read({{"Date", "Sat, 21 Nov 2026 10:00:00 GMT"},
                 {"X-RateLimit-Remaining", "0"},
                 {"X-RateLimit-Reset", text}})
        .wait_us();
  };
  CHECK(reset("30") == 30 * kSecond);
  CHECK(reset("1.5") == kSecond * 3 / 2);
  CHECK(reset("1795255230") == 30 * kSecond);
  CHECK(reset("1795255230250") == 30'250'000);
  CHECK(reset("Sat, 21 Nov 2026 10:00:30 GMT") == 30 * kSecond);
  CHECK(reset("2026-11-21T10:00:30Z") == 30 * kSecond);
  CHECK(reset("1795255000") == 0);
  CHECK(reset("later") == kNoTime);
}

TEST_CASE("Retry-After takes precedence over a reset") {
  const RateLimitFields fields = read(
      {{"Retry-After", "5"}, {"RateLimit", R"("a";r=0;t=30)"}, {"X-RateLimit-Remaining", "9"}});
  CHECK(fields.wait_us() == 5 * kSecond);
  CHECK(fields.exhausted_reset_us() == 30 * kSecond);
  CHECK(fields.remaining() == 0);
}

TEST_CASE("only fields that are needed are kept") {
  for (const char* name : {"Date", "RETRY-AFTER", "RateLimit", "ratelimit-policy",
                           "X-RateLimit-Limit", "X-Rate-Limit-Reset", "RateLimit-Remaining"})
    CHECK(is_rate_limit_field(name));
  for (const char* name : {"", "Server", "Referrer-Policy", "X-Powered-By", "RateLimit-",
                           "X-RateLimit", "Content-Length"})
    CHECK_FALSE(is_rate_limit_field(name));
}

TEST_CASE("written fields are rounded up to seconds and can be read back") {
  CHECK(format_retry_after(0) == "0");
  CHECK(format_retry_after(1) == "1");
  CHECK(format_retry_after(60 * kSecond) == "60");
  CHECK(format_retry_after(60 * kSecond + 1) == "61");
  const std::vector<QuotaPolicy> policies{{"a \"b\"", 100, 60 * kSecond, "requests"},
                                          {"\xc3\xa9", 7, 1, "content-bytes"}};
  const std::string policy_text = format_rate_limit_policy(policies);
  CHECK(policy_text == R"("a \"b\"";q=100;w=60, "__";q=7;qu="content-bytes";w=1)");
  const std::vector<ServiceLimit> limits{{"a", 3, 1'500'000}, {"b", 0, kNoTime}};
  CHECK(format_rate_limit(limits) == R"("a";r=3;t=2, "b";r=0)");
  const RateLimitFields fields =
      read({{"RateLimit-Policy", policy_text}, {"RateLimit", format_rate_limit(limits)}});
  CHECK(fields.malformed.empty());
  CHECK(fields.policies[0].name == policies[0].name);
  CHECK(fields.limits[0].reset_us == 2 * kSecond);
}

TEST_CASE("the three forms of an HTTP date give the same instant") {
  constexpr std::int64_t kInstant = 784'111'777 * kSecond;  // RFC 9110's example
  CHECK(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT") == kInstant);
  CHECK(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT") == kInstant);
  CHECK(parse_http_date("Sun Nov  6 08:49:37 1994") == kInstant);
  CHECK(format_http_date(kInstant + 999'999) == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(parse_http_date(format_http_date(kNowUs)) == kNowUs);
}

TEST_CASE("an invalid HTTP date is refused") {
  for (const char* text :
       {"", "7", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Feb 2026 08:49:37 GMT",
        "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, "}) {
    CAPTURE(text);
    CHECK_FALSE(parse_http_date(text).has_value());
  }
}
