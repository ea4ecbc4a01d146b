// Every verb with Redis, as a user whose permissions (ACL) are few.
#include <doctest/doctest.h>

#include "cli/support/test_redis.h"

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
  };
  for (const auto& [permission, arguments, rule] : rows) {
    Arguments permissions = kNeeded;
    permissions.emplace_back(permission);
    const Outcome outcome = Restricted(permissions).rlctl(arguments);
    INFO(permission << ", " << arguments.front() << ": " << outcome.out << outcome.err);
    CHECK(outcome.exit != 0);
    // From Redis 7.2 on, the error names the user.
    const std::string grants = "this grants it: ACL SETUSER ", all = outcome.out + outcome.err;
    CHECK((contains(all, grants + "NAME " + rule) || contains(all, grants + "lim " + rule)));
  }
}

TEST_CASE("a user without a password is refused: the commands would be those of another one") {
  Restricted redis(kNeeded);
  const Outcome option = redis.redis.rlctl({"reset", "rl:u1:minute", "--yes", "--user", "lim"});
  CHECK(option.exit == 2);
  CHECK(contains(option.err, "there is no password for the user 'lim'; add --pass-file FILE"));
  const std::string address = redis.redis.url().substr(std::string("redis://").size());
  CHECK(run_rlctl({"list", "--redis", "redis://lim@" + address}).exit == 2);
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
  Arguments permissions = kNeeded;
  permissions.emplace_back("-unlink");
  const Outcome outcome = Restricted(permissions).rlctl({"reset", "rl:u*", "--yes"});
  INFO(outcome.out << outcome.err);
  const std::string advice = "this grants it";
  const std::size_t first = outcome.err.find(advice);
  REQUIRE(first != outcome.err.npos);
  CHECK(outcome.err.find(advice, first + 1) == outcome.err.npos);
  CHECK(contains(outcome.err, "'rl:u1:minute' not removed: "));
  CHECK(contains(outcome.err, "'rl:u2:blocked' not removed: "));
}
