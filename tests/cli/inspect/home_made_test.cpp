// Limiters of nobody's library: hashes and semaphores that each team makes for itself.
#include <doctest/doctest.h>

#include <algorithm>

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

TEST_CASE("the order of a hash's fields says nothing: each block ends when its own field says") {
  struct Row {
    std::vector<Arguments> fields;
    int exit;
  };
  const std::string later = in_seconds(300), past = in_seconds(-300);
  const Row rows[] = {{{{"blocked", "1"}, {"blocked_until", later}, {"reset", past}}, 4},
                      {{{"remaining", "0"}, {"reset_at", later}, {"last_reset", past}}, 4},
                      {{{"banned", "1"}, {"banned_until", later}, {"expires", past}}, 4},
                      {{{"count", "3"}, {"locked_until", later}, {"last_reset", past}}, 4},
                      {{{"count", "5"}, {"limit", "5"}, {"last_reset", past}}, 4},
                      {{{"locked", "1"}, {"locked_until", past}, {"expires", later}}, 0},
                      {{{"locked_until", past}, {"expires", later}}, 0}};
  TestRedis redis;
  for (Row row : rows) {
    std::ranges::sort(row.fields);
    do {
      Arguments set{"HSET", "app:7"};
      for (const Arguments& field : row.fields) set.insert(set.end(), field.begin(), field.end());
      redis.command({"DEL", "app:7"});
      redis.command(set);
      const Outcome shown = redis.rlctl({"inspect", "7"});
      INFO(set[2] << ' ' << set[4] << ": " << shown.out << shown.err);
      CHECK(shown.exit == row.exit);
    } while (std::ranges::next_permutation(row.fields).found);
  }
}

TEST_CASE("counts of denials, negations, limits of nothing and old windows raise no alarm") {
  TestRedis redis;
  const Arguments rows[] = {
      {"allowed", "5", "denied", "2", "reset", in_seconds(300)},
      {"hits", "5", "blocked", "2", "limit", "100", "reset", in_seconds(300)},
      {"denied", "2", "expires", in_seconds(300)},
      {"not_blocked", "1", "until", in_seconds(300)},
      {"isNotBlocked", "1", "until", in_seconds(300)},
      {"count", "100", "limit", "-1"},
      {"used", "12", "limit", "0"},
      {"count", "100", "limit", "100", "window_start", in_seconds(-3'600), "window", "60"},
      {"count", "100", "limit", "100", "windowStart", in_seconds(-90), "windowMs", "60000"}};
  for (const Arguments& fields : rows) {
    Arguments set{"HSET", "app:7"};
    set.insert(set.end(), fields.begin(), fields.end());
    redis.command(set);
    const Outcome shown = redis.rlctl({"inspect", "7"});
    INFO(fields[0] << ' ' << fields[2] << ": " << shown.out << shown.err);
    CHECK(shown.exit == 0);
    CHECK_FALSE(contains(shown.out, "perhaps"));
    CHECK_FALSE(contains(shown.out, " of 0 "));
    CHECK_FALSE(contains(shown.out, " of -1 "));
    redis.command({"DEL", "app:7"});
  }
  redis.command({"HSET", "app:7", "count", "100", "limit", "100", "window_start", in_seconds(-90),
                 "window_minutes", "60"});
  CHECK(redis.rlctl({"inspect", "7"}).exit == 4);
  redis.command({"HSET", "app:8", "blocked", in_seconds(300), "ts", in_seconds(0)});
  CHECK(redis.rlctl({"inspect", "8"}).exit == 4);
}

TEST_CASE("what perhaps denies is listed before what does not, and counted") {
  TestRedis redis;
  for (int i = 0; i < 60; ++i)
    redis.command({"SET", "rl:" + std::to_string(i), "900", "EX", "600"});
  redis.command({"SET", "rl:gus:blocked", "1", "EX", "600"});
  redis.command({"SET", "user:ida:blocked", "{\"by\":\"admin\"}"});
  redis.command({"HSET", "app:bob", "blocked", "1", "until", in_seconds(300)});
  redis.command({"HSET", "app:eve", "remaining", "0", "reset", in_seconds(300)});
  for (const Arguments& verb :
       {Arguments{"list", "--most", "5"}, {"list"}, {"watch", "--once", "--most", "5"}}) {
    const std::string shown = redis.rlctl(verb).out;
    INFO(shown);
    const auto blocked = shown.find("rl:gus");
    for (const char* perhaps : {"user:ida", "app:bob", "app:eve"}) {
      REQUIRE(contains(shown, perhaps));
      CHECK(shown.find(perhaps) > blocked);
      CHECK(shown.find(perhaps) < shown.find("900"));
    }
  }
  CHECK(contains(redis.rlctl({"watch", "--once"}).out, "1 blocked, 2 blocked?, 1 full?"));
  CHECK(contains(redis.rlctl({"inspect", "*"}).out, "64 limiters, 1 blocked, 2 blocked?, 1 full?"));
  const std::string blocked = redis.rlctl({"list", "--blocked"}).out;
  for (const char* name : {"rl:gus", "user:ida", "app:bob"}) CHECK(contains(blocked, name));
  CHECK_FALSE(contains(blocked, "app:eve"));
}
