#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/support/test_redis.h"
#include "cli/support/tmux.h"
#include "io/clock.h"

using nlohmann::json;

namespace {

void fill(TestRedis& redis, const std::string& prefix, int keys) {
  for (int i = 0; i < keys; ++i)
    redis.command({"SET", prefix + std::to_string(i), "1", "PX", "600000"});
}

}  // namespace

TEST_CASE("a pattern without a letter or a digit is refused before anything is sent") {
  TestRedis redis;
  fill(redis, "rl:", 3);
  CHECK(redis.rlctl({"reset", "rl:0", "*", "--yes", "--confirm", "3"}).exit == 2);
  CHECK(redis.calls("unlink") == 0);
  CHECK(redis.calls("scan") == 0);
  CHECK(redis.number({"DBSIZE"}) == 3);
}

TEST_CASE("more than 1,000 keys are removed only if their exact number is given") {
  TestRedis redis;
  fill(redis, "rl:", 1001);
  CHECK(redis.rlctl({"reset", "rl:*", "--yes"}).exit == 2);
  CHECK(redis.number({"DBSIZE"}) == 1001);
  CHECK(redis.rlctl({"reset", "rl:*", "--confirm", "1001"}).exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("on a terminal a pattern needs confirmation, and only `yes` confirms") {
  TestRedis redis;
  fill(redis, "rl:", 2);
  const Outcome no = redis.rlctl_on_terminal({"reset", "rl:*"}, "n\n");
  CHECK(no.exit == 2);
  CHECK(contains(no.out, "remove 2 keys? [y/N]"));
  CHECK(redis.number({"DBSIZE"}) == 2);
  CHECK(redis.rlctl_on_terminal({"reset", "rl:*"}, "y\n").exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("Ctrl-C at the question removes nothing, and says so") {
  TestRedis redis;
  fill(redis, "rl:", 2);
  Tmux tmux;
  tmux.start("trap : INT; '" RLCTL_BINARY "' reset 'rl:*' --redis " + redis.url() + "; echo ended");
  REQUIRE(tmux.shows("[y/N]"));
  tmux.type({"C-c"});
  CHECK(tmux.shows("rlctl: nothing was removed"));
  CHECK(redis.number({"DBSIZE"}) == 2);
}

TEST_CASE("reset tells how many keys were removed if the list of them can't be written") {
  TestRedis redis;
  fill(redis, "rl:", 2);
  const Outcome outcome = run_program(
      "sh", {"-c", "'" RLCTL_BINARY "' reset 'rl:*' --yes --redis " + redis.url() + " >/dev/full"});
  CHECK(outcome.exit == 5);
  CHECK(contains(outcome.err, "2 keys were removed; not all are listed on standard output"));
}

TEST_CASE("reset frees a client: shows what it found, asks once, and leaves other data alone") {
  TestRedis redis;
  for (const char* key : {"rl:api:203.0.113.7", "request_rate_limiter.{203.0.113.7}.tokens",
                          "rl:api:203.0.113.7:blocked", "rl:203.0.113.70"})
    redis.command({"SET", key, "7", "PX", "600000"});
  redis.command({"SET", "session:203.0.113.7", "{}"});
  const Outcome piped = redis.rlctl({"reset", "203.0.113.7"});
  CHECK(piped.exit == 2);
  CHECK(contains(piped.err, "3 keys match; nothing was removed; add --yes"));
  CHECK(redis.number({"DBSIZE"}) == 5);
  const Outcome asked = redis.rlctl_on_terminal({"reset", "203.0.113.7"}, "y\n");
  CHECK(asked.exit == 0);
  CHECK(contains(asked.out, "rl:api:203.0.113.7                         number 7, expires in"));
  CHECK(contains(asked.out, "remove 3 keys? [y/N]"));
  CHECK(redis.number({"EXISTS", "session:203.0.113.7", "rl:203.0.113.70"}) == 2);
  CHECK(redis.number({"DBSIZE"}) == 2);
}

TEST_CASE("a pattern with a letter or a digit anywhere may be reset") {
  TestRedis redis;
  redis.command({"SET", "rl:203.0.113.7", "1", "EX", "36020"});
  const Outcome outcome = redis.rlctl({"reset", "*203.0.113.7*", "--dry-run"});
  CHECK(outcome.exit == 0);
  CHECK(contains(outcome.out, "rl:203.0.113.7: would be removed: number 1, expires in 10 h\n"));
}

TEST_CASE("reset leaves what is no limiter's data, however it was named, but for --any-data") {
  TestRedis redis;
  redis.command({"SET", "rl:203.0.113.7", "1", "PX", "600000"});
  redis.command({"SET", "session:203.0.113.7", "{\"user\":7}"});
  redis.command({"HSET", "user:203.0.113.7", "name", "ann"});
  redis.command({"RPUSH", "queue:203.0.113.7", "mail"});
  for (const Arguments& arguments : std::vector<Arguments>{{"reset", "*203.0.113.7*", "--yes"},
                                                           {"reset", "203.0.113.7", "--yes"},
                                                           {"reset", "*:203.0.113.7", "--yes"},
                                                           {"reset", "session:*", "--yes"},
                                                           {"reset", "session:203.0.113.7"}}) {
    const Outcome outcome = redis.rlctl(arguments);
    CAPTURE(arguments.at(1));
    CHECK(outcome.exit == (outcome.out.empty() ? 4 : 0));
    CHECK(redis.number(
              {"EXISTS", "session:203.0.113.7", "user:203.0.113.7", "queue:203.0.113.7"}) == 3);
    CHECK(contains(outcome.err,
                   "'session:203.0.113.7' not removed: no limiter's data, but a string"));
    CHECK(contains(outcome.err, "--any-data removes such keys, too\n"));
  }
  CHECK(redis.number({"EXISTS", "rl:203.0.113.7"}) == 0);
  CHECK(redis.rlctl({"reset", "session:203.0.113.7", "--any-data"}).exit == 0);
  CHECK(redis.rlctl({"reset", "*203.0.113.7", "--any-data", "--yes"}).exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("of what is no limiter's data only the type and the size are shown, never the content") {
  TestRedis redis;
  redis.command({"HSET", "sess:8812", "csrf", "abc", "password", "hunter2"});
  redis.command({"SET", "token:8812", "hunter2"});
  redis.command({"RPUSH", "mail:8812", "hunter2"});
  redis.command({"ZADD", "rank:8812", "1", "hunter2"});
  redis.command({"SET", "api:8812:blocked", "hunter2 is a long text, and no flag"});
  std::string shown;
  for (const Arguments& arguments :
       std::vector<Arguments>{{"reset", "8812", "--yes"},
                              {"reset", "sess:8812", "--json"},
                              {"reset", "*8812", "--dry-run"},
                              {"reset", "*8812", "--any-data"},
                              {"inspect", "8812"},
                              {"inspect", "sess:8812"},
                              {"inspect", "token:8812"},
                              {"inspect", "mail:8812"},
                              {"inspect", "rank:8812"},
                              {"inspect", "api:8812"},
                              {"inspect", "*8812", "--json"},
                              {"hit", "token:8812", "--policy", "5/1m"},
                              {"unblock", "api:8812"}}) {
    const Outcome outcome = redis.rlctl(arguments);
    INFO(arguments[0] << ' ' << arguments[1]);
    CHECK_FALSE(contains(outcome.out + outcome.err, "hunter2"));
    shown += outcome.out + outcome.err;
  }
  for (const char* what :
       {"no limiter's data, but a hash of 2 fields, never expires",
        "no limiter's data, but a string of 7 bytes, never expires", "    hash of 2 fields\n",
        "    string of 7 bytes\n", "    list of 1 entry\n", "    sorted set of 1 entry\n"})
    CHECK(contains(shown, what));
  CHECK(redis.number({"DBSIZE"}) == 5);
}

TEST_CASE(
    "reset: what may be anything goes only if a person has seen it, or the user has named it") {
  TestRedis redis;
  const auto fill_anew = [&] {
    redis.command({"SET", "rl:10.0.0.1", "5", "EX", "36020"});
    redis.command({"SET", "views:10.0.0.1", "7"});
    redis.command({"HSET", "stats:10.0.0.1", "hits", "5", "points", "81"});
  };
  for (const char* text : {"10.0.0.1", "*10.0.0.1*"}) {
    fill_anew();
    CAPTURE(text);
    const Outcome seen = redis.rlctl({"reset", text, "--dry-run"});
    CHECK(seen.out == "rl:10.0.0.1: would be removed: number 5, expires in 10 h\n");
    const Outcome yes = redis.rlctl({"reset", text, "--yes"});
    CHECK(yes.exit == 4);
    CHECK(yes.out == "rl:10.0.0.1: removed\n");
    CHECK(contains(yes.err, "'views:10.0.0.1' not removed: number 7, never expires: it may be"));
    const std::string reset = "; if it limits the client: rlctl reset ";
    const std::string there = ":10.0.0.1 --redis " + redis.url() + "\n";
    const bool views = contains(yes.err, reset + "views" + there);
    const bool stats = contains(yes.err, reset + "stats" + there);
    CHECK(views != stats);  // once, with the first key
    CHECK(redis.number({"DBSIZE"}) == 2);
  }
  fill_anew();
  const Outcome asked = redis.rlctl_on_terminal({"reset", "10.0.0.1"}, "y\n");
  CHECK(contains(asked.out, "number 7, never expires: it may be anything"));
  CHECK(contains(asked.out, "remove 3 keys? [y/N]"));
  CHECK(redis.number({"DBSIZE"}) == 0);
  fill_anew();
  CHECK(redis.rlctl({"reset", "10.0.0.1", "views:10.0.0.1", "stats:*", "--yes"}).exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("reset keeps sessions, carts and queues of what is due later, though they expire") {
  TestRedis redis;
  const std::int64_t now_s = rlctl::now_us() / 1'000'000;
  redis.command({"HSET", "sess:42", "uid", "42", "ttl", "5"});
  redis.command({"HSET", "cart:42", "sku1", "2", "sku9", "1", "discount", "5"});
  redis.command(
      {"ZADD", "delayed:42", std::to_string(now_s + 20), "a", std::to_string(now_s + 21), "b"});
  redis.command({"HSET", "bucket:42", "tokensLeft", "3", "lastRefill", std::to_string(now_s)});
  redis.command({"HSET", "window:42", std::to_string(now_s), "3"});
  redis.command({"ZADD", "log:42", std::to_string(now_s - 2), "a", std::to_string(now_s), "b"});
  redis.command({"SET", "count:42", "7"});
  for (const char* key :
       {"sess:42", "cart:42", "delayed:42", "bucket:42", "window:42", "log:42", "count:42"})
    redis.command({"EXPIRE", key, "36020"});
  const Outcome outcome = redis.rlctl({"reset", "42", "--yes"});
  CHECK(redis.number({"EXISTS", "sess:42", "cart:42", "delayed:42"}) == 3);
  CHECK(redis.number({"DBSIZE"}) == 3);
  CHECK(contains(outcome.err, "no limiter's data, but a "));
}

TEST_CASE("a client search keeps what has only the name of a flag, unless a limiter is beside it") {
  TestRedis redis;
  redis.command({"HSET", "user:42", "name", "bob"});
  redis.command({"SET", "user:42:blocked", "no"});
  const Outcome listed = redis.rlctl({"list"});
  CHECK(contains(listed.out, "blocked?"));
  CHECK_FALSE(contains(listed.out, "for ever"));
  CHECK(contains(listed.err, "blocked? has the name of a block flag"));
  const Outcome shown = redis.rlctl({"inspect", "42"});
  CHECK(shown.exit == 4);
  CHECK_FALSE(contains(shown.out, "STUCK"));
  CHECK(contains(redis.rlctl({"inspect", "user:42"}).out, "perhaps a block flag"));
  CHECK_FALSE(contains(redis.rlctl({"doctor", "user"}).out, "endless-block"));
  const Outcome kept = redis.rlctl({"reset", "42", "--yes"});
  CHECK(kept.exit == 4);
  CHECK(contains(kept.err, "'user:42:blocked' not removed: string of 2 bytes, never expires"));
  CHECK(redis.number({"DBSIZE"}) == 2);
  for (const char* value : {"1", "manual"}) {
    redis.command({"SET", "rl:7:blocked", value});
    redis.command({"SET", "rl:7", "5", "EX", "60"});
    CHECK(redis.rlctl({"inspect", "7"}).exit == 1);
    CHECK(redis.rlctl({"reset", "7", "--yes"}).exit == 0);
    CHECK(redis.number({"DBSIZE"}) == 2);
  }
  redis.command({"SET", "rl:8:blocked", "1"});
  CHECK(contains(redis.rlctl({"list"}).out, "blocked for ever"));
  CHECK(contains(redis.rlctl({"doctor", "rl"}).out, "endless-block"));
  CHECK(redis.rlctl({"reset", "8", "--yes"}).exit == 0);
  CHECK(redis.rlctl({"reset", "user:42:blocked"}).exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 1);
}

TEST_CASE("a flag without an expiry beside the record of a user is a guess, not a fact") {
  TestRedis redis;
  redis.command({"HSET", "users:8", "name", "bob"});
  redis.command({"SET", "users:8:blocked", "yes"});
  const Outcome kept = redis.rlctl({"reset", "8", "--yes"});
  CHECK(kept.exit == 4);
  CHECK(contains(kept.err, "'users:8:blocked' not removed: string of 3 bytes, never expires"));
  CHECK(redis.number({"DBSIZE"}) == 2);
  CHECK_FALSE(contains(redis.rlctl({"doctor", "users"}).out, "endless-block"));
  CHECK(contains(redis.rlctl({"list"}).out, "blocked?"));
  CHECK(contains(redis.rlctl({"watch", "--once"}).out, "blocked?"));
  const Outcome shown = redis.rlctl({"inspect", "8"});
  CHECK(shown.exit == 4);
  CHECK(contains(shown.out, "perhaps a block flag"));
  redis.command({"SET", "users:8:minute", "5", "EX", "60"});  // a limiter is beside it, too
  CHECK(contains(redis.rlctl({"doctor", "users"}).out, "endless-block"));
  CHECK(redis.rlctl({"reset", "8", "--yes"}).exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 1);
}

TEST_CASE("reset: --json tells what each key holds, and calls a block flag so") {
  TestRedis redis;
  redis.command({"SET", "rl:1", "5", "EX", "36020"});
  redis.command({"SET", "rl:1:blocked", "1", "EX", "60"});
  const json result = json::parse(redis.rlctl({"reset", "rl:1", "--dry-run", "--json"}).out);
  CHECK(result["keys"][0]["holds"] == "number 5, expires in 10 h");
  CHECK(contains(result["keys"][1]["holds"].get<std::string>(), "block flag: "));
  redis.command({"SET", "banned", "yes"});
  CHECK(redis.rlctl({"reset", "rl:1", "--block-key", "banned"}).exit == 0);
  CHECK(redis.number({"EXISTS", "rl:1", "banned"}) == 0);
}

TEST_CASE("reset: Ctrl-C says how many keys were removed, and leaves the others") {
  TestRedis redis;
  fill(redis, "rl:", 20'000);
  // The pause keeps rlctl at the keys it has reached until the signal has come.
  const Outcome outcome =
      redis.rlctl_interrupted({"reset", "rl:*", "--confirm", "20000", "--json"}, [&] {
        if (redis.calls("unlink") == 0) return false;
        redis.command({"CLIENT", "PAUSE", "1000", "WRITE"});
        return true;
      });
  const std::int64_t left = redis.number({"DBSIZE"});
  CHECK(outcome.exit == 130);
  CHECK(left > 0);
  CHECK(json::parse(outcome.out)["removed"] == 20'000 - left);
  CHECK(contains(outcome.err, "interrupted: "));
  CHECK(contains(outcome.err, " of 20,000 keys removed"));
}

TEST_CASE("reset: if the connection is cut, it says what was removed, and exits with 4") {
  TestRedis redis;
  fill(redis, "rl:", 20'000);
  const auto cut = [&] {
    if (redis.calls("unlink") == 0) return false;
    redis.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    return true;
  };
  constexpr int kNoSignal = 0;
  const Outcome outcome = run_rlctl_interrupted(
      {"reset", "rl:*", "--confirm", "20000", "--json", "--redis", redis.url()}, cut, kNoSignal);
  const std::int64_t gone = 20'000 - redis.number({"DBSIZE"});
  CHECK(outcome.exit == 4);
  const json result = json::parse(outcome.out);
  std::int64_t unknown = 0;
  for (const json& key : result["keys"]) unknown += key["state"] == "no answer" ? 1 : 0;
  CHECK(result["complete"] == false);
  CHECK(result["removed"] > 0);
  CHECK(result["removed"] <= gone);
  CHECK(gone <= result["removed"].get<std::int64_t>() + unknown);
  CHECK(contains(outcome.err, "no answer from Redis: "));
}

namespace {

constexpr int kMany = 100'500;  // more than reset keeps in memory by name

void fill_with_many(TestRedis& redis) {
  redis.command({"EVAL",
                 "for i = 1, 100500 do redis.call('SET', 'rl:' .. i, 1) end "
                 "redis.call('SADD', 'rl:set', 'a') redis.call('SET', 'rl:5:blocked', 1)",
                 "0"});
}

}  // namespace

TEST_CASE("reset of very many keys names each, leaves other data, and needs their number") {
  TestRedis redis;
  fill_with_many(redis);
  CHECK(contains(redis.rlctl({"reset", "rl:*", "--yes"}).err, "add --confirm 100501 to remove"));
  const Outcome listed = redis.rlctl({"reset", "rl:*", "--dry-run", "--json"});
  const json preview = json::parse(listed.out);
  CHECK(preview["removed"] == 0);
  CHECK(preview["keys"].size() == kMany + 2);
  CHECK(redis.number({"DBSIZE"}) == kMany + 2);
  // On a slow machine 5 % of the server's time would not be enough, and that is told.
  const Outcome outcome =
      redis.rlctl({"reset", "rl:*", "rl:7", "--confirm", "100501", "--load", "100%"});
  CHECK(outcome.exit == 0);
  CHECK(std::ranges::count(outcome.out, '\n') == kMany + 1);
  CHECK(contains(outcome.out, "rl:5:blocked: removed\n"));
  CHECK(outcome.err ==
        "rlctl: 'rl:set' not removed: no limiter uses a set; redis-cli UNLINK removes it\n");
  CHECK(redis.number({"DBSIZE"}) == 1);
}

TEST_CASE("reset of very many keys removes none that came or changed after the count") {
  TestRedis redis;
  fill_with_many(redis);
  // The pause keeps rlctl at the keys it has reached; then no other key is a number any more. SCAN
  // need not find a key that comes meanwhile, but it finds some of many.
  const auto replace = [&] {
    if (redis.calls("unlink") == 0) return false;
    redis.command({"EVAL",
                   "for i = 1, 100500 do if redis.call('EXISTS', 'rl:' .. i) == 1 then "
                   "redis.call('DEL', 'rl:' .. i) redis.call('SET', 'rl:' .. i, '{}') end end "
                   "for i = 1, 100 do redis.call('SET', 'rl:new' .. i, 1) end",
                   "0"});
    return true;
  };
  constexpr int kNoSignal = 0;
  const Outcome outcome = run_rlctl_interrupted(
      {"reset", "rl:*", "--confirm", "100501", "--json", "--redis", redis.url()}, replace,
      kNoSignal);
  CHECK(outcome.exit == 4);
  const json result = json::parse(outcome.out);
  for (int i = 1; i <= 100; ++i) CHECK(redis.number({"EXISTS", "rl:new" + std::to_string(i)}) == 1);
  CHECK(result["removed"].get<std::int64_t>() + redis.number({"DBSIZE"}) == kMany + 102);
  CHECK(contains(outcome.err, "not removed: it has changed since it was shown"));
  CHECK(contains(outcome.err, " more keys not removed; --json names each"));
  CHECK(contains(outcome.err, "came after the count: not removed"));
}

TEST_CASE("reset of very many keys: if the connection is cut, it says what was removed") {
  TestRedis redis;
  fill_with_many(redis);
  const auto cut = [&] {
    if (redis.calls("unlink") == 0) return false;
    redis.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    return true;
  };
  constexpr int kNoSignal = 0;
  const Outcome outcome = run_rlctl_interrupted(
      {"reset", "rl:*", "--confirm", "100501", "--json", "--redis", redis.url()}, cut, kNoSignal);
  const std::int64_t gone = kMany + 2 - redis.number({"DBSIZE"});
  CHECK(outcome.exit == 4);
  const json result = json::parse(outcome.out);
  CHECK(result["complete"] == false);
  CHECK(result["removed"] > 0);
  CHECK(result["removed"] <= gone);
  CHECK(contains(outcome.err, " of 100,501 keys removed"));
}

TEST_CASE("reset works while Redis refuses writes for lack of memory") {
  TestRedis redis;
  fill(redis, "rl:", 1);
  redis.command({"CONFIG", "SET", "maxmemory", "1"});
  CHECK(redis.rlctl({"reset", "rl:0"}).exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("block and unblock say that a client's name is no key") {
  TestRedis redis;
  redis.command({"SET", "rl:user:dave:blocked", "1", "EX", "300"});
  const std::string note =
      "note: there is no key 'dave'; if that is a client, find its limiters: "
      "rlctl inspect dave --redis " +
      redis.url() + "\n";
  CHECK(contains(redis.rlctl({"unblock", "dave"}).err, note));
  CHECK(contains(redis.rlctl({"block", "dave", "--for", "60s"}).err, note));
  CHECK(contains(redis.rlctl({"unblock", "2001:db8::1"}).err, "rlctl inspect 2001:db8::1"));
  CHECK(redis.rlctl({"unblock", "dave"}).err.empty());  // it removed a flag
  CHECK(redis.rlctl({"block", "rl:user:ann", "--for", "60s"}).err.empty());
  CHECK(redis.rlctl({"unblock", "x", "--block-key", "rl:user:dave:blocked"}).err.empty());
}

TEST_CASE("block writes no flag over a text, and none for a pattern") {
  TestRedis redis;
  redis.command({"SET", "page:blocked", "<h1>You are blocked</h1>"});
  const Outcome text = redis.rlctl({"block", "page", "--for", "60s"});
  CHECK(text.exit == 3);
  CHECK(contains(text.err, "'page:blocked' is not a block flag: it holds a text and never"));
  CHECK(redis.text({"GET", "page:blocked"}) == "<h1>You are blocked</h1>");
  const Outcome pattern = redis.rlctl({"block", "api:*", "--for", "60s"});
  CHECK(pattern.exit == 2);
  CHECK(contains(pattern.err, "'api:*' is a pattern, and a flag belongs to one key"));
  CHECK(redis.number({"DBSIZE"}) == 1);
  CHECK(contains(redis.rlctl({"list", "--blocked"}).out, " blocked?"));  // only perhaps
}

TEST_CASE("reset that keeps all that it found of a client exits with 4, whatever it is") {
  TestRedis redis;
  const std::vector<std::vector<std::string>> others = {{"SADD", "app:zed", "a"},
                                                        {"ZADD", "app:zed", "1", "a"},
                                                        {"HSET", "app:zed", "name", "b"},
                                                        {"SET", "app:zed", "text"},
                                                        {"SET", "app:zed", "5"}};
  for (const auto& other : others) {
    CAPTURE(other[0]);
    redis.command(other);
    CHECK(redis.rlctl({"reset", "zed", "--yes"}).exit == 4);
    CHECK(redis.rlctl({"reset", "zed", "--dry-run"}).exit == 4);
    CHECK(redis.rlctl({"reset", "app:*", "--yes"}).exit == (other.back() == "5" ? 0 : 4));
    redis.command({"DEL", "app:zed"});
  }
  redis.command({"SADD", "app:zed", "a"});
  redis.command({"SET", "rl:zed", "5", "EX", "60"});
  CHECK(redis.rlctl({"reset", "zed", "--yes"}).exit == 0);  // the set is no limiter's
  redis.command({"SET", "rl:zed", "5", "EX", "60"});
  CHECK(redis.rlctl({"reset", "rl:zed", "zed", "--yes"}).exit == 0);
  CHECK(redis.rlctl({"reset", "nobody", "--yes"}).exit == 0);
}

TEST_CASE("what no limiter uses is left, and how to remove it is told") {
  TestRedis redis;
  redis.command({"SADD", "x:blocked", "a"});
  const Outcome outcome = redis.rlctl({"reset", "x:blocked"});
  CHECK(outcome.exit == 4);
  CHECK(outcome.err ==
        "rlctl: 'x:blocked' not removed: no limiter uses a set; redis-cli UNLINK removes it\n");
}

TEST_CASE("block and unblock leave alone what is no flag") {
  TestRedis redis;
  redis.command({"SET", "doc", "hello"});
  redis.command({"SET", "count", "37", "EX", "60"});
  redis.command({"SET", "long", std::string(300, '1'), "EX", "60"});
  redis.command({"LPUSH", "list", "1"});
  redis.command({"SET", "token", "5f3a9c", "EX", "3600"});
  redis.command({"SET", "seen", "1700000000", "EX", "3600"});
  redis.rlctl({"hit", "gcra", "--algo", "gcra", "--limit", "9", "--window", "1h"});
  for (const std::string key : {"doc", "count", "long", "list", "token", "seen", "gcra"}) {
    CAPTURE(key);
    const std::string before = redis.text({"DUMP", key});
    CHECK(redis.rlctl({"unblock", "u1", "--block-key", key}).exit == 3);
    const Outcome blocked = redis.rlctl({"block", "u1", "--for", "60s", "--block-key", key});
    CHECK(blocked.exit == 3);
    CHECK(contains(blocked.err, "'" + key + "' is not a block flag: it holds "));
    CHECK(contains(blocked.err, "if this is one, remove it: rlctl reset " + key + " --redis "));
    CHECK(redis.text({"DUMP", key}) == before);
  }
}

TEST_CASE("unblock removes the flags of other software, with and without an end") {
  TestRedis redis;
  redis.command({"SET", "banned:1", "1"});
  redis.command({"SET", "banned:2", "blocked", "EX", "60"});
  redis.command({"SET", "u3:blocked", "spam"});
  const std::string end_s = std::to_string(rlctl::now_us() / 1'000'000 + 60);
  redis.command({"SET", "banned:4", end_s, "EX", "60"});
  CHECK(redis.rlctl({"block", "u1", "--for", "60s", "--block-key", "banned:5"}).exit == 0);
  for (const std::string key : {"banned:1", "banned:2", "u3:blocked", "banned:4", "banned:5"})
    CHECK(redis.rlctl({"unblock", "u1", "--block-key", key}).exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("unblock finds a name as rlctl prints it") {
  TestRedis redis;
  redis.command({"SET", "rl:\x1b[3m:blocked", "1", "EX", "600"});
  const Outcome outcome = redis.rlctl({"unblock", "rl:\\x1b[3m"});
  CHECK(contains(outcome.out, "removed; it was blocked for another"));
  CHECK(contains(outcome.err, "'rl:\\x1b[3m' names a key with --escaped: that one is used"));
  CHECK(redis.number({"DBSIZE"}) == 0);
  CHECK(contains(redis.rlctl({"unblock", "rl:\\x1b[3m"}).out, "nothing to remove"));
}

TEST_CASE("unblock says what to do about a key that is the flag of a library itself") {
  TestRedis redis;
  const std::string ban = "rack::attack:fail2ban:ban:kim";
  redis.command({"SET", ban, "1", "EX", "60"});
  const Outcome named = redis.rlctl({"unblock", ban});
  CHECK(named.exit == 3);
  CHECK(contains(named.err, "is a block flag itself, as rack-attack-ban names it"));
  CHECK(contains(named.err, "rlctl reset " + ban + " --redis "));
  redis.command({"SET", ban, "\x04\bi\x06", "EX", "60"});
  const Outcome text = redis.rlctl({"unblock", "kim", "--block-key", ban});
  CHECK(text.exit == 3);
  CHECK(contains(text.err, "if this is one, remove it: rlctl reset " + ban + " --redis "));
  CHECK(redis.rlctl({"reset", ban}).exit == 0);
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("block sets a flag that expires, unblock removes it") {
  TestRedis redis;
  CHECK(redis.rlctl({"block", "rl:u1:minute", "--for", "60s"}).exit == 0);
  const std::int64_t left_ms = redis.number({"PTTL", "rl:u1:blocked"});
  CHECK(left_ms > 0);
  CHECK(left_ms <= 60'000);
  const Outcome unblocked = redis.rlctl({"unblock", "rl:u1:minute", "--json"});
  CHECK(json::parse(unblocked.out)["was_blocked"] == true);
  CHECK(redis.number({"DBSIZE"}) == 0);
}
