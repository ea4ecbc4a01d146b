// The specimens that are one script for Redis: which commands they send, in which order, when they
// refuse, which times to live they set, and the published claims about them that need no race.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "specimen_play.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

std::string window_key(const std::string& key, std::int64_t now_ms) {
  return key + ":" + std::to_string(now_ms / kMinute);
}

// A client that asks every `gap_ms` for an hour: what share of its requests is admitted.
double share_admitted(Specimen& bucket, std::int64_t gap_ms) {
  constexpr std::int64_t kHour = 3'600'000;
  std::int64_t admitted = 0, asked = 0;
  for (std::int64_t now = 0; now < kHour; now += gap_ms, ++asked)
    admitted += bucket.allows(kStart + now) ? 1 : 0;
  return static_cast<double>(admitted) / static_cast<double>(asked);
}

}  // namespace

TEST_CASE("ip-block-flag: adds first, refuses above the limit, and writes a flag at every denial") {
  const Server server;
  Specimen limiter(server, "ip-block-flag", {2});
  const auto added = [](std::int64_t now) {
    return fmt::format("ZADD k {0} {0}; ZREMRANGEBYSCORE k 0 {1}; ZCARD k", now, now - kMinute);
  };
  for (const std::int64_t now : {kStart, kStart + 1}) {
    const Heard admitted = limiter.decide(now);
    CHECK(admitted.allowed);
    CHECK(admitted.commands == added(now) + "; EXPIRE k 60");
    CHECK(limiter.lives_for(kMinute));
  }
  limiter.redis().ask({"PEXPIRE", "k", "5000"});
  for (const std::int64_t now : {kStart + 2, kStart + 3}) {
    const Heard denied = limiter.decide(now);
    CHECK_FALSE(denied.allowed);
    CHECK(denied.commands == added(now) + "; SET k:blocked 1; EXPIRE k:blocked 60");
    CHECK(limiter.lives_for(kMinute, "k:blocked"));
  }
  CHECK(limiter.lives_for(5'000));  // denials don't renew it
  CHECK(limiter.redis().integer({"ZCARD", "k"}) == 4);
}

TEST_CASE("ip-block-flag: the flag is never read") {
  const Server server;
  Specimen limiter(server, "ip-block-flag", {1});
  limiter.redis().ask({"SET", "k:blocked", "1"});
  CHECK(limiter.allows(kStart));
}

TEST_CASE("ip-block-flag: a request leaves the window when it is as old as the window") {
  const Server server;
  Specimen limiter(server, "ip-block-flag", {1});
  CHECK(limiter.allows(kStart));
  CHECK(limiter.allows(kStart + kMinute));
  CHECK_FALSE(limiter.allows(kStart + 2 * kMinute - 1));
}

TEST_CASE("ip-block-flag: requests of one millisecond all pass and count as one") {
  const Server server;
  Specimen limiter(server, "ip-block-flag", {20});
  CHECK(limiter.admitted_of(100, kStart) == 100);
  CHECK(limiter.redis().integer({"ZCARD", "k"}) == 1);
}

TEST_CASE("ip-block-flag: a bot of 30 a minute gets 20, then denials only, in cycles of 98 s") {
  const Server server;
  Specimen limiter(server, "ip-block-flag", {20});
  std::vector<std::int64_t> admitted_s;
  for (std::int64_t second = 0; second < 300; second += 2) {
    // Real time does not pass here: the key ends a minute after the admission that renewed it.
    if (!admitted_s.empty() && second == admitted_s.back() + 60) limiter.expire();
    if (limiter.allows(kStart + second * 1000)) admitted_s.push_back(second);
  }
  std::vector<std::int64_t> expected;
  for (const std::int64_t cycle : {0, 98, 196})
    for (std::int64_t i = 0; i < 20; ++i) expected.push_back(cycle + 2 * i);
  for (const std::int64_t second : {294, 296, 298}) expected.push_back(second);
  CHECK(admitted_s == expected);
}

TEST_CASE("ip-block-flag: while the key exists, the bot stays locked out") {
  const Server server;
  Specimen limiter(server, "ip-block-flag", {20});
  std::int64_t admitted = 0;
  for (std::int64_t second = 0; second < 3'600; second += 2)
    admitted += limiter.allows(kStart + second * 1000) ? 1 : 0;
  CHECK(admitted == 20);
}

TEST_CASE("renewed-counter: refuses if one more would exceed, and every admission renews") {
  const Server server;
  Specimen limiter(server, "renewed-counter", {3});
  for (int i = 0; i < 3; ++i) {
    const Heard admitted = limiter.decide();
    CHECK(admitted.allowed);
    CHECK(admitted.commands == "GET k; INCRBY k 1; EXPIRE k 60");
    CHECK(limiter.lives_for(kMinute));
    limiter.redis().ask({"PEXPIRE", "k", "5000"});
  }
  const Heard denied = limiter.decide();
  CHECK_FALSE(denied.allowed);
  CHECK(denied.commands == "GET k");
  CHECK(limiter.lives_for(5'000));
  limiter.expire();
  CHECK(limiter.allows());
}

TEST_CASE("renewed-counter: at one per second the 101st is refused, though no minute had over 60") {
  const Server server;
  Specimen limiter(server, "renewed-counter", {100});
  std::int64_t admitted = 0;
  while (limiter.allows()) {
    ++admitted;
    REQUIRE(limiter.lives_for(kMinute));
    limiter.redis().ask({"PEXPIRE", "k", "59000"});  // a second later
  }
  CHECK(admitted == 100);
}

TEST_CASE("textbook-log-atomic: adds, removes, counts, and sets no time to live") {
  const Server server;
  Specimen limiter(server, "textbook-log-atomic", {2});
  for (const std::int64_t now : {kStart, kStart + 1, kStart + 2, kStart + 3}) {
    const Heard heard = limiter.decide(now);
    CHECK(heard.allowed == (now < kStart + 2));
    CHECK(heard.commands ==
          fmt::format("ZADD k {0} {0}; ZREMRANGEBYSCORE k 0 {1}; ZCARD k", now, now - kMinute));
  }
  CHECK(limiter.redis().integer({"PTTL", "k"}) == -1);
  CHECK_FALSE(limiter.allows(kStart + kMinute + 1));  // those denied at 2 and 3 still count
  CHECK(limiter.allows(kStart + 2 * kMinute + 1));
}

TEST_CASE("textbook-log-atomic: requests of one millisecond merge, also as one script") {
  const Server server;
  Specimen limiter(server, "textbook-log-atomic", {1});
  CHECK(limiter.admitted_of(50, kStart) == 50);
}

TEST_CASE("token-bucket-floor: reads both fields, and writes them only if it admits") {
  const Server server;
  Specimen bucket(server, "token-bucket-floor", {60, kMinute, 2});
  const Heard first = bucket.decide(kStart);
  CHECK(first.allowed);
  CHECK(first.commands ==
        fmt::format("HMGET k tokens last_refill; HMSET k tokens 1 last_refill {}; EXPIRE k 60",
                    kStart));
  CHECK(bucket.lives_for(kMinute));
  CHECK(bucket.decide(kStart + 999).commands ==
        fmt::format("HMGET k tokens last_refill; HMSET k tokens 0 last_refill {}; EXPIRE k 60",
                    kStart + 999));
  // The 999 ms are lost: the next token comes a second after that admission.
  const Heard denied = bucket.decide(kStart + 1'998);
  CHECK_FALSE(denied.allowed);
  CHECK(denied.commands == "HMGET k tokens last_refill");
  CHECK(bucket.allows(kStart + 1'999));
  CHECK(bucket.admitted_of(10, kStart + kMinute) == 2);  // never more than its capacity
}

TEST_CASE("token-bucket-floor: its fixed TTL of 60 s refills the bucket too early") {
  const Server server;
  Specimen bucket(server, "token-bucket-floor", {100, 1'000'000, 100});
  CHECK(bucket.admitted_of(101, kStart) == 100);
  CHECK(bucket.lives_for(kMinute));
  bucket.expire();
  CHECK(bucket.admitted_of(101, kStart + kMinute) == 100);  // 6 have come back
}

TEST_CASE("token-bucket-floor: a regular client below the rate is always admitted") {
  const Server server;
  for (const std::int64_t gap_ms : {1'000, 1'001, 1'500, 1'999}) {
    CAPTURE(gap_ms);
    Specimen bucket(server, "token-bucket-floor", {60, kMinute, 10});
    bucket.redis().ask({"FLUSHALL"});
    CHECK(share_admitted(bucket, gap_ms) == 1);
  }
}

TEST_CASE("token-bucket-floor: a client with uneven gaps below the rate is denied") {
  const Server server;
  Specimen bucket(server, "token-bucket-floor", {60, kMinute, 10});
  std::int64_t admitted = 0;
  for (std::int64_t pair = 0; pair < 500; ++pair)  // gaps of 0.9 s and 1.9 s, 43 a minute
    for (const std::int64_t offset : {0, 900})
      admitted += bucket.allows(kStart + pair * 2'800 + offset);
  CHECK(admitted < 800);
}

TEST_CASE("token-bucket-floor: a regular client a tenth above the rate gets little over half") {
  const Server server;
  Specimen bucket(server, "token-bucket-floor", {60, kMinute, 10});
  const double share = share_admitted(bucket, 909);
  CHECK(share > 0.49);
  CHECK(share < 0.51);
}

TEST_CASE("token-bucket-floor: a client that stays below the rate never gets its burst back") {
  const Server server;
  Specimen bucket(server, "token-bucket-floor", {60, kMinute, 10});
  CHECK(bucket.admitted_of(20, kStart) == 10);
  std::int64_t now = kStart;
  for (int i = 0; i < 100; ++i) CHECK(bucket.allows(now += 1'900));
  CHECK_FALSE(bucket.allows(now));  // 90 tokens have come back since, for a bucket of 10
}

TEST_CASE("leaky-bucket-floor: reads both fields, and writes them only if it admits") {
  const Server server;
  Specimen bucket(server, "leaky-bucket-floor", {60, kMinute, 2});
  for (const int count : {1, 2}) {
    const Heard admitted = bucket.decide(kStart);
    CHECK(admitted.allowed);
    CHECK(admitted.commands ==
          fmt::format("HMGET k count last_leak; HMSET k count {} last_leak {}; EXPIRE k 60", count,
                      kStart));
    CHECK(bucket.lives_for(kMinute));
  }
  const Heard denied = bucket.decide(kStart + 999);
  CHECK_FALSE(denied.allowed);
  CHECK(denied.commands == "HMGET k count last_leak");
  CHECK(bucket.decide(kStart + 1'500).commands ==
        fmt::format("HMGET k count last_leak; HMSET k count 2 last_leak {}; EXPIRE k 60",
                    kStart + 1'000));
}

TEST_CASE("leaky-bucket-floor: 5 pass at 1,999 ms and a 6th at 2,000") {
  const Server server;
  Specimen bucket(server, "leaky-bucket-floor", {60, kMinute, 5});
  CHECK(bucket.allows(kStart));
  CHECK(bucket.admitted_of(10, kStart + 1'999) == 5);
  CHECK(bucket.admitted_of(10, kStart + 2'000) == 1);
}

TEST_CASE("leaky-bucket-floor: its fixed TTL of 60 s empties the bucket too early") {
  const Server server;
  Specimen bucket(server, "leaky-bucket-floor", {100, 1'000'000, 100});
  CHECK(bucket.admitted_of(101, kStart) == 100);
  CHECK(bucket.lives_for(kMinute));
  bucket.expire();
  CHECK(bucket.admitted_of(101, kStart + kMinute) == 100);
}

TEST_CASE("fixed-by-key: counts every request of the window, and admits 200 of 100 at its edge") {
  const Server server;
  Specimen limiter(server, "fixed-by-key", {100});
  const Heard first = limiter.decide(kStart + 59'900);
  CHECK(first.allowed);
  const std::string key = window_key("k", kStart);
  CHECK(first.commands == fmt::format("INCR {0}; EXPIRE {0} 60", key));
  CHECK(limiter.lives_for(kMinute, key));
  CHECK(limiter.admitted_of(150, kStart + 59'900) == 99);
  const Heard denied = limiter.decide(kStart + 59'999);
  CHECK_FALSE(denied.allowed);
  CHECK(denied.commands == first.commands);
  CHECK(limiter.admitted_of(150, kStart + kMinute) == 100);
}

TEST_CASE("log-by-uuid: removes, counts, and adds with a time to live if there is room") {
  const Server server;
  Specimen limiter(server, "log-by-uuid", {2});
  const auto counted = [](std::int64_t now) {
    return fmt::format("ZREMRANGEBYSCORE k -inf {}; ZCARD k", now - kMinute);
  };
  for (const int id : {1, 2}) {
    const Heard admitted = limiter.decide(kStart);
    CHECK(admitted.allowed);
    CHECK(admitted.commands ==
          fmt::format("{}; ZADD k {} id{}; PEXPIRE k 60000", counted(kStart), kStart, id));
    CHECK(limiter.lives_for(kMinute));
  }
  const Heard denied = limiter.decide(kStart + kMinute - 1);
  CHECK_FALSE(denied.allowed);
  CHECK(denied.commands == counted(kStart + kMinute - 1));
  CHECK(limiter.admitted_of(3, kStart + kMinute) == 2);
}

TEST_CASE("log-by-uuid: a client 2 s ahead removes the others' entries and takes their place") {
  const Server server;
  Specimen limiter(server, "log-by-uuid", {100});
  CHECK(limiter.admitted_of(150, kStart) == 100);
  CHECK(limiter.admitted_of(150, kStart + 58'000 - 1) == 0);
  // 58 s later; its own clock says that a minute has passed.
  CHECK(limiter.admitted_of(150, kStart + 58'000 + 2'000) == 100);
}

TEST_CASE("counter-per-process: each of four processes counts up to the limit") {
  const Server server;
  Specimen limiter(server, "counter-per-process", {25});
  const Heard first = limiter.decide(kStart);
  const std::string memory = window_key("k:2", kStart);
  CHECK(first.commands ==
        fmt::format("INCR k:turn; EXPIRE k:turn 60; INCR {0}; EXPIRE {0} 60", memory));
  CHECK(limiter.lives_for(kMinute, "k:turn"));
  CHECK(limiter.lives_for(kMinute, memory));
  CHECK(limiter.admitted_of(199, kStart) == 99);
  CHECK(limiter.redis().text({"GET", memory}) == "50");
  CHECK(limiter.admitted_of(200, kStart + kMinute) == 100);
}

TEST_CASE("hyperloglog: adds, counts, and sets no time to live") {
  const Server server;
  Specimen limiter(server, "hyperloglog", {2});
  const std::string key = window_key("k", kStart);
  for (const int id : {1, 2, 3}) {
    const Heard heard = limiter.decide(kStart);
    CHECK(heard.allowed == (id <= 2));
    CHECK(heard.commands == fmt::format("PFADD {0} id{1}; PFCOUNT {0}", key, id));
  }
  CHECK(limiter.redis().integer({"PTTL", key}) == -1);
  CHECK(limiter.allows(kStart + kMinute));
}

TEST_CASE("hyperloglog: of a thousand windows, some admit too many and some too few") {
  const Server server;
  Specimen limiter(server, "hyperloglog", {1'000});
  std::vector<std::int64_t> admitted;
  for (std::int64_t window = 0; window < 12; ++window)
    admitted.push_back(limiter.admitted_of(1'060, kStart + window * kMinute));
  const auto [least, most] = std::ranges::minmax(admitted);
  CHECK(least < 1'000);
  CHECK(most > 1'000);
  CHECK(least > 950);
  CHECK(most < 1'060);
}
