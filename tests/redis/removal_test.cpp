// Keys removed from a real Redis, as they were seen before.
#include <doctest/doctest.h>

#include "io/redis/keyspace.h"
#include "redis/private_redis.h"

using namespace rlctl;
using namespace rlctl::test;

TEST_CASE("a key that was replaced since it was seen is not removed") {
  PrivateRedis redis;
  Connection connection(redis.loop());
  redis.loop().run(connection.connect(redis.unix_endpoint()));
  redis.command({"SET", "counter", "6"});
  redis.command({"SET", "text", "the same"});
  redis.command({"HSET", "bucket", "tokens", "2"});
  redis.command({"RPUSH", "log", "1"});
  redis.command({"SET", "was number", "{}"});
  redis.command({"SET", "was text", "another"});
  redis.command({"SET", "was log", "5"});
  redis.command({"HSET", "was bucket", "name", "x"});
  redis.command({"SADD", "set", "x"});
  const SeenKeys seen{{"counter", {"string", "5"}},    {"text", {"string", "the same"}},
                      {"bucket", {"hash", "tokens"}},  {"log", {"list"}},
                      {"was number", {"string", "5"}}, {"was text", {"string", "one"}},
                      {"was log", {"list"}},           {"was bucket", {"hash", "tokens"}},
                      {"gone", {"string", "1"}}};
  std::vector<std::string> keys{"set"};
  for (const auto& [key, content] : seen) keys.push_back(key);
  std::string left;
  for (const RemovedKey& key : redis.loop().run(remove_keys(connection, keys, seen)))
    if (key.what != Removal::removed) left += key.key + ": " + key.words + "; ";
  CHECK(left ==
        "set: no limiter uses a set; gone: ; was bucket: it has changed since it was shown; "
        "was log: it has changed since it was shown; was number: it has changed since it was "
        "shown; was text: it has changed since it was shown; ");
  CHECK(redis.command({"DBSIZE"}).integer == 5);
}
