// Keys removed from a real Redis, as they were seen before.
#include <doctest/doctest.h>

#include <cstdlib>

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

TEST_CASE("the text of the removal goes to a server that lacks it, and then its name is enough") {
  PrivateRedis redis;
  Connection connection(redis.loop());
  redis.loop().run(connection.connect(redis.unix_endpoint()));
  const auto is_removed = [&](const std::string& key) {
    redis.command({"SET", key, "6"});
    return redis.loop().run(remove_keys(connection, {key})).front().what == Removal::removed;
  };
  const auto texts = [&] {
    const std::string stats = redis.command({"INFO", "commandstats"}).text;
    const auto at = stats.find("cmdstat_eval:calls=");
    return at == stats.npos ? 0 : std::atoi(stats.c_str() + at + 19);
  };
  CHECK(is_removed("a"));
  CHECK(texts() == 1);
  CHECK(is_removed("b"));
  CHECK(texts() == 1);
  redis.command({"SCRIPT", "FLUSH"});
  CHECK(is_removed("c"));
  CHECK(texts() == 2);
  redis.command({"ACL", "SETUSER", "default", "-evalsha"});
  CHECK(is_removed("d"));
}
