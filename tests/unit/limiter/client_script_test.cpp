#include "limiter/client_script.h"

#include <doctest/doctest.h>

#include <deque>

#include "base/error.h"
#include "limiter/lua/lua_value.h"
#include "tools/contains.h"
#include "tools/replies.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

Script script_of(const std::string& body) {
  return make_script(
      "test.lua", "-- Test.\n-- rlctl: args = limit, ttl_ms\n-- rlctl: reply = allowed\n" + body);
}

// Formats as redis-cli does, so that a table of expectations is readable.
std::string shown(const Reply& reply) {
  switch (reply.type) {
    case Reply::Type::nil:
      return "nil";
    case Reply::Type::integer:
      return std::to_string(reply.integer);
    case Reply::Type::status:
      return "+" + reply.text;
    case Reply::Type::error:
      return "-" + reply.text;
    case Reply::Type::string:
      return "\"" + reply.text + "\"";
    case Reply::Type::array:
      break;
  }
  std::string words;
  for (const Reply& element : reply.elements) words += (words.empty() ? "" : " ") + shown(element);
  return "[" + words + "]";
}

std::string shown(const std::vector<std::string>& command) {
  std::string words;
  for (const std::string& word : command) words += (words.empty() ? "" : " ") + word;
  return words;
}

// Runs to the end, with `replies` to its commands, and shows what it returns.
std::string outcome(const std::string& body, std::deque<Reply> replies = {},
                    ScriptBounds bounds = {}) {
  ClientScript script(script_of(body), bounds);
  ClientScript::Run run(script);
  ScriptStep step = run.start({}, {});
  while (!step.has_ended()) {
    REQUIRE_FALSE(replies.empty());
    step = run.resume(replies.front());
    replies.pop_front();
  }
  CHECK(replies.empty());
  return shown(step.result);
}

}  // namespace

TEST_CASE("a script requests one command after the other and ends with its value") {
  ClientScript script(
      script_of("local n = redis.call('INCR', KEYS[1])\n"
                "if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end\n"
                "return {n <= tonumber(ARGV[1]) and 1 or 0, n}\n"));
  ClientScript::Run run(script);
  const std::vector<std::string> keys{"k"}, arguments{"3", "60000"};
  ScriptStep step = run.start(keys, arguments);
  CHECK(shown(step.command) == "INCR k");
  step = run.resume(integer(1));
  CHECK(shown(step.command) == "PEXPIRE k 60000");
  step = run.resume(integer(1));
  REQUIRE(step.has_ended());
  CHECK(shown(step.result) == "[1 1]");
  CHECK(shown(run.start(keys, arguments).command) == "INCR k");
  CHECK(shown(run.resume(integer(4)).result) == "[0 4]");
}

TEST_CASE("a script's return value becomes the reply that Redis would send") {
  const std::pair<const char*, const char*> table[] = {
      {"return 3.99", "3"},
      {"return -3.99", "-3"},
      {"return 1e300", "-9223372036854775808"},
      {"return 0/0", "-9223372036854775808"},
      {"return 'text'", "\"text\""},
      {"return true", "1"},
      {"return false", "nil"},
      {"return nil", "nil"},
      {"return", "nil"},
      {"", "nil"},
      {"return 1, 2", "1"},
      {"return print", "-ERR"},
      {"return {1, nil, 3}", "[1]"},
      {"return {}", "[]"},
      {"return {1, 'two', {3.5, false, true}, x = 4}", "[1 \"two\" [3 nil 1]]"},
      {"return {ok = 'FINE'}", "+FINE"},
      {"return {err = 'ERR so\\nmuch'}", "-ERR so much"},
      {"return {1, {err = 'ERR x'}}", "[1 -ERR x]"},
      {"return redis.status_reply('PONG')", "+PONG"},
      {"return redis.error_reply('MINE is wrong')", "-MINE is wrong"},
      {"return redis.error_reply('-MINE is wrong')", "-MINE is wrong"},
      {"return redis.error_reply('wrong')", "-ERR wrong"},
      {"return function() end", "nil"},
      {"return setmetatable({1}, {__index = function() return 1 end})", "[1]"},
  };
  for (const auto& [body, expected] : table) {
    CAPTURE(body);
    CHECK(outcome(body).starts_with(expected));
  }
}

TEST_CASE("a reply becomes the value that Redis gives to a script") {
  const auto seen = [](const char* expression, Reply reply) {
    return outcome(std::string("local r = redis.pcall('X')\nreturn tostring(") + expression + ")",
                   {std::move(reply)});
  };
  CHECK(seen("r == false", Reply{}) == "\"true\"");
  CHECK(seen("type(r) .. r", integer(7)) == "\"number7\"");
  CHECK(seen("type(r) .. r", text("7")) == "\"string7\"");
  CHECK(seen("r.ok", text("OK", Reply::Type::status)) == "\"OK\"");
  CHECK(seen("r.err", text("ERR no", Reply::Type::error)) == "\"ERR no\"");
  CHECK(seen("#r .. r[1] .. tostring(r[2]) .. r[3][1].err",
             array({integer(1), Reply{}, array({text("E x", Reply::Type::error)})})) ==
        "\"31falseE x\"");
}

TEST_CASE("numbers in commands keep every digit, and an argument that is not text is refused") {
  const auto command = [](const char* words) {
    ClientScript script(script_of(std::string("return redis.call(") + words + ")"));
    ClientScript::Run run(script);
    const ScriptStep step = run.start({}, {});
    return step.has_ended() ? shown(step.result) : shown(step.command);
  };
  CHECK(command("'SET', 'k', 1763683982123456") == "SET k 1763683982123456");
  CHECK(command("'SET', 'k', 1763683982123456768") == "SET k 1763683982123456768");
  CHECK(command("'SET', 'k', -2.5") == "SET k -2.5");
  CHECK(command("'SET', 'k', 1763683982.123456") == "SET k 1763683982.123456");
  CHECK(command("'SET', 'k', 0.1") == "SET k 0.10000000000000001");
  CHECK(command("'SET', 'k', 1e300").starts_with("SET k 1.00000000000000"));
  CHECK(command("").starts_with("-ERR a command must be"));
  CHECK(command("'SET', 'k', true").starts_with("-ERR a command must be"));
  CHECK(command("'SET', nil, 1").starts_with("-ERR a command must be"));
  CHECK(command("'SET', {}").starts_with("-ERR a command must be"));
}

TEST_CASE("redis.call raises Redis's error, redis.pcall returns it, pcall catches it as text") {
  const std::deque<Reply> wrong{text("WRONGTYPE no", Reply::Type::error)};
  CHECK(outcome("redis.call('GET', 'k') return 1", wrong) == "-WRONGTYPE no");
  CHECK(outcome("return redis.pcall('GET', 'k')", wrong) == "-WRONGTYPE no");
  CHECK(outcome("local r = redis.pcall('GET', 'k') return r.err .. '!'", wrong) ==
        "\"WRONGTYPE no!\"");
  CHECK(outcome("local good, problem = pcall(redis.call, 'GET', 'k')\n"
                "return {tostring(good), problem}",
                wrong) == "[\"false\" \"WRONGTYPE no\"]");
  CHECK(outcome("return {pcall(function() return redis.call('GET', 'k') end)}", {integer(5)}) ==
        "[1 5]");
  CHECK(outcome("local _, p = xpcall(function() redis.call('GET') end, function(e) return e end)\n"
                "return p.err",
                wrong) == "\"WRONGTYPE no\"");
  CHECK(outcome("return select(2, pcall(error, {code = 7})).code") == "7");
}

TEST_CASE("commands pause a run even inside functions, iterators and metamethods") {
  CHECK(outcome("local function f() return redis.call('A') + 1 end return f() + f()",
                {integer(1), integer(2)}) == "5");
  CHECK(outcome("local sum = 0\n"
                "for n in function() local n = redis.call('POP') return n > 0 and n or nil end do\n"
                "  sum = sum + n\n"
                "end return sum",
                {integer(4), integer(5), integer(0)}) == "9");
  CHECK(outcome("local t = setmetatable({}, {__index = function(_, k) return redis.call(k) end})\n"
                "return t.GET",
                {integer(8)}) == "8");
  CHECK(contains(outcome("table.sort({2, 1}, function() return redis.call('X') end)"), "yield"));
}

TEST_CASE("an uncaught error ends the run and names the line") {
  CHECK(contains(outcome("\nlocal x = nil + 1"), "test.lua:5:"));
  CHECK(outcome("error('plain', 0)") == "-ERR plain");
  CHECK(outcome("error({err = 'MINE own'})") == "-MINE own");
  CHECK(outcome("error()") == "-ERR the script raised an error without a text");
  CHECK(outcome("error({})") == "-ERR the script raised an error without a text");
}

TEST_CASE("a script that does not compile is refused before a run") {
  for (const char* body : {"return (", "return 1 end local function f()", "\x1bLJ", "x ="}) {
    CAPTURE(body);
    CHECK_THROWS_AS(ClientScript(script_of(body)), Error);
  }
  CHECK(outcome("return 1 -- the last line is a comment") == "1");
  ClientScript script(make_script("s.lua", "#!lua name=x\nreturn redis.call('PING')\n", {},
                                  {"given", "reply = allowed"}));
  ClientScript::Run run(script);
  CHECK(shown(run.start({}, {}).command) == "PING");
}

TEST_CASE("names that Redis hides from scripts are hidden here too, with a clearer message") {
  for (const char* name : {"os", "io", "load", "loadstring", "dofile", "require", "ffi", "jit",
                           "debug", "package", "cmsgpack", "coroutine", "getfenv"}) {
    CAPTURE(name);
    CHECK(contains(outcome(std::string("return ") + name + ".x"), "is not available"));
  }
  CHECK(contains(outcome("return limit"), "there is no global variable 'limit'"));
  CHECK(contains(outcome("limit = 5"), "can't set the global variable 'limit'"));
  CHECK(contains(outcome("function f() end"), "can't set the global variable 'f'"));
  CHECK(outcome("return string.dump and 1 or 0") == "0");
  CHECK(contains(outcome("return redis.setresp(3)"), "RESP2"));
  CHECK(outcome("redis.log(redis.LOG_NOTICE, 'x') redis.setresp(2) return 1") == "1");
  CHECK(outcome("return redis.sha1hex('')") == "\"da39a3ee5e6b4b0d3255bfef95601890afd80709\"");
  CHECK(outcome("return bit.band(12, 10)") == "8");
}

TEST_CASE("a run's globals are not visible to the next run") {
  const char* const attempts[] = {
      "rawset(_G, 'left', 1)",
      "pcall(function() string.format = nil end)",
      "pcall(rawset, string, 'format', nil)",
      "pcall(rawset, redis, 'call', nil)",
      "pcall(function() getmetatable('').__index.format = nil end)",
      "pcall(setmetatable, string, nil)",
      "pcall(function() getmetatable(_G).__index.left = 1 end)",
      "KEYS = nil",
      "pcall(function() redis.call = nil end)",
  };
  for (const char* attempt : attempts) {
    CAPTURE(attempt);
    ClientScript script(script_of(std::string("local seen = rawget(_G, 'left')\n"
                                              "local text = string.format('%d', #KEYS)\n") +
                                  attempt + "\nreturn {text, seen or 'none', redis.call('X')}"));
    for (int i = 0; i < 2; ++i) {
      ClientScript::Run run(script);
      CHECK(shown(run.start({}, {}).command) == "X");
      CHECK(shown(run.resume(integer(1)).result) == "[\"0\" \"none\" 1]");
    }
  }
}

TEST_CASE("runs of one script can alternate without seeing each other") {
  ClientScript script(
      script_of("local mine = redis.call('A', KEYS[1])\n"
                "redis.call('B')\n"
                "return {KEYS[1], mine}"));
  std::vector<ClientScript::Run> runs;
  for (int i = 0; i < 3; ++i) runs.emplace_back(script);
  for (int i = 0; i < 3; ++i) {
    const std::vector<std::string> keys{std::to_string(i)};
    CHECK(shown(runs[i].start(keys, {}).command) == "A " + keys.front());
  }
  for (int i = 2; i >= 0; --i) CHECK(shown(runs[i].resume(integer(10 + i)).command) == "B");
  for (int i = 0; i < 3; ++i)
    CHECK(shown(runs[i].resume(integer(0)).result) ==
          "[\"" + std::to_string(i) + "\" " + std::to_string(10 + i) + "]");
}

TEST_CASE("an endless script is stopped, even if it catches the error") {
  const ScriptBounds bounds{100'000, 2'000'000, 10, 8 << 20};
  for (const char* body :
       {"while true do end", "while true do pcall(function() while true do end end) end",
        "local function f() return pcall(f) end while true do f() end",
        "while true do xpcall(function() while true do end end, function() end) end",
        "local function f() return f() end f()"}) {
    CAPTURE(body);
    CHECK(contains(outcome(body, {}, bounds), "ran too long"));
  }
}

TEST_CASE("a script with few but long instructions is stopped") {
  const ScriptBounds bounds{10'000'000, 100'000, 10, 64 << 20};
  for (const char* body : {"while true do local s = string.rep('x', 1e6) end",
                           "while true do pcall(string.rep, 'x', 1e6) end"}) {
    CAPTURE(body);
    CHECK(contains(outcome(body, {}, bounds), "ran too long"));
  }
}

TEST_CASE("a pattern that can take too long is refused where it stands, and others match as ever") {
  const std::string text = "local text, long = string.rep('a', 60), string.rep('.-', 50) .. 'x' ";
  for (const char* body : {"return string.find(text, long)", "return text:match(long)",
                           "for one in text:gmatch(long) do end", "return (text:gsub(long, ''))",
                           "while true do pcall(string.find, text, long) end"}) {
    CAPTURE(body);
    const std::string told = outcome(text + body, {}, {10'000'000, 500'000, 10, 64 << 20});
    CHECK((contains(told, "this pattern can take too long") || contains(told, "ran too long")));
    CHECK_FALSE(contains(told, "sandbox"));
  }
  CHECK(outcome("return string.find(string.rep('a', 60), string.rep('.-', 50), 1, true)") == "nil");
  CHECK(outcome("return {string.find('a:12', '(%d+)')}") == "[3 4 \"12\"]");
  CHECK(outcome("return ('a:12'):match('%a:(%d+)')") == "\"12\"");
  CHECK(outcome("return {('abc'):gsub('b', {b = 'x'})}") == "[\"axc\" 1]");
  CHECK(outcome("local n = 0 for word in ('a,b,c'):gmatch('[^,]+') do n = n + 1 end return n") ==
        "3");
  CHECK(contains(outcome("return string.find(nil, 'x')"), "bad argument #1 to"));
  CHECK(contains(outcome("return string.find('x', '[')"), "malformed pattern"));
}

TEST_CASE("matches that each take long are stopped by time") {
  const std::string body =
      "local text = string.rep('a', 200) while true do text:find('.-.-.-x') end";
  CHECK(contains(outcome(body, {}, {10'000'000, 200'000, 10, 64 << 20}), "ran too long"));
}

TEST_CASE("instructions are counted over all steps of a run, and from 0 for the next run") {
  ClientScript script(
      script_of("for i = 1, 5 do for j = 1, 20000 do end redis.call('X') end return 1"),
      {70'000, 2'000'000, 10, 8 << 20});
  ClientScript::Run run(script);
  for (int round = 0; round < 2; ++round) {
    ScriptStep step = run.start({}, {});
    int commands = 0;
    for (; !step.has_ended(); ++commands) step = run.resume(integer(0));
    CHECK(contains(shown(step.result), "ran too long"));
    CHECK(commands > 0);
  }
}

TEST_CASE("a script that uses too much memory or too many commands ends with an error") {
  const ScriptBounds bounds{10'000'000, 2'000'000, 3, 8 << 20};
  for (const char* body :
       {"return string.rep('x', 20000000)", "local s = 'x' while true do s = s .. s end",
        "local t = {} for i = 1, 1e7 do t[i] = {} end"}) {
    CAPTURE(body);
    CHECK(contains(outcome(body, {}, bounds), "not enough memory"));
  }
  CHECK(contains(
      outcome("while true do redis.call('X') end", {integer(1), integer(1), integer(1)}, bounds),
      "more than 3 commands"));
  CHECK(contains(outcome("while true do redis.pcall() end", {}, bounds), "more than 3 commands"));
  // Its memory is free again, for the next run and for others.
  ClientScript script(script_of("local t = {} for i = 1, 1e7 do t[i] = {} end"), bounds);
  for (int i = 0; i < 5; ++i) {
    ClientScript::Run run(script);
    CHECK(contains(shown(run.start({}, {}).result), "not enough memory"));
  }
}

TEST_CASE("an infinite reply is an error") {
  CHECK(contains(outcome("local t = {} t[1] = t return t"), "too deep"));
  CHECK(contains(outcome("local t = {1} for i = 1, 60 do t = {t, t} end return t"), "too large"));
}

TEST_CASE("abandoned runs leave nothing behind") {
  ClientScript script(script_of("redis.call('X') return 1"), {10'000'000, 10, 4 << 20});
  for (int i = 0; i < 20'000; ++i) {
    ClientScript::Run run(script);
    REQUIRE_FALSE(run.start({}, {}).has_ended());
  }
  ClientScript::Run run(script);
  run.start({}, {});
  CHECK(shown(run.resume(integer(0)).result) == "1");
}

TEST_CASE("one seed gives one sequence of random numbers") {
  const Script script = script_of("return math.random(1000000)");
  ClientScript first(script, {}, 7), second(script, {}, 7), other(script, {}, 8);
  const auto draw = [](ClientScript& of) {
    ClientScript::Run run(of);
    return run.start({}, {}).result.integer;
  };
  const std::int64_t one = draw(first);
  CHECK(one == draw(second));
  CHECK(draw(first) == draw(second));
  CHECK(one != draw(other));
}
