#include "inspect/key_reading.h"

#include <doctest/doctest.h>

using namespace rlctl;

namespace {

constexpr std::int64_t kNowUs = 1'795'214'760'123'456;

KeyState string_key(const std::string& value, std::int64_t ttl_ms = 60'000) {
  KeyState state;
  state.key = "k";
  state.type_name = "string";
  state.type = StateType::string;
  state.ttl_ms = ttl_ms;
  state.value = value;
  state.length = static_cast<std::int64_t>(value.size());
  return state;
}

KeyContext context(std::int64_t limit = 0, std::int64_t window_us = 0) {
  KeyContext context;
  context.policy = policy_of({Rule{.limit = limit, .window_us = window_us}});
  context.now_us = kNowUs;
  return context;
}

KeyReading read(const KeyState& state, const KeyContext& context) {
  return KeyReader(Registry(), {}).read(state, context);
}

}  // namespace

TEST_CASE("a small number is a counter, and its window ends with its expiry") {
  const KeyReading reading = read(string_key("15", 33'000), context());
  CHECK(reading.shape == Shape::counter);
  CHECK(reading.used == 15);
  CHECK(reading.guess);
  CHECK(reading.frees_us == 33'000'000);
}

TEST_CASE("a number whose name says that it is what is left is not shown as used") {
  KeyState tokens = string_key("40", kNoExpiry);
  tokens.key = "app.{203.0.113.7}.tokens";
  const KeyReading reading = read(tokens, context(20, 60'000'000));
  CHECK(reading.shape == Shape::counter);
  CHECK_FALSE(reading.used);
  CHECK_FALSE(reading.needs_expiry());
  CHECK(reading.algorithms.empty());
  const KeyReading told = KeyReader(Registry(), "fixed-anchored").read(tokens, context());
  CHECK(told.used == 40);
  CHECK_FALSE(told.guess);
}

TEST_CASE("only a number that counts needs an expiry, a bucket does not") {
  CHECK(read(string_key("5", kNoExpiry), context()).needs_expiry());
  CHECK_FALSE(read(string_key("1795214760", kNoExpiry), context()).needs_expiry());
  KeyState bucket;
  bucket.type_name = "hash";
  bucket.type = StateType::hash;
  bucket.fields = {{"tokens", "0"}, {"last_refill", "1795214760"}};
  const KeyReading reading = read(bucket, context());
  CHECK(reading.shape == Shape::bucket);
  CHECK_FALSE(reading.needs_expiry());
}

TEST_CASE("a time in a string differs from a count by its size") {
  const KeyReading reading = read(string_key("1795214760123456"), context());
  CHECK(reading.shape == Shape::time);
  CHECK_FALSE(reading.used);
}

TEST_CASE("under a policy, a time is read so that it uses at most the limit") {
  const std::int64_t window_us = 60'000'000;
  const std::int64_t start_us = kNowUs - kNowUs % window_us;
  CHECK(read(string_key(std::to_string(start_us + 7)), context(20, window_us)).used == 7);
  // 40 s ahead of now, with a limit of 20 per 60 s: 13.3 of 20 are still in use.
  const KeyReading ahead =
      read(string_key(std::to_string(kNowUs + 40'000'000)), context(20, window_us));
  CHECK(ahead.used.value_or(0) == doctest::Approx(13.33).epsilon(0.01));
  CHECK(ahead.kind == RuleKind::bucket);
}

TEST_CASE("a value without numbers does not belong to a limiter") {
  CHECK(read(string_key("<html>"), context()).shape == Shape::none);
  CHECK(read(string_key(""), context()).shape == Shape::none);
  KeyState hash;
  hash.type_name = "hash";
  hash.type = StateType::hash;
  hash.fields = {{"name", "x"}};
  CHECK(read(hash, context()).shape == Shape::none);
}

TEST_CASE("a hash of numbers is a limiter's only if one of its fields is named as limiters do") {
  KeyState hash;
  hash.type_name = "hash";
  hash.type = StateType::hash;
  for (const char* field : {"tokens", "tokensLeft", "REQUESTS", "_count", "last_refill",
                            "refilledAt", "hits:api", "1795214760", "1795214760123"}) {
    CAPTURE(field);
    hash.fields = {{"a", "1"}, {field, "3"}};
    CHECK(read(hash, context()).shape == Shape::bucket);
  }
  for (const char* field : {"uid", "ttl", "sku9", "discount", "account", "last_access", "29", ""}) {
    CAPTURE(field);
    hash.fields = {{"a", "1"}, {field, "3"}};
    CHECK(read(hash, context()).shape == Shape::none);
  }
}

TEST_CASE(
    "words that are common prove a limiter only as an amount beside a time, and perhaps not") {
  const std::string before = std::to_string(kNowUs / 1'000'000 - 5), after = "1795214790";
  KeyState hash;
  hash.type_name = "hash";
  hash.type = StateType::hash;
  const std::vector<std::vector<std::pair<std::string, std::string>>> perhaps = {
      {{"available", "3"}, {"last", before}}, {{"num", "3"}, {"reset", after}},
      {{"n", "3"}, {"start", before}},        {{"points", "3"}, {"updated", before + "000"}},
      {{"rate", "2.5"}, {"ts", before}},      {{"creditsLeft", "3"}, {"last", before}}};
  for (const auto& fields : perhaps) {
    CAPTURE(fields[0].first);
    hash.fields = fields;
    CHECK(read(hash, context()).shape == Shape::bucket);
    CHECK(read(hash, context()).may_be_other);
    hash.fields[1].second = "7";  // no time
    CHECK(read(hash, context()).shape == Shape::none);
  }
  for (const char* field : {"permits", "cnt", "29920246", "498670", "20777"}) {
    CAPTURE(field);
    hash.fields = {{field, "3"}};
    CHECK(read(hash, context()).shape == Shape::bucket);
    CHECK_FALSE(read(hash, context()).may_be_other);
  }
  for (const char* field : {"29400123", "29920300", "4006381333931", "n_items", "sum"}) {
    CAPTURE(field);
    hash.fields = {{field, "3"}, {"a", before}};
    CHECK(read(hash, context()).shape == Shape::none);
  }
}

TEST_CASE("a hash that counts in this window tells its use, as a guess") {
  KeyState hash;
  hash.type_name = "hash";
  hash.type = StateType::hash;
  hash.fields = {{"cnt", "20"}, {"reset", "1795214790"}};
  const KeyReading reading = read(hash, context(20, 60'000'000));
  CHECK(reading.used == 20);
  CHECK(reading.guess);
  CHECK(reading.frees_us == 1'795'214'790'000'000 - kNowUs);
  hash.fields[1].second = "1795214750";  // it is over
  CHECK_FALSE(read(hash, context()).used);
  hash.fields = {{"n", "20"}, {"start", "1795214750"}};
  CHECK(read(hash, context(20, 60'000'000)).used == 20);
  CHECK_FALSE(read(hash, context(20, 5'000'000)).used);
  hash.fields = {{"29920246", "5"}, {"29920245", "9"}};
  CHECK(read(hash, context()).used == 5);
  hash.fields = {{"hits", "5"}, {"requests", "9"}};
  CHECK_FALSE(read(hash, context()).used);
  hash.fields = {{"remaining", "0"}, {"reset", "1795214790"}};
  CHECK_FALSE(read(hash, context()).used);
  CHECK(read(hash, context(20, 60'000'000)).used == 20);
}

TEST_CASE("a hash that tells what is left was refilled since then, as the policy says") {
  KeyState hash;
  hash.type_name = "hash";
  hash.type = StateType::hash;
  for (const char* field : {"tokensLeft", "permits", "available"}) {
    CAPTURE(field);
    hash.fields = {{field, "0"}, {"last", "1795214745.123456"}};  // a quarter of a minute ago
    const KeyReading reading = read(hash, context(20, 60'000'000));
    CHECK(reading.used.value_or(0) == doctest::Approx(15));
    CHECK(reading.guess);
    CHECK(read(hash, context(20, 5'000'000)).used == 0);
    CHECK_FALSE(read(hash, context()).used);
  }
}

TEST_CASE("a sorted set of times to come is a semaphore by its name, or if it expires with them") {
  KeyState leases;
  leases.type_name = "zset";
  leases.type = StateType::zset;
  leases.length = 3;
  leases.time_unit = "s";
  leases.entries = {{"a", kNowUs - 1'000'000}, {"b", kNowUs + 30'000'000}};
  leases.key = "jobs:u";
  CHECK(read(leases, context()).shape == Shape::none);
  leases.ttl_ms = 30'400;
  CHECK(read(leases, context()).shape == Shape::log);
  leases.ttl_ms = kNoExpiry;
  leases.key = "user:7:semaphore";
  leases.live = LiveEntries{2, kNowUs + 20'000'000};
  const KeyReading reading = read(leases, context(5, 60'000'000));
  CHECK(reading.shape == Shape::log);
  CHECK(reading.used == 2);
  CHECK(reading.kind == RuleKind::in_flight);
  CHECK(reading.frees_us == 20'000'000);
}

TEST_CASE("entries that are due later than clocks differ are a queue, no log") {
  KeyState entries;
  entries.type_name = "zset";
  entries.type = StateType::zset;
  entries.length = 1;
  entries.time_unit = "s";
  entries.entries = {{"a", kNowUs + 5'000'000}};
  CHECK(read(entries, context()).shape == Shape::log);
  entries.entries = {{"a", kNowUs + 20'000'000}};
  CHECK(read(entries, context()).shape == Shape::none);
  CHECK(read(entries, {}).shape == Shape::log);  // what is not known is not judged
  entries.time_unit = "µs";                      // the end of each lease
  CHECK(read(entries, context()).shape == Shape::log);
}

TEST_CASE("the numbers of a bucket are a limit of buckets only") {
  const Policy bucket = policy_of(
      {Rule{.kind = RuleKind::bucket, .limit = 1, .window_us = 1'000'000, .capacity = 5}});
  KeyState key = string_key("3");
  for (const char* name : {"k", "rlflx:z"}) {
    key.key = name;
    const KeyReading reading = read(key, {bucket, kNowUs});
    CHECK(reading.used == 3);
    CHECK_FALSE(reading.limit_under(bucket));
  }
  const KeyReading gcra = read(string_key(std::to_string(kNowUs + 2'000'000)), {bucket, kNowUs});
  CHECK(gcra.used.value_or(0) == doctest::Approx(2));
  CHECK(gcra.limit_under(bucket) == 5);
}

TEST_CASE("of what the named algorithm does not store nothing is claimed") {
  const KeyReading told = KeyReader(Registry(), "gcra").read(string_key("3"), context(3, 1'000));
  CHECK(told.shape == Shape::none);
  CHECK_FALSE(told.used);
}

TEST_CASE("`used` of a log is its live entries, and a slot is free when the oldest expires") {
  KeyState log;
  log.type_name = "zset";
  log.type = StateType::zset;
  log.ttl_ms = 60'000;
  log.length = 25;
  log.time_unit = "ms";
  const KeyContext with_live = context(20, 60'000'000);
  log.live = LiveEntries{20, kNowUs - 50'000'000};
  const KeyReading reading = read(log, with_live);
  CHECK(reading.shape == Shape::log);
  CHECK(reading.used == 20);
  CHECK(reading.frees_us == 10'000'000);
}
