#include <doctest/doctest.h>

#include "limiter/client_script.h"

using namespace rlctl;

namespace {

// The expression's value as text, or the error.
std::string evaluated(const std::string& expression) {
  ClientScript script(make_script("test.lua", "return tostring(" + expression + ")", {},
                                  {"given", "reply = allowed"}));
  ClientScript::Run run(script);
  return run.start({}, {}).result.text;
}

}  // namespace

TEST_CASE("cjson.encode writes what lua-cjson writes") {
  const std::pair<const char*, const char*> table[] = {
      {"cjson.encode({1, 2.5, 'x', true, false, cjson.null})", R"([1,2.5,"x",true,false,null])"},
      {"cjson.encode({})", "{}"},
      {"cjson.encode({a = {1}})", R"({"a":[1]})"},
      {"cjson.encode({[2] = 1})", "[null,1]"},
      {"cjson.encode({[1.5] = 1})", R"({"1.5":1})"},
      {"cjson.encode(1763683982123)", "1763683982123"},
      {"cjson.encode(1e20)", "1e+20"},
      {"cjson.encode('\"/\\\\\\n\\0\\127\\200')", "\"\\\"\\/\\\\\\n\\u0000\\u007f\xc8\""},
      {"cjson.encode(nil)", "null"},
  };
  for (const auto& [expression, expected] : table) {
    CAPTURE(expression);
    CHECK(evaluated(expression) == expected);
  }
}

TEST_CASE("cjson.decode reads what lua-cjson reads") {
  const std::pair<const char*, const char*> table[] = {
      {R"(cjson.decode('{"a":[1,2,{"b":"x"}]}').a[3].b)", "x"},
      {R"(#cjson.decode('[1,2,3]'))", "3"},
      {R"(cjson.decode('[null]')[1] == cjson.null)", "true"},
      {R"(cjson.decode('1.5') + 1)", "2.5"},
      {R"(cjson.decode('true'))", "true"},
      {R"(cjson.decode('"\\u00e9"'))", "\xc3\xa9"},
      {R"(cjson.decode(cjson.encode({x = {y = {1, 2}}})).x.y[2])", "2"},
      {R"(cjson.decode(7))", "7"},
  };
  for (const auto& [expression, expected] : table) {
    CAPTURE(expression);
    CHECK(evaluated(expression) == expected);
  }
}

TEST_CASE("a value without JSON, and text that is not JSON, are errors that the script can catch") {
  for (const char* argument : {"0/0", "{[100] = 1}", "{[{}] = 1}", "{tostring}"}) {
    CAPTURE(argument);
    const std::string call = std::string("(pcall(cjson.encode, ") + argument + "))";
    CHECK(evaluated(call) == "false");
  }
  for (const char* argument : {"'{'", "''", "'nul'", "'[1,]'", "{}", "'\\255'"}) {
    CAPTURE(argument);
    CHECK(evaluated(std::string("(pcall(cjson.decode, ") + argument + "))") == "false");
  }
  CHECK(evaluated("(pcall(cjson.decode, string.rep('[', 5000) .. string.rep(']', 5000)))") ==
        "false");
  CHECK(evaluated("(pcall(cjson.encode))") == "false");
  CHECK(evaluated("(pcall(cjson.encode, 1, 2))") == "false");
}
