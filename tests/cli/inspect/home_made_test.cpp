// Limiters of nobody's library: hashes and semaphores that each team makes for itself.
#include <doctest/doctest.h>

#include "cli/support/test_redis.h"
#include "io/clock.h"

namespace {

std::string in_seconds(std::int64_t seconds) {
  return std::to_string(rlctl::now_us() / 1'000'000 + seconds);
}

}  // namespace

TEST_CASE("home-made hashes are shown and reset by their full key, a search asks if in doubt") {
  TestRedis redis;
  const std::string minute = std::to_string(rlctl::now_us() / 60'000'000);
  const std::vector<std::vector<std::string>> doubtful = {
      {"HSET", "app:7", "available", "0", "last", in_seconds(-5)},
      {"HSET", "app:7", "n", "9", "start", in_seconds(-5)}};
  const std::vector<std::vector<std::string>> sure = {
      {"HSET", "app:7", "permits", "0", "updated", in_seconds(-5)},
      {"HSET", "app:7", "cnt", "9", "reset", in_seconds(300)},
      {"HSET", "app:7", minute, "9"}};
  const auto set = [&](const std::vector<std::string>& command) {
    redis.command(command);
    redis.command({"EXPIRE", "app:7", "300"});
  };
  for (const bool is_sure : {false, true})
    for (const auto& command : is_sure ? sure : doubtful) {
      CAPTURE(command[2]);
      set(command);
      CHECK(contains(redis.rlctl({"inspect", "app:7"}).out, command[2] + "="));
      CHECK(redis.rlctl({"reset", "app:7"}).out == "app:7: removed\n");
      set(command);
      CHECK(redis.rlctl({"reset", "7", "--yes"}).exit == (is_sure ? 0 : 4));
      CHECK(redis.number({"DEL", "app:7"}) == (is_sure ? 0 : 1));
    }
}

TEST_CASE("a home-made hash of this window is full under a limit, as a guess") {
  TestRedis redis;
  redis.command({"HSET", "app:7", "cnt", "9", "reset", in_seconds(300)});
  const Outcome full = redis.rlctl({"inspect", "app:7", "--limit", "9", "--window", "10m"});
  INFO(full.out);
  CHECK(full.exit == 1);
  CHECK(contains(full.out, "9 of 9 used, if it counts requests; the window ends in"));
  CHECK(redis.rlctl({"inspect", "app:7", "--limit", "10", "--window", "10m"}).exit == 0);
}

TEST_CASE("a semaphore of lease ends in seconds counts those that are held") {
  TestRedis redis;
  redis.command({"ZADD", "sem:7", in_seconds(-9), "a", in_seconds(300), "b", in_seconds(301), "c"});
  redis.command({"EXPIRE", "sem:7", "400"});
  const Outcome shown = redis.rlctl({"inspect", "sem:7", "--policy", "2 in flight"});
  INFO(shown.out << shown.err);
  CHECK(shown.exit == 1);
  CHECK(contains(shown.out, "2 of 2 used"));
  CHECK(contains(redis.rlctl({"list", "--policy", "2 in flight"}).out, "2/2"));
  CHECK(redis.rlctl({"reset", "7", "--yes"}).out == "sem:7: removed\n");
}

TEST_CASE("a home-made hash that says that it is full or blocked is never called free") {
  TestRedis redis;
  struct Row {
    Arguments fields;
    int exit;
    const char* tells;
  };
  const Row rows[] = {
      {{"cnt", "100", "limit", "100"}, 4, "perhaps full, as its fields say"},
      {{"cnt", "99", "limit", "100"}, 0, "99 of 100 used"},
      {{"remaining", "0", "reset", in_seconds(300)}, 4, "perhaps full"},
      {{"remaining", "0", "reset", in_seconds(-300)}, 0, ""},
      {{"remaining", "1", "reset", in_seconds(300)}, 0, ""},
      {{"blocked", "1", "until", in_seconds(300)}, 4, "perhaps blocked, as its fields say"},
      {{"blocked_until", in_seconds(300)}, 4, "perhaps blocked"},
      {{"blocked", "0", "until", in_seconds(300)}, 0, ""},
      {{"blocked", "1", "until", in_seconds(-300)}, 0, ""},
      {{"tokens", "0", "ts", in_seconds(-1)}, 0, "full or not is not known: add --limit and"}};
  for (const Row& row : rows) {
    Arguments set{"HSET", "app:7"};
    set.insert(set.end(), row.fields.begin(), row.fields.end());
    redis.command(set);
    const Outcome shown = redis.rlctl({"inspect", "7"});
    INFO(row.fields[0] << ' ' << row.fields[1] << ": " << shown.out << shown.err);
    CHECK(shown.exit == row.exit);
    CHECK(contains(shown.out, row.tells));
    CHECK(contains(shown.out, "perhaps") == (row.exit == 4));
    const Outcome listed = redis.rlctl({"list"});
    CHECK(contains(listed.out, "full?") == contains(shown.out, "perhaps full"));
    CHECK(contains(listed.out, "blocked?") == contains(shown.out, "perhaps blocked"));
    redis.command({"DEL", "app:7"});
  }
}

TEST_CASE("watch shows what the fields of a hash say, as list does") {
  TestRedis redis;
  redis.command({"HSET", "app:7", "remaining", "0", "reset", in_seconds(300)});
  redis.command({"HSET", "app:8", "blocked", "1", "until", in_seconds(300)});
  for (const Arguments& verb : {Arguments{"list"}, {"watch", "--once"}}) {
    const std::string shown = redis.rlctl(verb).out;
    CHECK(contains(shown, "full?"));
    CHECK(contains(shown, "blocked?"));
  }
}

TEST_CASE("the limit of the user counts, not the one that a hash may name") {
  TestRedis redis;
  redis.command({"HSET", "app:7", "cnt", "100", "limit", "100"});
  CHECK(redis.rlctl({"inspect", "7", "--limit", "200", "--window", "1m"}).exit == 0);
  CHECK(redis.rlctl({"inspect", "7", "--limit", "50", "--window", "1m"}).exit == 1);
}
