// How long a server is busy with a batch, by the replies to the two TIME around it.
#include "io/redis/metered_redis.h"

#include <doctest/doctest.h>

#include <string>

#include "io/redis/command.h"
#include "unit/io/written_redis.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

Reply time(std::int64_t us) {
  return array({text(std::to_string(us / 1'000'000)), text(std::to_string(us % 1'000'000))});
}

Task<> ping(Redis& redis) { co_await redis.send(encode_command("PING")); }

// Runs PING, and until the answer to the TIME behind it has come, too.
void play(Loop& loop, Redis& redis) {
  loop.run(ping(redis));
  loop.run(loop.join());
}

// Two servers; the second runs all commands.
class TwoServers final : public Redis {
 public:
  TwoServers(Loop& loop, std::deque<Reply> idle, std::deque<Reply> busy)
      : idle_(loop, std::move(idle)), busy_(loop, std::move(busy)) {}
  void start(Exchange& exchange, std::string_view wire) override { busy_.start(exchange, wire); }
  std::vector<RedisServer> servers() override { return {{"a", &idle_}, {"b", &busy_}}; }

 private:
  WrittenRedis idle_, busy_;
};

constexpr std::int64_t kSystemCallsUs = 25;

}  // namespace

TEST_CASE("a batch costs what passes on the server's clock, and some system calls") {
  Loop loop;
  WrittenRedis redis(loop, {time(7'999'900), text("PONG"), time(8'000'400)});
  MeteredRedis metered(loop, redis);
  play(loop, metered);
  CHECK(redis.asked == std::vector<std::string>{"TIME", "PING", "TIME"});
  CHECK(metered.take_busy_us() == 500 + kSystemCallsUs);
  CHECK(metered.take_busy_us() == 0);
}

TEST_CASE("where TIME is refused, a batch costs its round trip") {
  Loop loop;
  WrittenRedis redis(loop, {test::refusal("NOPERM"), text("PONG"), test::refusal("NOPERM")});
  MeteredRedis metered(loop, redis);
  play(loop, metered);
  CHECK(metered.take_busy_us() == 1);  // sent at 1, received at 2
}

TEST_CASE("of several servers the busiest counts") {
  Loop loop;
  TwoServers redis(loop, {time(100), time(130)}, {time(5'000), text("PONG"), time(5'900)});
  MeteredRedis metered(loop, redis);
  play(loop, metered);
  CHECK(metered.take_busy_us() == 900 + kSystemCallsUs);
}
