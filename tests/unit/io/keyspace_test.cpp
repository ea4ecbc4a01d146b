// Keys found and removed, with a Redis whose replies are written down.
#include "io/redis/keyspace.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "unit/io/written_redis.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

using Keys = std::vector<std::string>;

std::string shown(const std::vector<RemovedKey>& keys) {
  const char* const kinds[] = {"removed", "absent",  "other",  "other data",
                               "perhaps", "refused", "unknown"};
  std::string all;
  for (const RemovedKey& key : keys)
    all += key.key + ":" + kinds[static_cast<int>(key.what)] +
           (key.words.empty() ? "" : "(" + key.words + ")") + " ";
  return all;
}

}  // namespace

TEST_CASE("a scan goes from cursor to cursor until it is 0 again") {
  Loop loop;
  WrittenRedis redis(loop, {page("7", {"a", "b"}), page("3", {}), page("0", {"b", "c"})});
  KeyScan scan(redis, "rl:*");
  CHECK_FALSE(scan.done());
  CHECK(loop.run(scan.next()) == Keys{"a", "b"});
  CHECK(loop.run(scan.next()) == Keys{});
  CHECK_FALSE(scan.done());
  CHECK(loop.run(scan.next()) == Keys{"b", "c"});
  CHECK(scan.done());
  CHECK(loop.run(scan.next()) == Keys{});
  CHECK(redis.asked == Keys{"SCAN 0 MATCH rl:* COUNT 250", "SCAN 7 MATCH rl:* COUNT 250",
                            "SCAN 3 MATCH rl:* COUNT 250"});
}

namespace {

Task<bool> all_but_the_second(int& turns) { co_return ++turns != 2; }

}  // namespace

TEST_CASE("a scan waits for its turn before each page, and asks for none that is refused") {
  Loop loop;
  WrittenRedis redis(loop, {page("7", {"a"}), page("0", {"b"})});
  int turns = 0;
  KeyScan scan(redis, "*", [&] { return all_but_the_second(turns); });
  CHECK(loop.run(scan.next()) == Keys{"a"});
  CHECK(loop.run(scan.next()) == Keys{});
  CHECK_FALSE(scan.done());
  CHECK(redis.asked.size() == 1);
  CHECK(loop.run(scan.next()) == Keys{"b"});
  CHECK(scan.done());
}

namespace {

// Asks for the keys, so that the look takes a round trip.
Task<> exist(Redis& redis, std::vector<std::string> keys) { co_await find_existing(redis, keys); }

}  // namespace

TEST_CASE("the next page is asked for before the keys of this one are looked at") {
  Loop loop;
  WrittenRedis redis(loop, {page("7", {"a"}), page("0", {"b"}), integer(1), integer(1)});
  KeyScan scan(redis, "*");
  loop.run(look_at_pages(loop, scan, [&](Keys keys) { return exist(redis, std::move(keys)); }));
  CHECK(scan.done());
  CHECK(redis.asked ==
        Keys{"SCAN 0 MATCH * COUNT 250", "SCAN 7 MATCH * COUNT 250", "EXISTS a", "EXISTS b"});
}

TEST_CASE("if a page does not come, those who wait for the next ones do not wait for ever") {
  Loop loop;
  WrittenRedis redis(loop, {refusal("NOPERM no")});
  KeyScan scan(redis, "*");
  CHECK_THROWS_AS(
      loop.run(look_at_pages(loop, scan, [&](Keys keys) { return exist(redis, std::move(keys)); })),
      Error);
  CHECK(redis.asked == Keys{"SCAN 0 MATCH * COUNT 250"});
}

TEST_CASE("a scan that is refused, or not answered, or answered with something else, throws") {
  for (const Reply& reply : {refusal("NOPERM no"), text("OK"), integer(1)}) {
    Loop loop;
    WrittenRedis redis(loop, {reply});
    KeyScan scan(redis, "*");
    CHECK_THROWS_AS(loop.run(scan.next()), Error);
  }
  Loop loop;
  WrittenRedis redis(loop, {});
  KeyScan scan(redis, "*");
  CHECK_THROWS_AS(loop.run(scan.next()), Error);
}

TEST_CASE("of a scan that is stopped no page is looked at that is on its way, and no other asked") {
  Loop loop;
  WrittenRedis redis(loop, {page("7", {"a"}), page("8", {"b"}), page("0", {"c"})});
  KeyScan scan(redis, "*");
  Keys seen;
  loop.run(look_at_pages(loop, scan, [&](Keys keys) -> Task<> {
    seen.push_back(keys.front());
    scan.stop();
    co_return;
  }));
  CHECK(seen == Keys{"a"});
  CHECK(redis.asked.size() == 2);
}

TEST_CASE("if EXISTS is refused, TYPE tells whether a key exists") {
  Loop loop;
  using enum Existence;
  WrittenRedis redis(loop,
                     {integer(1), integer(0), refusal("NOPERM no"),
                      refusal("NOPERM No permissions to access a key"), refusal("NOPERM no"),
                      refusal("NOPERM no"), text("none"), text("hash"), refusal("NOPERM no")});
  CHECK(loop.run(find_existing(redis, {"a", "b", "c", "d", "e", "f"})) ==
        std::vector{exists, absent, absent, absent, exists, exists});
  CHECK(redis.asked == Keys{"EXISTS a", "EXISTS b", "EXISTS c", "EXISTS d", "EXISTS e", "EXISTS f",
                            "TYPE c", "TYPE e", "TYPE f"});
  CHECK(loop.run(find_existing(redis, {"g"})) == std::vector{unknown});
}

TEST_CASE("each key is removed by a command of its own, whose answer says what became of it") {
  Loop loop;
  WrittenRedis redis(loop, {integer(1), text("stream"), integer(0), text("changed")});
  const auto removed = loop.run(remove_keys(redis, {"a", "b", "c", "d", "e"}));
  CHECK(shown(removed) ==
        "a:removed b:other(no limiter uses a stream) c:absent "
        "d:refused(it has changed since it was shown) e:unknown(connection reset) ");
  CHECK(redis.asked.size() == 5);
}

TEST_CASE("a script that may not be asked for by its name is sent as text") {
  Loop loop;
  WrittenRedis redis(loop, {refusal("NOSCRIPT none"), refusal("NOPERM no"), integer(1), integer(1),
                            refusal("NOPERM no")});
  CHECK(shown(loop.run(remove_keys(redis, {"a", "b", "c"}))) ==
        "a:removed b:refused(NOPERM no) c:removed ");
  CHECK(redis.asked.size() == 5);
  CHECK(redis.asked[0].starts_with("EVALSHA "));
  CHECK(redis.asked[3].starts_with("EVAL "));
}

TEST_CASE("the number of keys may be refused") {
  Loop loop;
  WrittenRedis redis(loop, {integer(42), refusal("NOPERM no")});
  CHECK(loop.run(count_keys(redis)) == 42);
  CHECK(loop.run(count_keys(redis)) == std::nullopt);
}
