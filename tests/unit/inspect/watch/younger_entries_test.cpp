// Counting the young entries of long logs, with a Redis that holds them.
#include "inspect/watch/younger_entries.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "unit/io/written_redis.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

constexpr std::int64_t kNowUs = 1'763'683'982'000'000;

// A list of times, oldest first; answers LINDEX.
class ListRedis final : public Redis {
 public:
  ListRedis(Loop& loop, std::vector<std::int64_t> times) : loop_(loop), times_(std::move(times)) {}

  void start(Exchange& exchange, std::string_view wire) override {
    const std::string words = words_of(wire);
    CHECK(words.starts_with("LINDEX log "));
    auto index = static_cast<std::ptrdiff_t>(std::stoll(words.substr(11)));
    const auto length = static_cast<std::ptrdiff_t>(times_.size());
    // With the newest first, -1 is the oldest.
    if (index < 0) index = -1 - index;
    ++asked;
    Reply reply;
    if (index < length) reply = text(std::to_string(times_[static_cast<std::size_t>(index)]));
    loop_.spawn(answer(loop_, exchange, reply));
  }

  int asked = 0;

 private:
  static Task<> answer(Loop& loop, Exchange& exchange, Reply reply) {
    NextPass pass(loop);
    co_await pass;
    exchange.state = Exchange::State::replied;
    exchange.reply = std::move(reply);
    loop.resume(exchange.waiter);
  }

  Loop& loop_;
  std::vector<std::int64_t> times_;
};

KeyState long_list(std::size_t length, bool newest_first = false) {
  KeyState state;
  state.key = "log";
  state.type_name = "list";
  state.type = StateType::list;
  state.length = static_cast<std::int64_t>(length);
  state.newest_first = newest_first;
  state.time_unit = "µs";
  return state;
}

LiveEntries counted(Redis& redis, Loop& loop, const KeyState& state, std::int64_t horizon_us) {
  const std::vector<LiveEntries> found = loop.run(count_younger(redis, {{&state, horizon_us}}));
  REQUIRE(found.size() == 1);
  return found[0];
}

}  // namespace

TEST_CASE("a long list is counted by bisection, at any horizon and from either end") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    std::vector<std::int64_t> times(1 + random.below(300));
    for (std::int64_t& time : times) time = kNowUs + static_cast<std::int64_t>(random.below(500));
    std::ranges::sort(times);
    const std::int64_t horizon_us = kNowUs + static_cast<std::int64_t>(random.below(520)) - 10;
    const auto young = std::ranges::upper_bound(times, horizon_us);
    Loop loop;
    ListRedis redis(loop, times);
    const LiveEntries live =
        counted(redis, loop, long_list(times.size(), seed % 2 == 0), horizon_us);
    CHECK(live.count == times.end() - young);
    CHECK(live.oldest_us == (young == times.end() ? std::nullopt : std::optional(*young)));
    CHECK(redis.asked <= 9);  // log2 of 300
  }
}

TEST_CASE("a list whose entries are all known needs no command") {
  KeyState state = long_list(2);
  state.entries.resize(2);
  state.entries[0].at_us = kNowUs;
  state.entries[1].at_us = kNowUs + 5;
  Loop loop;
  WrittenRedis redis(loop, {});
  const LiveEntries live = counted(redis, loop, state, kNowUs);
  CHECK(live.count == 1);
  CHECK(live.oldest_us == kNowUs + 5);
  CHECK(redis.asked.empty());
}

TEST_CASE("a sorted set needs two commands, and one that may not be read counts 0") {
  KeyState state = long_list(1'000);
  state.type_name = "zset";
  state.type = StateType::zset;
  Loop loop;
  WrittenRedis redis(loop, {integer(7), array({text("member"), text(std::to_string(kNowUs + 3))})});
  const LiveEntries live = counted(redis, loop, state, kNowUs);
  CHECK(live.count == 7);
  CHECK(live.oldest_us == kNowUs + 3);
  REQUIRE(redis.asked.size() == 2);
  CHECK(redis.asked[0].starts_with("ZCOUNT log ("));
  CHECK(redis.asked[1].starts_with("ZRANGEBYSCORE log ("));
  WrittenRedis closed(loop, {refusal("NOPERM no"), refusal("NOPERM no")});
  CHECK(counted(closed, loop, state, kNowUs).count == 0);
  WrittenRedis gone(loop, {});
  CHECK_THROWS_AS(loop.run(count_younger(gone, {{&state, kNowUs}})), Error);
}
