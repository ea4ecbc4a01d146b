#include "inspect/key_state.h"

#include <doctest/doctest.h>

#include "unit/io/written_redis.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

// What was asked, and whether idle times are left alone.
std::pair<std::vector<std::string>, bool> asked_of(Reply info) {
  Loop loop;
  WrittenRedis redis(loop, {std::move(info), text("OK", Reply::Type::status)});
  const bool undisturbed = loop.run(leave_idle_times_alone(redis));
  return {redis.asked, undisturbed};
}

}  // namespace

TEST_CASE("a node of a cluster is never sent NO-TOUCH, which ends it while a slot moves") {
  using Asked = std::pair<std::vector<std::string>, bool>;
  const Asked all{{"INFO server", "CLIENT NO-TOUCH ON"}, true}, no{{"INFO server"}, false};
  CHECK(asked_of(text("# Server\r\nredis_mode:standalone\r\nos:x\r\n")) == all);
  CHECK(asked_of(text("# Server\r\nserver_mode:standalone\r\nos:x\r\n")) == all);
  CHECK(asked_of(text("# Server\r\nredis_mode:cluster\r\n")) == no);
  CHECK(asked_of(text("# Server\r\nserver_mode:cluster\r\n")) == no);
  CHECK(asked_of(refusal("NOPERM no")) == no);
}
