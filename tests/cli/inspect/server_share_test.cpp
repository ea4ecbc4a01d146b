// --load: a search of many keys takes its share of Redis's time, says so once, and can be ended.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/support/test_redis.h"
#include "cli/support/tmux.h"

namespace {

constexpr int kPageKeys = 250;
// What is allowed at once is 6 ms of Redis's time, and the system calls of so many pages alone are
// taken to cost that. After it a page comes every ten seconds.
constexpr int kMany = 60'000;
const char* const kTiny = "0.01%";
const std::string kNote = "now takes at most 0.01 % of Redis's time";

void fill(TestRedis& redis, int from, int to) {
  redis.command({"EVAL",
                 "for i = ARGV[1], ARGV[2] do redis.call('SET', 'rl:10.0.' .. i, i % 20, 'EX', "
                 "'9000') end",
                 "0", std::to_string(from), std::to_string(to)});
}

// Runs a verb whose messages go to a file, and ends it by a signal when it has said that it waits,
// or after a minute.
Outcome ended_while_it_waits(const TestRedis& redis, const std::string& verb) {
  return run_program("sh", {"-c", R"sh(
    said=$(mktemp)
    set -f
    "$0" $1 --load "$2" --redis "$3" 2>"$said" &
    for i in $(seq 600); do grep -q 'at most' "$said" && break; sleep 0.1; done
    sleep 0.3
    kill -TERM $!
    wait $!
    status=$?
    cat "$said" >&2
    rm "$said"
    exit $status)sh",
                            RLCTL_BINARY, verb, kTiny, redis.url()});
}

long peak_of_list_kib(const TestRedis& redis) {
  const Outcome outcome =
      run_rlctl({"list", "--load", "100%", "--redis", redis.url()}, "",
                {"ASAN_OPTIONS=quarantine_size_mb=1"});  // freed memory must not stay
  CHECK(outcome.exit == 0);
  return outcome.peak_kib;
}

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++times;
  return times;
}

}  // namespace

TEST_CASE("a verb that has taken its share at once waits, says so once, and ends at a signal") {
  TestRedis redis;
  fill(redis, 1, kMany);
  std::string verb;
  SUBCASE("") { verb = "list"; }
  SUBCASE("") { verb = "inspect 192.0.2.1"; }
  SUBCASE("") { verb = "inspect rl:*2.3.4*"; }
  SUBCASE("") { verb = "reset rl:* --dry-run"; }
  SUBCASE("") { verb = "watch --once"; }
  SUBCASE("") { verb = "doctor"; }
  CAPTURE(verb);
  const Outcome outcome = ended_while_it_waits(redis, verb);
  CHECK(outcome.exit != 0);
  CHECK(times_in(outcome.err, kNote) == 1);
  CHECK(contains(outcome.err, "; with --load 100% it takes about "));
  CHECK(contains(outcome.err, "interrupted"));
  CHECK(redis.calls("scan") < kMany / kPageKeys);
}

TEST_CASE("on a terminal the note stays, and the line shows the share and the time left") {
  TestRedis redis;
  fill(redis, 1, kMany);
  Tmux tmux(150, 24);
  tmux.start("trap : INT; '" RLCTL_BINARY "' list --most 1 --load 0.01% --redis " + redis.url() +
             "; echo over");
  CHECK(tmux.shows(kNote + ", about "));
  CHECK(tmux.shows("scanning at 0.01 % of Redis's time: "));
  tmux.type({"C-c"});
  REQUIRE(tmux.shows("over"));
  CHECK(contains(tmux.screen(), kNote));
  CHECK(!contains(tmux.screen(), "scanning at"));
}

TEST_CASE("removing waits too: Ctrl-C then leaves the keys, and says so") {
  TestRedis redis;
  fill(redis, 1, 500);
  std::string verb = "reset";
  for (int i = 1; i <= 500; ++i) verb += " rl:10.0." + std::to_string(i);
  const Outcome outcome = ended_while_it_waits(redis, verb);  // 500 looks take 6 ms by far
  CHECK(outcome.exit == 130);
  CHECK(contains(outcome.err, "removing " + kNote));
  CHECK(contains(outcome.err, "interrupted: 0 of 500 keys removed"));
  CHECK(redis.number({"DBSIZE"}) == 500);
}

TEST_CASE("--quiet says nothing about the wait") {
  TestRedis redis;
  fill(redis, 1, kMany);
  int asked = 0;
  const auto a_second_later = [&] { return redis.calls("scan") > 0 && ++asked > 100; };
  const Outcome outcome =
      redis.rlctl_interrupted({"list", "--load", kTiny, "--quiet"}, a_second_later);
  CHECK(outcome.exit == 130);
  CHECK(!contains(outcome.err, "at most"));
}

TEST_CASE("--load 100% and short work never wait") {
  TestRedis redis;
  fill(redis, 1, 2'000);
  for (const char* load : {"100%", "100", "5%"}) {
    CAPTURE(load);
    const Outcome outcome = redis.rlctl({"list", "--load", load, "--json"});
    CHECK(outcome.exit == 0);
    CHECK(!contains(outcome.err, "Redis's time"));
    CHECK(nlohmann::json::parse(outcome.out)["total"] == 2'000);
  }
}

TEST_CASE("--load must be a share") {
  TestRedis redis;
  for (const char* load : {"0", "-1%", "101%", "fast", "0.001%"}) {
    CAPTURE(load);
    for (const Arguments& verb :
         {Arguments{"list"}, Arguments{"inspect", "rl:1"}, Arguments{"reset", "rl:1"},
          Arguments{"watch", "--once"}, Arguments{"doctor"}}) {
      Arguments arguments = verb;
      arguments.insert(arguments.end(), {"--load", load});
      const Outcome outcome = redis.rlctl(arguments);
      CHECK(outcome.exit == 2);
      CHECK(contains(outcome.err, "--load"));
    }
  }
}

TEST_CASE("--load beyond either end of its range names the range") {
  for (const char* load : {"0%", "0", "0.001%", "101%", "200"}) {
    CAPTURE(load);
    CHECK(contains(run_rlctl({"list", "--load", load}).err, "is not from 0.01% to 100%"));
  }
}

TEST_CASE("a list of many keys keeps a few bytes of each") {
  TestRedis redis;
  fill(redis, 1, 20'000);
  const long few = peak_of_list_kib(redis);
  fill(redis, 20'001, 120'000);
  const long many = peak_of_list_kib(redis);
  CAPTURE(few);
  CAPTURE(many);
  CHECK(many - few < 100'000 * 64 / 1024);
}
