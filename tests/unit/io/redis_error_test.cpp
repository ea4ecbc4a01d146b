#include "io/redis/redis_error.h"

#include <doctest/doctest.h>

#include "base/error.h"

using namespace rlctl;

namespace {

Reply error(const std::string& text) {
  Reply reply;
  reply.type = Reply::Type::error;
  reply.text = text;
  return reply;
}

Exchange replied(Reply reply) {
  Exchange exchange;
  exchange.state = Exchange::State::replied;
  exchange.reply = std::move(reply);
  return exchange;
}

std::string hint(const Exchange& exchange) {
  try {
    reply_or_throw(exchange);
  } catch (const Error& thrown) {
    CHECK(thrown.exit() == Exit::target);
    return thrown.hint();
  }
  return "not thrown";
}

constexpr const char* kInScript = " script: 5a1b, on @user_script:3.";

}  // namespace

TEST_CASE("each common refusal has advice") {
  const std::pair<const char*, const char*> cases[] = {
      {"NOAUTH Authentication required.", "REDISCLI_AUTH"},
      {"WRONGPASS invalid username-password pair or user is disabled.", "password is wrong"},
      {"ERR AUTH <password> called without any password configured for the default user.",
       "leave it out"},
      {"NOPERM this user has no permissions to run the 'ping' command", "SETUSER NAME +ping"},
      {"ERR DB index is out of range", "databases"},
      {"ERR SELECT is not allowed in cluster mode", "database 0"},
      {"ERR max number of clients reached", "maxclients"},
      {"DENIED Redis is running in protected mode because", "protected mode"},
      {"LOADING Redis is loading the dataset in memory", "still reading"},
      {"BUSY Redis is busy running a script.", "SCRIPT KILL"},
      {"READONLY You can't write against a read only replica.", "its master"},
      {"OOM command not allowed when used memory > 'maxmemory'.", "maxmemory"},
      {"MISCONF Redis is configured to save RDB snapshots", "save to disk"},
      {"MOVED 1234 127.0.0.1:7001", "another"},
      {"CROSSSLOT Keys in request don't hash to the same slot", "hash tag"},
      {"WRONGTYPE Operation against a key holding the wrong kind of value", "inspect"},
      {"ERR unknown command 'EVALSHA', with args beginning with:", "old Redis"},
  };
  for (const auto& [text, words] : cases) {
    CAPTURE(text);
    CHECK(hint(replied(error(text))).find(words) != std::string::npos);
  }
}

TEST_CASE("a missing permission is named as the rule that grants it, as each version words it") {
  const std::pair<const char*, const char*> cases[] = {
      {"NOPERM this user has no permissions to run the 'type' command", "NAME +type"},
      {"NOPERM this user has no permissions to run the 'get' command or its subcommand",
       "NAME +get"},
      {"NOPERM User lim has no permissions to run the 'script|load' command", "lim +script|load"},
      {"ERR ACL failure in script: User lim has no permissions to run the 'incr' command",
       "lim +incr"},
      {"ERR The user executing the script can't run this command or subcommand", "NAME +COMMAND"},
      {"NOPERM this user has no permissions to access one of the keys used as arguments",
       "NAME ~PATTERN"},
      {"NOPERM No permissions to access a key", "NAME ~PATTERN"},
      {"ERR The user executing the script can't access at least one of the keys mentioned in the "
       "command arguments",
       "NAME ~PATTERN"},
  };
  for (const auto& [text, rule] : cases) {
    CAPTURE(text);
    CHECK(hint_for_error(text).starts_with(std::string("this grants it: ACL SETUSER ") + rule));
  }
}

TEST_CASE("an error with a similar beginning gets no wrong advice") {
  CHECK(hint(replied(error("BUSYKEY Target key name already exists."))).empty());
  CHECK(hint(replied(error("OOMPH"))).empty());
  CHECK(hint(replied(error(""))).empty());
  CHECK_FALSE(refused_before_running(error("BUSYGROUP Consumer Group name already exists")));
  CHECK_FALSE(refused_before_running(error("")));
}

TEST_CASE("a command that Redis refuses before running was certainly not executed") {
  for (const char* text :
       {"NOAUTH Authentication required.", "LOADING Redis is loading", "READONLY You can't write",
        "CLUSTERDOWN Hash slot not served", "OOM command not allowed",
        "NOSCRIPT No matching script.", "MASTERDOWN Link with MASTER is down", "NOPERM this user",
        "TRYAGAIN Multiple keys request", "NOREPLICAS Not enough good replicas"})
    CHECK_MESSAGE(refused_before_running(error(text)), text);
}

TEST_CASE("a script's own error may follow a write, except refusals of all writes") {
  for (const char* text :
       {"WRONGTYPE Operation against a key", "NOPERM this user", "NOAUTH x", "CROSSSLOT x"})
    CHECK_MESSAGE(!refused_before_running(error(text + std::string(kInScript))), text);
  CHECK_FALSE(refused_before_running(error("ERR user_script:1: Script attempted to access")));
  CHECK_FALSE(refused_before_running(error("WRONGTYPE Operation against a key")));
  for (const char* text :
       {"READONLY You can't write against a read only replica.",
        "OOM command not allowed when used memory > 'maxmemory'.", "MISCONF x", "NOREPLICAS x"})
    CHECK_MESSAGE(refused_before_running(error(text + std::string(kInScript))), text);
  const std::string redis_6 = "ERR Error running script (call to f_5a1b): @user_script:1: ";
  CHECK(refused_before_running(error(redis_6 + "@user_script: 1: -OOM command not allowed  ")));
  CHECK_FALSE(refused_before_running(error(redis_6 + "user_script:1: OOM of the script itself")));
}

TEST_CASE("an answer is returned, and a missing one is an error with its reason") {
  Reply pong;
  pong.type = Reply::Type::status;
  pong.text = "PONG";
  CHECK(reply_or_throw(replied(pong)).text == "PONG");
  Exchange lost;
  lost.state = Exchange::State::lost;
  lost.problem = "the server closed the connection";
  CHECK(hint(lost).find("--timeout") != std::string::npos);
  CHECK_THROWS_WITH_AS(reply_or_throw(lost),
                       "no answer from Redis: the server closed the connection", Error);
}

TEST_CASE("a server's words can't control the terminal") {
  CHECK_THROWS_WITH_AS(reply_or_throw(replied(error("ERR \x1b[2J"))), "Redis refused: ERR \\x1b[2J",
                       Error);
}

TEST_CASE("the code is the first word") {
  CHECK(error_code(error("NOSCRIPT No matching")) == "NOSCRIPT");
  CHECK(error_code(error("ERR")) == "ERR");
  CHECK(error_code(error("")) == "");
  CHECK(is_permission_error(error("NOPERM x")));
  CHECK_FALSE(is_permission_error(error("NOPERMIT x")));
  Reply text;
  text.type = Reply::Type::string;
  text.text = "NOPERM";
  CHECK_FALSE(is_permission_error(text));
}
