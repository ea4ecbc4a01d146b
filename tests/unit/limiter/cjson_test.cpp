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

TEST_CASE("cjson.encode writes what it writes inside Redis") {
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
      {"cjson.encode({[2^31] = 1})", R"({"2147483648":1})"},
  };
  for (const auto& [expression, expected] : table) {
    CAPTURE(expression);
    CHECK(evaluated(expression) == expected);
  }
}

TEST_CASE("cjson.decode reads what it reads inside Redis") {
  const std::pair<const char*, const char*> table[] = {
      {R"(cjson.decode('{"a":[1,2,{"b":"x"}]}').a[3].b)", "x"},
      {R"(#cjson.decode('[1,2,3]'))", "3"},
      {R"(cjson.decode('[null]')[1] == cjson.null)", "true"},
      {R"(cjson.decode('1.5') + 1)", "2.5"},
      {R"(cjson.decode('true'))", "true"},
      {R"(cjson.decode('"\\u00e9"'))", "\xc3\xa9"},
      {R"(cjson.decode(cjson.encode({x = {y = {1, 2}}})).x.y[2])", "2"},
      {R"(cjson.decode(7))", "7"},
      {R"(cjson.decode('[01, 0x10, 1e400]')[2])", "16"},
      {R"(cjson.decode('"a\n\255"'))", "a\n\xff"},
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
  CHECK(evaluated("select(2, pcall(cjson.decode, '{'))") ==
        "Expected object key string but found T_END at character 2");
}

TEST_CASE("JSON longer than the bound on memory ends neither the process nor its memory") {
  const auto returned = [](const std::string& body) {
    return evaluated("(function() " + body + " end)()");
  };
  // 110 times the same 20 MB: more than 2^31 bytes, which lua-cjson can't count.
  CHECK(returned("local text, all = string.rep('x', 20 * 2^20), {} "
                 "for i = 1, 110 do all[i] = text end "
                 "return select(2, pcall(cjson.encode, all))") == "Cannot serialise: too long");
  CHECK(returned("local all = {1} for i = 1, 40 do all = {all, all} end "
                 "return cjson.encode(all)")
            .ends_with("the script ran too long and was stopped"));
  CHECK(returned("local all = {} all.all = all "
                 "return select(2, pcall(cjson.encode, all))") ==
        "Cannot serialise, excessive nesting (1001)");
}

TEST_CASE("a script can't set cjson up, for itself or another run") {
  for (const char* name :
       {"new", "encode_keep_buffer", "encode_max_depth", "encode_sparse_array"}) {
    CAPTURE(name);
    CHECK(evaluated(std::string("cjson.") + name) == "nil");
  }
}
