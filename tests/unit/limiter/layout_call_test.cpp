#include "limiter/shipped/layout_call.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "limiter/manifest.h"
#include "tools/contains.h"

using namespace rlctl;
using test::contains;

namespace {

constexpr auto kTwoAndFour = "return {ARGV[1] + ARGV[2] + ARGV[4], KEYS[1], KEYS[2]}";

Manifest manifest_as(const std::string& lines, const std::string& script) {
  return parse_manifest({"theirs.lua", script}, {}, {"--manifest", lines});
}

std::string complaint_of_call(const std::string& lines, const std::string& script) {
  try {
    manifest_as(lines, script);
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    return error.what() + ("; " + error.hint());
  }
  return {};
}

}  // namespace

TEST_CASE("a layout says how its library calls its script") {
  const Manifest manifest = manifest_as("as = spring-cloud-gateway", kTwoAndFour);
  CHECK(manifest.keys == std::vector<std::string>{"request_rate_limiter.{<key>}.tokens",
                                                  "request_rate_limiter.{<key>}.timestamp"});
  REQUIRE(manifest.args.size() == 4);
  CHECK(manifest.args[0].kind == ArgumentKind::rate_per_s);
  CHECK(manifest.args[2].literal == "");
  CHECK(manifest.contract == "bucket capacity + limit/window by steps of 1s");
  CHECK(manifest.promises({20, 2'000'000, 5}).size() == 1);
  CHECK(manifest.promises({1, 2'000'000, 5}).empty());  // half a token a second
  CHECK(manifest.reports(ReplyField::remaining));
}

TEST_CASE("of several versions of a script, the one with its keys and arguments is meant") {
  const auto count = [](const std::string& script) {
    return manifest_as("as = upstash-fixed-window", script).args.size();
  };
  CHECK(count("return redis.call('INCRBY', KEYS[1], ARGV[2]) + ARGV[1]") == 2);
  CHECK(count("return {KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[3]}") == 3);
}

TEST_CASE("an approximate limiter promises nothing") {
  const Manifest manifest =
      manifest_as("as = upstash-sliding-window",
                  "return {KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[3], ARGV[4]}");
  CHECK(manifest.contract == "");
}

TEST_CASE("the user's own lines replace those of the library") {
  const Manifest manifest = manifest_as(
      "as = redis-rate\nkeys = my:<key>\nargs = limit\nreply = allowed", "return ARGV[1], KEYS[1]");
  CHECK(manifest.keys == std::vector<std::string>{"my:<key>"});
  CHECK(manifest.args.size() == 1);
  CHECK(manifest.contract == "bucket capacity + limit/window");
}

TEST_CASE("a script that is not the library's, and a library that is not known, are told") {
  CHECK(contains(complaint_of_call("as = redis-rate", kTwoAndFour),
                 "as: the script reads 2 keys and 4 arguments, and redis-rate gives 1 key and 4"));
  CHECK(contains(complaint_of_call("as = rate-limit-redis", "return redis.call('GET', KEYS[1])"),
                 "the script reads 1 key and 0 arguments"));
  CHECK(contains(complaint_of_call("as = redis-rat", kTwoAndFour), "did you mean 'redis-rate'?"));
  CHECK(contains(complaint_of_call("as = bucket4j", kTwoAndFour),
                 "not known how 'bucket4j' calls its script"));
  CHECK(contains(complaint_of_call("command = INCR <key>\nas = kong\nreply = allowed", ""),
                 "a command has no as"));
}

TEST_CASE("a library's set-up and finish are commands") {
  const Manifest redisson =
      manifest_as("as = redisson", "return {KEYS[5], ARGV[1], ARGV[2], ARGV[3]}");
  CHECK(redisson.setup == "HSET <key> rate <limit> interval <window_ms> keepAliveTime 0 type 0");
  CHECK(redisson.keys[1] == "<tagged_key>:value");
  const Manifest held = manifest_as("as = aspnet-redis-concurrency", "return {KEYS[3], ARGV[5]}");
  CHECK(held.finish == "ZREM rl:cc:{<key>} <uuid>");
  CHECK(held.promises({5, 1'000'000, 5}).size() == 1);
}

TEST_CASE("each library's call is lines of one manifest, however many names its keys have") {
  REQUIRE(layouts_with_call().size() > 10);
  for (const std::string& name : layouts_with_call()) {
    CAPTURE(name);
    std::vector<std::string> lines;
    for (const std::string& line : split(layout_call(name, {}, true), '\n'))
      lines.push_back(line.substr(0, line.find('=')));
    std::ranges::sort(lines);
    CHECK(std::ranges::adjacent_find(lines) == lines.end());
  }
}
