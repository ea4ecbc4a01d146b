#include "house/source_scan.h"

#include <doctest/doctest.h>

#include <string>

using namespace rlctl::house;

namespace {

// "lines@first_line" of each function, in the order in which the functions end.
std::string shape(const Scan& scan) {
  if (!scan.balanced) return "unbalanced";
  std::string out;
  for (const Function& function : scan.functions)
    out += (out.empty() ? "" : " ") + std::to_string(function.lines) + "@" +
           std::to_string(function.first_line);
  return out;
}

std::string cpp(std::string_view source) { return shape(scan_cpp(source)); }
std::string lua(std::string_view source) { return shape(scan_lua(source)); }

}  // namespace

TEST_CASE("functions are counted from the signature to the closing brace") {
  CHECK(cpp("int f() { return 1; }\n") == "1@1");
  CHECK(cpp("\nint f(int a,\n      int b) {\n  return a;\n}\n") == "4@2");
  CHECK(cpp("int f();\nint g() {\n}\n") == "2@2");
  CHECK(cpp("auto f() -> std::vector<int> {\n}\n") == "2@1");
  CHECK(cpp("bool operator<(const X& a, const X& b) {\n}\n") == "2@1");
  CHECK(cpp("X operator()(int a) const noexcept {\n}\n") == "2@1");
  CHECK(cpp("template <class T, class U = int>\nvoid f() {\n}\n") == "3@1");
  CHECK(cpp("TEST_CASE(\"a { claim\") {\n  CHECK(true);\n}\n") == "3@1");
  CHECK(cpp("void f() {\n  if (x) {\n    y();\n  }\n}\nvoid g() {\n}\n") == "5@1 2@6");
  CHECK(cpp("void f(Options options = {}) {\n}\n") == "2@1");
}

TEST_CASE("namespaces, classes, enums and initialisers are not functions") {
  CHECK(cpp("namespace a::b {\nnamespace {\nint x{0};\n}\n}\n").empty());
  CHECK(cpp("extern \"C\" {\nint f();\n}\n").empty());
  CHECK(cpp("enum class E : int {\n  a,\n  b,\n};\n").empty());
  CHECK(cpp("constexpr int kTable[] = {\n  1,\n  2,\n};\n").empty());
  CHECK(cpp("const std::map<int, X> kMap = {\n  {1, {2, 3}},\n};\n").empty());
  CHECK(cpp("std::function<void(int)> f{g};\n").empty());
  CHECK(cpp("struct X final : Base<int> {\n  int y = 0;\n  std::vector<int> z{};\n};\n").empty());
  CHECK(cpp("template <>\nstruct std::hash<X> {\n};\n").empty());
}

TEST_CASE("members are found within their classes") {
  CHECK(
      cpp("class [[nodiscard]] X {\n public:\n  int f() {\n  }\n\n private:\n  int x_{0};\n};\n") ==
      "2@3");
  CHECK(cpp("X::X(int a)\n    : a_{a}, b_(2), c_{} {\n  go();\n}\n") == "4@1");
  CHECK(cpp("X::X() : base<int>{1} {\n}\n") == "2@1");
  CHECK(cpp("struct A {\n  struct B {\n    void f() {\n    }\n  };\n  void g() {\n  }\n};\n") ==
        "2@3 2@6");
}

TEST_CASE("a lambda counts as part of its function, at namespace scope it is one itself") {
  CHECK(cpp("void f() {\n  auto g = [](int x) {\n    return x;\n  };\n}\n") == "5@1");
  CHECK(cpp("const auto f = [](int x) -> int {\n  return x;\n};\n") == "3@1");
  CHECK(cpp("const Tool kTools[] = {\n    {\"a\", [](int) {\n       go();\n     }},\n};\n") ==
        "3@2");
  CHECK(cpp("const bool done = call([&] {\n  go();\n});\nvoid f() {\n}\n") == "3@1 2@4");
}

TEST_CASE("braces in comments, literals and macros do not count") {
  CHECK(cpp("void f() {\n  // {\n  /* { \" */\n  g('{', \"{\\\"{\", 1'000, u8'}');\n}\n") == "5@1");
  CHECK(cpp("const char* kText = R\"x({\n)\" {{\n)x\";\nvoid f() {\n}\n") == "2@4");
  CHECK(cpp("#define OPEN {\n#define LONG(x) \\\n  { x\nvoid f() {\n}\n") == "2@4");
  CHECK(cpp("int x = 0xAB'CD;  // '\nvoid f() {\n}\n") == "2@2");
}

TEST_CASE("code that cannot be followed is called unbalanced") {
  CHECK(cpp("void f() {\n") == "unbalanced");
  CHECK(cpp("}\n") == "unbalanced");
  CHECK(cpp("void f(int a;\n") == "unbalanced");
  CHECK(lua("if x then\n") == "unbalanced");
  CHECK(lua("end\n") == "unbalanced");
  CHECK(lua("repeat end\n") == "unbalanced");
}

TEST_CASE("Lua functions are found, including nested ones") {
  CHECK(lua("local function f(a)\n  return a\nend\n") == "3@1");
  CHECK(lua("local x = 1\nif x then\n  y()\nelseif z then\nend\n").empty());
  CHECK(lua("function f()\n  for i = 1, 2 do\n    g()\n  end\n  repeat h() until i\nend\n") ==
        "6@1");
  CHECK(lua("function f()\n  return pcall(function()\n    g()\n  end)\nend\n") == "3@2 5@1");
  CHECK(lua("-- function\n--[[ function\n ]] local s = 'end' .. [==[ end ]==] .. \"\\\"end\"\n")
            .empty());
  CHECK(lua("local ending, friend = t.done, 1\n").empty());
}
