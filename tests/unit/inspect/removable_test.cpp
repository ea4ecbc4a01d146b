// What reset may remove, as far as the content of a key tells; the Redis's replies are written
// down.
#include "inspect/removable.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "limiter/registry.h"
#include "unit/io/written_redis.h"

using namespace rlctl;
using namespace rlctl::test;

TEST_CASE("each key is looked at once, and what may not be removed is named with the reason") {
  Loop loop;
  const Reply refused = refusal("NOPERM no");
  const std::vector<Reply> types{text("none"), integer(-2), text("set"),    integer(-1),
                                 refused,      refused,     text("string"), integer(5000),
                                 text("hash"), integer(-1)};
  const std::vector<Reply> contents{text("7"), refused, array({text("1"), text("0")})};
  std::deque<Reply> replies(types.begin(), types.end());
  replies.insert(replies.end(), contents.begin(), contents.end());
  WrittenRedis redis(loop, replies);
  KeyReader reader(Registry(), {});
  const auto keys =
      loop.run(examine(redis, reader, {"gone", "tags", "hidden", "n", "half"}, {.searched = true}));
  REQUIRE(keys.size() == 4);
  CHECK(keys[0].key.what == Removal::of_other_type);
  CHECK(keys[0].key.words == "no limiter uses a set");
  CHECK(keys[1].key.what == Removal::refused);
  CHECK(keys[1].seen.empty());
  CHECK(keys[2].key.what == Removal::removed);
  CHECK(keys[2].seen == std::vector<std::string>{"string", "7"});
  CHECK(keys[3].key.what == Removal::refused);
  CHECK(keys[3].key.words == "NOPERM no");
  CHECK(redis.asked.size() == types.size() + contents.size());
}
