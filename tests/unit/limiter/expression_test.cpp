#include "limiter/expression.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "tools/replies.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

const std::vector<std::string> kNames{"reply", "limit", "who"};

Expressions compile(const std::string& expression) {
  return Expressions(std::vector{expression}, kNames, "mine.lua");
}

std::optional<double> value(const std::string& expression, const Reply& reply = {}) {
  Expressions expressions = compile(expression);
  expressions.set("reply", reply);
  expressions.set("limit", 100.0);
  expressions.set("who", "ann");
  return expressions.evaluate(0);
}

std::optional<double> number(const std::string& expression, const Reply& reply = {}) {
  Expressions expressions = compile(expression);
  expressions.set("reply", reply);
  return expressions.number(0);
}

}  // namespace

TEST_CASE("an expression gives a number, with 1 for true and 0 for false") {
  CHECK(value("1 + 2") == 3);
  CHECK(value("true") == 1);
  CHECK(value("false") == 0);
  CHECK(value("nil") == 0);
  CHECK(value("'12.5'") == 12.5);
  CHECK(value("limit * 2") == 200);
  CHECK(value("who == 'ann'") == 1);
  CHECK(value("math.max(3, 4)") == 4);
  CHECK(value("tonumber('7') + #tostring(12)") == 9);
  CHECK(value("1 -- a comment") == 1);
}

TEST_CASE("an expression with a pattern that could take years fails at once") {
  const auto problem = [](const std::string& expression) {
    Expressions expressions = compile(expression);
    expressions.set("reply", text(std::string(50, 'x')));
    CHECK_FALSE(expressions.evaluate(0));
    return expressions.problem();
  };
  const std::string years = "string.rep('.-', 50) .. 'y'";
  for (const char* call : {"string.find(reply, ", "string.match(reply, ", "string.gsub(reply, "}) {
    const std::string told = problem(call + years + (call[8] == 's' ? ", '')" : ")"));
    CHECK(told.find("this pattern can take too long on this text") == 0);
  }
  CHECK(problem("reply:find(" + years + ")").find("too long") != std::string::npos);
  // The bound of each search is below the limit; that of all together is not.
  const std::string each = "string.find(string.rep('x', 300), '^.-:.-:.-y')";
  CHECK(problem("(function() while true do " + each + " end end)()").find("too long") !=
        std::string::npos);
  const Reply usual = text("remaining=12; reset=3");
  CHECK(value("string.match(reply, 'remaining=(%d+)')", usual) == 12);
  CHECK(value("(reply:gsub('.*reset=', ''))", usual) == 3);
  CHECK(value("string.find(reply, '=12;', 1, true) ~= nil", usual) == 1);
}

TEST_CASE("a reply looks as Redis gives it to Lua") {
  CHECK(value("reply <= limit", integer(100)) == 1);
  CHECK(value("reply <= limit", integer(101)) == 0);
  CHECK(value("not reply") == 1);
  CHECK(value("reply == false") == 1);
  CHECK(value("reply.ok == 'OK'", text("OK", Reply::Type::status)) == 1);
  CHECK(value("reply.err == 'ERR x'", text("ERR x", Reply::Type::error)) == 1);
  CHECK(value("#reply", text(std::string("\0a\xff", 3))) == 3);
  const Reply nested = array({integer(5), text("7"), Reply{}, array({integer(9)}), integer(2)});
  CHECK(value("reply[1]", nested) == 5);
  CHECK(value("reply[2] + 0", nested) == 7);
  CHECK(value("reply[2]", nested) == 7);
  CHECK(value("reply[3] == false", nested) == 1);
  CHECK(value("reply[4][1]", nested) == 9);
  CHECK(value("#reply", nested) == 5);
  CHECK(value("reply[6] == nil", nested) == 1);
}

TEST_CASE(
    "of a command's reply, a status is its text, and nil never stands for what is not there") {
  const auto strict = [](const std::string& expression, const Reply& reply,
                         std::string problem = "") {
    Expressions expressions = compile(expression);
    expressions.set_strictly("reply", reply);
    const std::optional<double> result = expressions.evaluate(0);
    CHECK(expressions.problem() == problem);
    return result;
  };
  CHECK(strict("reply == 'OK'", text("OK", Reply::Type::status)) == 1);
  CHECK(strict("reply == 'OK'", Reply{}) == 0);
  const Reply nested = array({integer(5), Reply{}, array({integer(9)})});
  CHECK(strict("reply[1] == 5", nested) == 1);
  CHECK(strict("reply[2] == false", nested) == 1);
  CHECK(strict("reply[3][1]", nested) == 9);
  CHECK(strict("#reply == 3", nested) == 1);
  CHECK(strict("reply[4] == 1", nested, "element 4 is asked for, and there are 3") == std::nullopt);
  CHECK(strict("reply[3][0]", nested, "element 0 is asked for, and there are 1") == std::nullopt);
  CHECK(strict("reply[1]", integer(1), "attempt to index local 'reply' (a number value)") ==
        std::nullopt);
}

TEST_CASE("a result that is not a number gives no value") {
  CHECK(value("{}") == std::nullopt);
  CHECK(value("who") == std::nullopt);
  CHECK(value("0/0") == std::nullopt);
  CHECK(value("1/0") == std::nullopt);
  CHECK(value("reply[1]", integer(3)) == std::nullopt);
  CHECK(value("reply <= limit", text("3")) == std::nullopt);
  CHECK(value("nothing.here") == std::nullopt);
}

TEST_CASE("for numbers, true, false and nil give no value") {
  CHECK(number("true") == std::nullopt);
  CHECK(number("reply") == std::nullopt);
  CHECK(number("nil") == std::nullopt);
  CHECK(number("reply", integer(4)) == 4);
  CHECK(number("reply", text("4.5")) == 4.5);
  CHECK(number("reply[1]") == std::nullopt);
}

TEST_CASE("a failed expression does not affect the others") {
  const std::vector<std::string> texts{"reply[1]", "limit"};
  Expressions expressions(texts, kNames, "mine.lua");
  expressions.set("reply", Reply{});
  expressions.set("limit", 5.0);
  for (int i = 0; i < 10'000; ++i) {
    REQUIRE(expressions.evaluate(0) == std::nullopt);
    REQUIRE(expressions.number(1) == 5);
  }
}

TEST_CASE("an endless expression ends without a value") {
  CHECK(value("(function() while true do end end)()") == std::nullopt);
  CHECK(value("(function() local function f() return f() end return f() end)()") == std::nullopt);
  CHECK(value("(function() local function f() return 1 + f() end return f() end)()") ==
        std::nullopt);
}

TEST_CASE("an expression that asks for much memory fails, and the next one works") {
  for (const std::string text :
       {"#string.rep('x', 1e9)", "#string.rep(string.rep('x', 1e4), 1e5)",
        "#(function() local s = 'x' for i = 1, 40 do s = s .. s end return s end)()"}) {
    CAPTURE(text);
    const std::string texts[] = {text, "#string.rep('x', 1e6)"};
    Expressions expressions(texts, {}, "test");
    CHECK_FALSE(expressions.evaluate(0));
    CHECK(expressions.problem() == "not enough memory");
    for (int i = 0; i < 100; ++i) CHECK(expressions.evaluate(1) == 1e6);
  }
}

TEST_CASE("an expression can't use files, programs or other code") {
  for (const char* name :
       {"os",      "io",      "load", "loadstring", "loadfile",       "dofile",   "require",
        "package", "debug",   "ffi",  "jit",        "pcall",          "xpcall",   "setmetatable",
        "getfenv", "setfenv", "_G",   "print",      "collectgarbage", "coroutine"}) {
    CAPTURE(name);
    CHECK(value(std::string(name) + " == nil") == 1);
  }
}

TEST_CASE("invalid expressions are refused with their text and their file") {
  for (const char* bad : {"reply[1] = 5", "1 +", "return 1", "", "x y", "(", "end", "'"}) {
    CAPTURE(bad);
    std::string message;
    try {
      compile(bad);
    } catch (const Error& error) {
      CHECK(error.exit() == Exit::usage);
      message = error.what();
    }
    CHECK(message.find("mine.lua: '" + std::string(bad)) == 0);
  }
  CHECK_THROWS_WITH_AS(compile("\x1b("), doctest::Contains("\\x1b"), Error);
}

TEST_CASE("an equality of a text and a number is found, whatever is around it") {
  const auto found = [](const std::string& expression) {
    std::vector<std::string> texts;
    for (const Equality& equality : equalities_in(expression)) texts.push_back(equality.text);
    return texts;
  };
  using Texts = std::vector<std::string>;
  CHECK(found("reply == 1") == Texts{"reply == 1"});
  CHECK(found("reply[2][1]~='OK' and (limit == reply[1])") ==
        Texts{"reply[2][1]~='OK'", "limit == reply[1]"});
  CHECK(found("reply <= limit").empty());
  CHECK(found("#reply == 2 or 1 + reply == 2 or reply == 1 + 1").empty());
  CHECK(found("tonumber(reply) == 1 or reply == tonumber(x)").empty());
  Expressions mixed(Texts{equalities_in("reply == 1")[0].mixes_types()}, Texts{"reply"}, "test");
  mixed.set("reply", "1");
  CHECK(mixed.number(0) == 1);
  mixed.set("reply", 1);
  CHECK_FALSE(mixed.number(0));
  mixed.set("reply", Reply{});
  CHECK_FALSE(mixed.number(0));
}
