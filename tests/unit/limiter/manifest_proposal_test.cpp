#include "limiter/manifest_proposal.h"

#include <doctest/doctest.h>

#include "limiter/registry.h"
#include "tools/contains.h"

using namespace rlctl;
using test::contains;

namespace {

// As most of us write it first.
constexpr const char* kFirst = R"(-- ARGV[9] in a comment is nothing
local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
if n > tonumber(ARGV[1]) then return 0 end
return 1
)";

std::string missing(const std::string& script, const std::string& manifest) {
  return missing_in_manifest(script, parse_companion_manifest({"x.lua", manifest}));
}

}  // namespace

TEST_CASE("a manifest is proposed from the commands that use an argument") {
  CHECK(proposed_manifest(kFirst) ==
        "\n  -- rlctl: keys  = <key>\n  -- rlctl: args  = limit, window_s\n"
        "  -- rlctl: reply = allowed");
}

TEST_CASE("a manifest is proposed from the names of variables") {
  const std::string text = proposed_manifest(
      "local key, block = KEYS[1], KEYS[2]\n"
      "local now_ms, window_ms, max_requests = ARGV[1], ARGV[2] * 1, tonumber(ARGV[3])\n"
      "local what = ARGV[5]\nreturn {1, 2}\n");
  CHECK(contains(text, "keys  = <key>, <key>:2\n"));
  CHECK(contains(text, "args  = now_ms, window_ms, limit, '?', '?'\n"));
  CHECK(contains(text, "reply = allowed, remaining"));
  CHECK(contains(proposed_manifest("local count = 1\nreturn count\n"),
                 "reply = allowed = reply <= limit, count = reply"));
}

TEST_CASE("arguments that the manifest does not give are missing") {
  CHECK(missing(kFirst, "") == "the script reads ARGV[2], but the manifest gives no args");
  CHECK(missing(kFirst, "-- rlctl: args = limit") ==
        "the script reads ARGV[2], but the manifest gives only 1 arg");
  CHECK(missing(kFirst, "-- rlctl: args = limit, window_s").empty());
  CHECK(missing("return KEYS[2]", "") ==
        "the script reads KEYS[2], but the manifest gives only 1 key");
}

TEST_CASE("arguments that a script can do without are not missing") {
  for (const char* script :
       {"local c = tonumber(ARGV[1]) or 1", "if ARGV[1] then return 1 end",
        "if ARGV[1] ~= nil then return ARGV[1] end",
        "for i = 1, #ARGV do f(ARGV[i]) end return ARGV[1]", "f(unpack(ARGV))",
        "--[[ ARGV[1] ]] return 1", "local c = ARGV[1]\nif not c then c = 1 end return c"}) {
    CAPTURE(script);
    CHECK(missing(script, "") == "");
  }
}

TEST_CASE("a key that a script can do without is not missing, one that it uses at once is") {
  for (const char* script :
       {"if KEYS[2] then redis.call('SET', KEYS[2], 1) end",
        "if (KEYS[2]) and\n redis.call('GET', KEYS[2]) then return 0 end",
        "if #KEYS > 1 then redis.call('SET', KEYS[2], 1) end",
        "local flag = KEYS[2]\nif flag and redis.call('EXISTS', flag) == 1 then return 0 end",
        "local key, flag = KEYS[1], KEYS[2]\nif flag ~= nil then redis.call('SET', flag, 1) end",
        "local function f() redis.call('SET', KEYS[2], 1) end\nif KEYS[2] then f() end",
        "for _, key in ipairs(KEYS) do redis.call('INCR', key) end return KEYS[2]"}) {
    CAPTURE(script);
    CHECK(missing(script, "") == "");
  }
  for (const char* script :
       {"redis.call('SET', KEYS[2], 1)", "local flag = KEYS[2]\nreturn redis.call('GET', flag)",
        "local n = f(KEYS[2])\nif n then return 0 end",
        "local flag = KEYS[2]\nif redis.call('EXISTS', flag) == 1 then return 0 end",
        "local MYKEYS = 1 redis.call('INCR', KEYS[2])",
        "local flag = KEYS[2]\nlocal no_flag = 1 if no_flag then return flag end"}) {
    CAPTURE(script);
    CHECK(missing(script, "") == "the script reads KEYS[2], but the manifest gives only 1 key");
  }
}
