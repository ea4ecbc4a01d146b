// Every verb with Redis, as a user whose permissions (ACL) are few.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/test_redis.h"
#include "tools/folder.h"

namespace {

// A Redis with some limiters and a user `lim`, who has these permissions.
struct Restricted {
  explicit Restricted(const Arguments& permissions) {
    redis.command({"SET", "rl:u1:minute", "5", "PX", "600000"});
    redis.command({"SET", "rl:u2:blocked", "1", "PX", "600000"});
    Arguments user{"ACL", "SETUSER", "lim", "on", ">secret", "~rl:*", "~rlctl:*", "-@all"};
    user.insert(user.end(), permissions.begin(), permissions.end());
    REQUIRE_FALSE(redis.command(user).is_error());
  }
  Outcome rlctl(Arguments arguments) const {
    for (const char* word : {"--user", "lim", "-a", "secret"}) arguments.emplace_back(word);
    return redis.rlctl(arguments);
  }
  TestRedis redis;
};

// What limiters and rlctl need. INFO, ROLE, CLIENT, CLUSTER, SCRIPT EXISTS, DBSIZE, MEMORY, OBJECT
// are not among them.
const Arguments kNeeded{"+@read",   "+@write", "-dbsize",      "-memory", "-object",
                        "+evalsha", "+eval",   "+script|load", "+time"};

const Arguments kShortBench{"bench",    "--algo", "fixed",      "--only", "speed",
                            "--rounds", "1",      "--requests", "200"};

Arguments needed_and(const std::string& permission) {
  Arguments permissions = kNeeded;
  permissions.push_back(permission);
  return permissions;
}

struct Row {
  Arguments arguments;
  int exit = 0;
  const char* tells = "";
};

}  // namespace

TEST_CASE("without the commands that are optional every verb works, and names what it can't see") {
  const Row rows[] = {
      {{"hit", "rl:u3", "--policy", "5/1m"}},
      {{"inspect", "rl:u1:minute"}, 0, "may not run OBJECT ENCODING, OBJECT IDLETIME and MEMORY"},
      {{"inspect", "u1"}, 0, "the number 5"},
      {{"inspect", "u9"}, 0, "no key contains 'u9'; 250 keys were searched"},
      {{"list"}, 0, "rl:u1"},
      {{"watch", "--once"}, 0, "rl:u1"},
      {{"load"}, 0, "this user may not run SCRIPT EXISTS"},
      {{"block", "rl:u3", "--for", "60s"}},
      {{"unblock", "rl:u3"}},
      {{"reset", "rl:u1:minute"}, 0, "removed"},
      {{"reset", "u2", "--yes"}, 0, "removed"},
      {{"simulate", "double-click", "--window", "1s", "--attempts", "100"}},
      {{"run", RLCTL_SOURCE_DIR "/scenarios/holds/sliding-list.json"}, 0, "passed"},
      {{"doctor"}, 4, "this grants it: ACL SETUSER"},
      {{"bench", "--algo", "fixed", "--only", "speed", "--rounds", "1", "--requests", "200"},
       0,
       "ACL SETUSER NAME +info"},
  };
  const Restricted user(kNeeded);
  for (const auto& [arguments, exit, tells] : rows) {
    const Outcome outcome = user.rlctl(arguments);
    INFO(arguments.front() << ": " << outcome.out << outcome.err);
    CHECK(outcome.exit == exit);
    CHECK(contains(outcome.out + outcome.err, tells));
  }
}

TEST_CASE("a permission that is needed is named, with the rule that grants it") {
  struct Missing {
    const char* permission;
    Arguments arguments;
    const char* rule;
  };
  const Missing rows[] = {
      {"-scan", {"list"}, "+scan"},
      {"-scan", {"inspect", "u1"}, "+scan"},
      {"-scan", {"watch", "--once"}, "+scan"},
      {"-type", {"inspect", "rl:u1:minute"}, "+type"},
      {"-type", {"block", "rl:u3", "--for", "60s"}, "+type"},
      {"-eval", {"block", "rl:u3", "--for", "60s"}, "+eval"},
      {"-evalsha", {"hit", "rl:u3", "--policy", "5/1m"}, "+evalsha"},
      {"-time", {"hit", "rl:u3", "--policy", "5/1m"}, "+"},
      {"resetkeys", {"hit", "rl:u3", "--policy", "5/1m"}, "~PATTERN"},
      {"-unlink", {"reset", "rl:u1:minute"}, "+"},
      {"-script|load", {"load"}, "+script|load"},
      {"-evalsha", {"simulate", "double-click"}, "+evalsha"},
      {"-evalsha", kShortBench, "+evalsha"},
      {"-script|load", kShortBench, "+script|load"},
      {"-script|load", {"bench", "--algo", "fixed", "--algo", "sliding"}, "+script|load"},
      {"-incrby", kShortBench, "+"},
      {"resetkeys", kShortBench, "~PATTERN"},
  };
  for (const auto& [permission, arguments, rule] : rows) {
    const Outcome outcome = Restricted(needed_and(permission)).rlctl(arguments);
    INFO(permission << ", " << arguments.front() << ": " << outcome.out << outcome.err);
    CHECK(outcome.exit != 0);
    // From Redis 7.2 on, the error names the user.
    const std::string grants = "this grants it: ACL SETUSER ", all = outcome.out + outcome.err;
    CHECK((contains(all, grants + "NAME " + rule) || contains(all, grants + "lim " + rule)));
    CHECK_FALSE(contains(all, "check the script"));
  }
}

TEST_CASE("a user who can store nothing is told of no keys that may remain") {
  const Restricted user({});
  for (const Arguments& arguments :
       {Arguments{"simulate", "double-click"}, {"bench", "--algo", "fixed", "--algo", "sliding"}}) {
    const Outcome outcome = user.rlctl(arguments);
    INFO(arguments.front() << ": " << outcome.out << outcome.err);
    CHECK(outcome.exit == 3);
    CHECK(contains(outcome.err, "+script|load\n"));
    CHECK_FALSE(contains(outcome.out + outcome.err, "may remain"));
  }
}

TEST_CASE("keys that may remain are told with the right that lacks, and who removes them") {
  const Restricted user(needed_and("-scan"));
  const std::string remedy = "+scan; then remove them: rlctl reset ";
  const std::string server = " --any-data --redis " + user.redis.url() + " --user lim\n";
  const Outcome bench = user.rlctl(kShortBench);
  INFO(bench.out << bench.err);
  CHECK(bench.exit == 0);
  CHECK(contains(bench.err, "rlctl: keys *rlctl:"));
  CHECK(contains(bench.err, remedy));
  CHECK(contains(bench.err, server));
  const Outcome simulate = user.rlctl({"simulate", "double-click", "--window", "1s"});
  INFO(simulate.out);
  CHECK(contains(simulate.out, "note: keys *rlctl:"));
  CHECK(contains(simulate.out, remedy));
  CHECK(contains(simulate.out, server));
}

TEST_CASE("what failed is told with its remedy, then what may remain with its own") {
  const Restricted user(needed_and("-scan"));
  const rlctl::test::Folder folder;
  const std::string script = folder.write("mine.lua", R"(-- rlctl: keys  = <key>
-- rlctl: args  = limit
-- rlctl: reply = allowed
-- rlctl: run   = server
-- rlctl: clock = expiry
redis.call('SET', KEYS[1], 1, 'PX', 1000)
return redis.call('LPUSH', KEYS[1], 1)
)");
  const Outcome outcome =
      user.rlctl({"simulate", "double-click", "--algo", script, "--window", "1s"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 3);
  CHECK(contains(outcome.err, "see `rlctl inspect KEY`; keys *rlctl:"));
  CHECK(contains(outcome.err, "--user lim\n"));
  CHECK(contains(outcome.out, "inconclusive: all requests have an unknown outcome\n"));
}

TEST_CASE("reset leaves what it may not read, however it was named, but for --any-data") {
  Restricted user(needed_and("-getrange"));
  for (const Arguments& arguments : {Arguments{"reset", "rl:u1:minute"},
                                     {"reset", "rl:u1*", "--yes"},
                                     {"reset", "u1", "--yes"}}) {
    const Outcome outcome = user.rlctl(arguments);
    INFO(arguments[1] << ": " << outcome.out << outcome.err);
    CHECK(outcome.exit == 4);
    CHECK(contains(outcome.err, "'rl:u1:minute' not removed: NOPERM"));
    CHECK(contains(outcome.err, " +getrange"));
  }
  CHECK(user.redis.number({"EXISTS", "rl:u1:minute"}) == 1);
  CHECK(user.rlctl({"reset", "rl:u1:minute", "--any-data"}).exit == 0);
  CHECK(user.redis.number({"EXISTS", "rl:u1:minute"}) == 0);
}

TEST_CASE("who may not search resets the key that he names, and is told what was not searched") {
  Restricted user(needed_and("-scan"));
  REQUIRE_FALSE(user.redis.command({"ACL", "SETUSER", "lim", "~app:*"}).is_error());
  user.redis.command({"SET", "app:bob", "5", "EX", "60"});
  const Outcome shown = user.rlctl({"inspect", "app:bob"});
  CHECK(shown.exit == 4);  // the client of that name is perhaps denied elsewhere
  CHECK(contains(shown.err, "not searched for the client 'app:bob': Redis refused: NOPERM"));
  const Outcome outcome = user.rlctl({"reset", "app:bob"});
  INFO(outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(outcome.out == "app:bob: removed\n");
  CHECK(contains(outcome.err, "not searched for the client 'app:bob': Redis refused: NOPERM"));
  CHECK(contains(outcome.err, "+scan"));
}

TEST_CASE("a user without a password is refused: the commands would be those of another one") {
  Restricted redis(kNeeded);
  const Outcome option = redis.redis.rlctl({"reset", "rl:u1:minute", "--yes", "--user", "lim"});
  CHECK(option.exit == 2);
  CHECK(contains(option.err, "there is no password for the user 'lim'; add --pass-file FILE"));
  const rlctl::test::Folder folder;
  const std::string file = folder.write("pass", "secret\n"), empty = folder.write("empty", "");
  CHECK(redis.redis.rlctl({"list", "--user", "lim", "--pass-file", file}).exit == 0);
  const Outcome both =
      redis.redis.rlctl({"list", "--user", "lim", "--pass-file", file, "-a", "secret"});
  CHECK(both.exit == 2);
  CHECK(contains(both.err, "--pass-file and --pass both give a password; remove one of them"));
  const Outcome none = redis.redis.rlctl({"list", "--user", "lim", "--pass-file", empty});
  CHECK(none.exit == 2);
  CHECK(contains(none.err, "is empty; write the password in its first line"));
  const Outcome misplaced = run_rlctl({"list", "--redis", "redis://s3cr3t@127.0.0.1:1"});
  CHECK(misplaced.exit == 2);
  CHECK(contains(misplaced.err, "a URL with a password alone: redis://:PASSWORD@HOST"));
  CHECK_FALSE(contains(misplaced.err, "s3cr3t"));
  CHECK(redis.redis.number({"EXISTS", "rl:u1:minute"}) == 1);
}

TEST_CASE(
    "list hides nothing of a limiter whose other keys, which need not exist, may not be read") {
  Restricted redis(kNeeded);
  redis.redis.command({"SET", "rl:never", "5"});
  const Outcome outcome = redis.rlctl({"list", "rl:never"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(contains(outcome.out, "no expiry"));
  CHECK_FALSE(contains(outcome.out, "NOPERM"));
}

TEST_CASE("load --dry-run without the right to look does not say that a script is missing") {
  const Outcome outcome = Restricted(kNeeded).rlctl({"load", "--dry-run", "fixed"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 4);
  CHECK(contains(outcome.out, "not known"));
  CHECK(contains(outcome.err, "+script|exists"));
  CHECK_FALSE(contains(outcome.err, "missing"));
}

TEST_CASE("what is left for the same reason is told with one advice") {
  const Outcome outcome = Restricted(needed_and("-unlink")).rlctl({"reset", "rl:u*", "--yes"});
  INFO(outcome.out << outcome.err);
  const std::string advice = "this grants it";
  const std::size_t first = outcome.err.find(advice);
  REQUIRE(first != outcome.err.npos);
  CHECK(outcome.err.find(advice, first + 1) == outcome.err.npos);
  CHECK(contains(outcome.err, "'rl:u1:minute' not removed: "));
  CHECK(contains(outcome.err, "'rl:u2:blocked' not removed: "));
}

TEST_CASE("doctor counts the keys that it could not read among what it has not seen") {
  Restricted user({"+@all"});
  user.redis.command({"SET", "secret:other", "5"});
  user.redis.command({"HSET", "secret:session", "a", "b"});
  const Outcome names = user.rlctl({"doctor"});
  INFO(names.out << names.err);
  CHECK(names.exit == 4);
  CHECK(contains(names.err, "partial: not seen: 2 keys can't be read: NOPERM"));
  CHECK(contains(names.err, "~PATTERN, for the keys"));
  const auto told = nlohmann::json::parse(user.rlctl({"doctor", "--json"}).out);
  REQUIRE(told["not_seen"].size() == 1);
  CHECK(contains(told["not_seen"][0].get<std::string>(), "2 keys can't be read: NOPERM"));
  const Outcome content = Restricted({"+@all", "-getrange"}).rlctl({"doctor"});
  CHECK(content.exit == 4);
  CHECK(contains(content.err, "2 keys can't be read: NOPERM"));
  CHECK(contains(content.err, " +getrange"));
}

TEST_CASE("list and watch --once say how many keys they could not read, and what grants it") {
  Restricted user({"+@all"});
  user.redis.command({"SET", "secret:other", "5"});
  user.redis.command({"HSET", "secret:session", "a", "b"});
  for (const Arguments& arguments : {Arguments{"list"},
                                     {"list", "--stuck"},
                                     {"list", "--blocked"},
                                     {"watch", "--once", "--interval", "100ms"}}) {
    const Outcome outcome = user.rlctl(arguments);
    INFO(arguments.back() << ": " << outcome.out << outcome.err);
    CHECK(outcome.exit == 4);
    const std::string partial = "partial: 2 keys can't be read: NOPERM";
    const std::size_t at = outcome.err.find(partial);
    REQUIRE(at != outcome.err.npos);
    CHECK(outcome.err.find(partial, at + 1) == outcome.err.npos);
    CHECK(contains(outcome.err, "~PATTERN, for the keys"));
    CHECK_FALSE(contains(outcome.err, "no such limiter found"));
  }
}

TEST_CASE("without PTTL, nobody is told that no key lasts for ever") {
  Restricted user({"+@all", "-pttl"});
  user.redis.command({"SET", "rl:u3:minute", "5"});
  for (const Arguments& arguments : {Arguments{"list", "--stuck"},
                                     {"list"},
                                     {"watch", "--once", "--interval", "100ms"},
                                     {"doctor"}}) {
    const Outcome outcome = user.rlctl(arguments);
    INFO(arguments.back() << ": " << outcome.out << outcome.err);
    CHECK(outcome.exit == 4);
    CHECK(contains(outcome.err, "the expiry of 3 keys can't be read: NOPERM"));
    CHECK(contains(outcome.err, " +pttl"));
  }
  for (const Arguments& arguments :
       {Arguments{"list", "--json"}, {"inspect", "rl:u3:minute", "--json"}}) {
    const Outcome outcome = user.rlctl(arguments);
    INFO(outcome.out << outcome.err);
    CHECK(outcome.exit == 4);
    CHECK(contains(outcome.out, "\"stuck\":null"));
  }
}

TEST_CASE("without PTTL, a flag blocks all the same, for a time that is not known") {
  Restricted user({"+@all", "-pttl"});
  user.redis.command({"SET", "rl:zoe:blocked", "1", "EX", "60"});
  const Outcome inspected = user.rlctl({"inspect", "rl:zoe"});
  INFO(inspected.out << inspected.err);
  CHECK(inspected.exit == 1);
  CHECK(contains(inspected.out, "blocked: this user may not read for how long"));
  for (const Arguments& arguments :
       {Arguments{"list", "rl:zoe*", "--blocked", "--json"},
        {"watch", "rl:zoe*", "--once", "--json", "--interval", "100ms"}}) {
    const auto row = nlohmann::json::parse(user.rlctl(arguments).out)["limiters"][0];
    CHECK(row["blocked"] == true);
    CHECK(row["blocked_for_ever"] == false);
    CHECK(row["stuck"].is_null());
  }
}

TEST_CASE("without EXISTS, a client is searched all the same") {
  const Restricted user({"+@all", "-exists"});
  for (const char* verb : {"inspect", "reset"}) {
    const Outcome nobody = user.rlctl({verb, "nobody", "--quiet"});
    INFO(nobody.out << nobody.err);
    CHECK(contains(nobody.err, "no key contains 'nobody'; 2 keys were searched"));
  }
  const Outcome inspected = user.rlctl({"inspect", "u1"});
  CHECK(contains(inspected.out, "rl:u1:minute"));
  const Outcome reset = user.rlctl({"reset", "u1", "--yes"});
  INFO(reset.out << reset.err);
  CHECK(contains(reset.out, "rl:u1:minute: removed"));
}

TEST_CASE("without PTTL, reset of a client leaves what may have no expiry") {
  Restricted user({"+@all", "-pttl", "~*"});
  user.redis.command({"SET", "visits:zoe", "991"});
  const Outcome outcome = user.rlctl({"reset", "zoe", "--yes"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 4);
  CHECK(contains(outcome.err, "this user may not read its expiry: it may be anything"));
  CHECK(user.redis.number({"EXISTS", "visits:zoe"}) == 1);
}

TEST_CASE("inspect does not call limiters what it could not read") {
  Restricted user({"+@all"});
  user.redis.command({"SET", "sess:zoe", "x"});
  user.redis.command({"SET", "user:zoe", "x"});
  const Outcome outcome = user.rlctl({"inspect", "zoe"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 4);
  CHECK(contains(outcome.out, "0 limiters, 2 names of which no key can be read"));
}

TEST_CASE("without GETRANGE, a flag blocks by being there, in inspect, list and watch") {
  const Restricted user({"+@all", "-getrange"});
  const Outcome listed = user.rlctl({"list", "--blocked"});
  INFO(listed.out << listed.err);
  CHECK(listed.exit == 4);
  CHECK(contains(listed.out, "rl:u2 "));
  CHECK(contains(listed.out, "blocked "));
  CHECK_FALSE(contains(listed.out, "rl:u1"));
  CHECK(contains(user.rlctl({"watch", "--once"}).out, " blocked "));
  CHECK(user.rlctl({"inspect", "u2"}).exit == 1);
}

TEST_CASE("a table of a client's keys names the right that lacks, once") {
  Restricted user({"+@all", "-getrange"});
  user.redis.command({"SET", "rl:u1:hour", "5", "PX", "600000"});
  user.redis.command({"SET", "rl:a:u1", "5", "PX", "600000"});
  const Outcome outcome = user.rlctl({"inspect", "u1"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 4);
  CHECK(contains(outcome.err, "partial: 3 keys can't be read: "));
  CHECK(contains(outcome.err, "this grants it: ACL SETUSER "));
}

TEST_CASE("who may not search gets the same exit code from every verb") {
  const Restricted user({"+@all", "-scan"});
  user.rlctl({"load"});
  for (const Arguments& arguments : std::vector<Arguments>{{"list"},
                                                           {"inspect", "u1"},
                                                           {"inspect", "rl:*"},
                                                           {"reset", "u1", "--yes"},
                                                           {"reset", "rl:*", "--yes"},
                                                           {"watch", "--once"},
                                                           {"doctor"}}) {
    const Outcome outcome = user.rlctl(arguments);
    INFO(arguments.front() << ": " << outcome.out << outcome.err);
    CHECK(outcome.exit == 4);
    CHECK(contains(outcome.out + outcome.err, "+scan"));
  }
}

TEST_CASE("list and watch claim nothing of a key that they could not read, and the same") {
  Restricted user({"+@all"});
  user.redis.command({"SET", "secret:other:minute", "5"});
  const auto row_of = [&](const Arguments& arguments) {
    const auto body = nlohmann::json::parse(user.rlctl(arguments).out);
    for (const auto& row : body["limiters"])
      if (row["limiter"] == "secret:other") return row;
    return nlohmann::json();
  };
  const auto listed = row_of({"list", "--json"});
  REQUIRE(listed.is_object());
  CHECK(listed["shape"].is_null());
  CHECK(listed["keys"] == 0);
  CHECK(listed["state"] == "unreadable");
  CHECK(listed["stuck"].is_null());
  CHECK(row_of({"watch", "--once", "--json", "--interval", "100ms"}) == listed);
}

TEST_CASE("watch shows a limiter whose flag, which need not exist, may not be read") {
  Restricted user({"+@all", "resetkeys", "~rl:u1:minute"});
  user.redis.command({"DEL", "rl:u2:blocked"});
  const Outcome outcome = user.rlctl({"watch", "--once", "--json", "--interval", "100ms"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
  const auto rows = nlohmann::json::parse(outcome.out)["limiters"];
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["limiter"] == "rl:u1:minute");
  CHECK(rows[0]["keys"] == 1);
  CHECK_FALSE(rows[0].contains("problem"));
}

TEST_CASE("without EXISTS, hit begins a new limiter, and no second one") {
  const Restricted user({"+@all", "-exists"});
  const Outcome fresh = user.rlctl({"hit", "rl:new", "--limit", "3", "--window", "60s"});
  INFO(fresh.out << fresh.err);
  CHECK(fresh.exit == 0);
  CHECK(contains(fresh.out, "allowed"));
  const Outcome beside = user.rlctl({"hit", "rl:u1", "--limit", "3", "--window", "60s"});
  CHECK(beside.exit == 3);
  CHECK(contains(beside.err, "there is no key 'rl:u1', but there is 'rl:u1:minute'"));
}
