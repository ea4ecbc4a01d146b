// What INFO says about the server, in the forms of several versions.
#include "io/redis/server_info.h"

#include <doctest/doctest.h>

#include "unit/io/written_redis.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

std::string version(Reply reply) {
  Loop loop;
  WrittenRedis redis(loop, {std::move(reply)});
  return loop.run(server_version(redis));
}

std::optional<std::int64_t> cpu_us(Reply reply) {
  Loop loop;
  WrittenRedis redis(loop, {std::move(reply)});
  return loop.run(server_cpu_us(redis));
}

}  // namespace

TEST_CASE("a field of INFO is found as a whole line, with its value up to the line's end") {
  const std::string info =
      "# Server\r\nredis_version:7.0.15\r\nos:Linux 6.1\r\nempty:\r\nlast:1\r\n";
  CHECK(info_field(info, "redis_version") == "7.0.15");
  CHECK(info_field(info, "os") == "Linux 6.1");
  CHECK(info_field(info, "empty") == "");
  CHECK(info_field(info, "version") == "");
  CHECK(info_field(info, "last") == "1");
  CHECK(info_field("", "os") == "");
}

TEST_CASE("the server's name and version, or nothing") {
  CHECK(version(text("# Server\r\nredis_version:7.0.15\r\n")) == "redis 7.0.15");
  CHECK(version(text("# Server\r\nredis_version:7.2.4\r\nvalkey_version:8.0.1\r\n")) ==
        "valkey 8.0.1");
  CHECK(version(refusal("NOPERM no")) == "");
  CHECK(version(text("")) == "");
  CHECK(version(text("\r\nredis_version:\x1b[2J\r\n")).find('\x1b') == std::string::npos);
}

TEST_CASE("CPU time is that of the thread that runs commands, if the server reports it") {
  CHECK(
      cpu_us(text("# CPU\r\nused_cpu_sys:5.0\r\nused_cpu_user:6.0\r\n"
                  "used_cpu_sys_main_thread:1.500000\r\nused_cpu_user_main_thread:0.250000\r\n")) ==
      1'750'000);
  CHECK(cpu_us(text("# CPU\r\nused_cpu_sys:5.0\r\nused_cpu_user:6.0\r\n")) == 11'000'000);
  CHECK(cpu_us(refusal("NOPERM no")) == std::nullopt);
  Loop loop;
  WrittenRedis gone(loop, {});
  CHECK(loop.run(server_cpu_us(gone)) == std::nullopt);
}
