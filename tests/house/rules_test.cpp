// Each rule is tested with code that keeps it and code that breaks it.
#include "house/rules.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

using namespace rlctl::house;

namespace {

std::string only(const Findings& findings) {
  return findings.size() == 1 ? findings[0] : std::to_string(findings.size()) + " findings";
}

std::string lines(std::size_t n) {
  std::string text;
  for (; n > 0; --n) text += "  g();\n";
  return text;
}

}  // namespace

TEST_CASE("an include uphill is found") {
  CHECK(only(check_includes("src/base/a.h", "// x\n#include \"io/clock.h\"\n")) ==
        "src/base/a.h:2: base may not include io/clock.h");
  CHECK(check_includes("src/io/a.h", "#include \"limiter/a.h\"\n").size() == 1);
  CHECK(check_includes("src/report/a.h", "#include \"run/drive.h\"\n").size() == 1);
  CHECK(check_includes("src/limiter/a.cpp", "#  include <run/drive.h>\n").size() == 1);
  CHECK(check_includes("src/run/a.cpp", "#include \"cli/bench.h\"\n").size() == 1);
  CHECK(check_includes("src/other/a.cpp", "").size() == 1);
  CHECK(only(check_includes("src/base/a.h", "#include \"error.h\"\n")) ==
        "src/base/a.h:1: not written from src/: error.h");
}

TEST_CASE("folders that include each other are found") {
  CHECK(only(check_no_circles({{"src/io/a.h", "#include \"io/http/b.h\"\n"},
                               {"src/io/http/b.h", "#include \"io/redis/c.h\"\n"},
                               {"src/io/redis/c.h", "#include \"io/d.h\"\n"},
                               {"src/cli/e.h", "#include \"io/d.h\"\n"}})) ==
        "folders include each other: src/io src/io/http src/io/redis");
  CHECK(check_no_circles({{"src/io/a.h", "#include \"io/http/b.h\"\n#include \"io/c.h\"\n"},
                          {"src/io/http/b.h", "#include <vector>\n"}})
            .empty());
}

TEST_CASE("a folder of 46 files is found, one of 45 is accepted") {
  std::vector<std::string> paths(45, "src/io/a.h");
  CHECK(check_room_sizes(paths).empty());
  paths.push_back("src/io/b.h");
  CHECK(only(check_room_sizes(paths)) == "src/io holds 46 files, more than 45");
}

TEST_CASE("an include downhill is fine") {
  CHECK(check_includes("src/base/a.h", "#include <vector>\n#include \"base/b.h\"\n").empty());
  CHECK(check_includes("src/io/a.h", "#include \"base/error.h\"\n").empty());
  CHECK(check_includes("src/run/a.cpp", "#include \"limiter/b.h\"\n#include \"io/c.h\"\n").empty());
  CHECK(check_includes("src/cli/a.cpp", "#include \"run/b.h\"\n#include \"report/c.h\"\n").empty());
  CHECK(check_includes("src/main.cpp", "#include \"cli/b.h\"\n").empty());
  CHECK(check_includes("src/cli/a.cpp", "#include <event2/event.h>\n").empty());
}

TEST_CASE("a pure room with a socket, a loop, Redis or a clock is found") {
  for (const std::string header : {"sys/socket.h", "netinet/in.h", "event2/event.h",
                                   "hiredis/hiredis.h", "unistd.h", "coroutine", "thread"}) {
    CAPTURE(header);
    const std::string text = "#include <" + header + ">\n";
    CHECK(check_purity("src/base/a.cpp", text).size() == 1);
    CHECK(check_purity("src/io/a.cpp", text).empty());
  }
  CHECK(only(check_purity("src/base/a.cpp", "\nauto t = std::chrono::steady_clock::now();\n")) ==
        "src/base/a.cpp:2: base reads no clock");
  CHECK(check_purity("src/base/a.cpp", "// no steady_clock here\n#include <chrono>\n").empty());
}

TEST_CASE("a function of 71 lines is found, one of 70 is accepted") {
  const std::string longest = "void f() {\n" + lines(68) + "}\n";
  const std::string too_long = "void f() {\n" + lines(69) + "}\n";
  CHECK(check_function_lengths("src/base/a.cpp", longest).empty());
  CHECK(only(check_function_lengths("src/base/a.cpp", "\n" + too_long)) ==
        "src/base/a.cpp:2: 71 lines: void f()");
  CHECK(only(check_function_lengths("tests/unit/a.cpp", "void f() {\n")) ==
        "tests/unit/a.cpp:1: blocks are not balanced");
  CHECK(check_function_lengths("lua/a.lua", "function f()\n" + lines(68) + "end\n").empty());
  CHECK(check_function_lengths("lua/a.lua", "function f()\n" + lines(69) + "end\n").size() == 1);
}

TEST_CASE("a file of 601 lines is found, data files may be longer") {
  CHECK(check_file_length("src/base/a.cpp", lines(600)).empty());
  CHECK(only(check_file_length("src/base/a.cpp", lines(601))) ==
        "src/base/a.cpp:601: 601 lines in one file");
  CHECK(check_file_length("lua/a.lua", lines(601)).size() == 1);
  CHECK(check_file_length("src/CMakeLists.txt", lines(601)).size() == 1);
  CHECK(check_file_length("tests/vectors.json", lines(601)).empty());
}

TEST_CASE("a line of 101 columns is found, by columns and not by bytes") {
  CHECK(check_line_lengths("src/base/a.cpp", std::string(100, 'x') + "\n").empty());
  CHECK(check_line_lengths("src/base/a.cpp", "// µ" + std::string(96, 'x') + "\n").empty());
  CHECK(only(check_line_lengths("src/base/a.cpp", "\n" + std::string(101, 'x'))) ==
        "src/base/a.cpp:2: 101 columns");
}

TEST_CASE("a header without an opening comment is found") {
  CHECK(check_header_comment("src/base/a.h", "// What it owns.\n#pragma once\n").empty());
  CHECK(check_header_comment("src/base/a.h", "#pragma once\n// Late.\n").size() == 1);
  CHECK(check_header_comment("src/base/a.h", "").size() == 1);
  CHECK(check_header_comment("src/base/a.cpp", "int x;\n").empty());
}

TEST_CASE("a test name that ctest can't pass on is found") {
  for (const std::string character : {";", "[", "]", "\\"}) {
    CAPTURE(character);
    const std::string text = "\nTEST_CASE(\"a" + character + " b\") { f(); }\n";
    CHECK(only(check_test_names("tests/unit/a_test.cpp", text)) ==
          "tests/unit/a_test.cpp:2: a test name with '" + character + "' is never run by ctest: a" +
              character + " b");
  }
  CHECK(
      check_test_names("tests/a_test.cpp", "TEST_CASE(\"a, b: <c> (d) 'e' * ? #\") {}\n").empty());
}

TEST_CASE("a test that checks nothing if its loop is empty is found") {
  const std::string loop = "TEST_CASE(\"a\") {\n  for (const int n : all()) CHECK(n);\n}\n";
  CHECK(only(check_test_loops("tests/unit/a_test.cpp", loop)) ==
        "tests/unit/a_test.cpp:1: passes if its loop is empty: a");
  CHECK(check_test_loops("tests/unit/a_test.cpp", "TEST_CASE(\"a\") { CHECK(1); }\n").empty());
}

TEST_CASE("a source file that is in no CMake list is found") {
  const Lists lists = {
      {"src", "add_library(x\n  base/a.cpp base/b.cpp\n  # base/c.cpp\n)\nadd_subdirectory(run)\n"},
      {"src/run", "add_library(y d.cpp)\n"}};
  CHECK(check_listed("src/base/a.cpp", lists).empty());
  CHECK(check_listed("src/base/b.cpp", lists).empty());
  CHECK(check_listed("src/run/d.cpp", lists).empty());
  CHECK(check_listed("src/base/a.h", lists).empty());
  CHECK(only(check_listed("src/base/c.cpp", lists)) ==
        "src/base/c.cpp:1: in no CMakeLists.txt: never built");
  CHECK(check_listed("src/a.cpp", lists).size() == 1);
  CHECK(check_listed("src/base/d.cpp", lists).size() == 1);
  CHECK(check_listed("tests/base/a.cpp", lists).size() == 1);
}

TEST_CASE("a room whose header is missing or explains too little is found") {
  std::map<std::string, std::string> sources;
  const Findings missing = check_room_headers(sources);
  CHECK(missing.size() >= 13);
  for (const std::string& finding : missing)
    sources[finding.substr(0, finding.find(':'))] = "// 1\n//\n// 3\n// 4\n// 5\n// 6\n//\n// 8\n";
  CHECK(check_room_headers(sources).empty());
  sources["src/io/loop.h"] = "// 1\n//\n// 3\n// 4\n// 5\n// 6\n// 7\n\n// late\n";
  CHECK(only(check_room_headers(sources)) ==
        "src/io/loop.h:1: opens the room io with 7 lines of comment, fewer than 8");
  sources["src/io/loop.h"] =
      "// 1\n// io/loop.h, loop.h\n// gone.h\n// 4\n// 5\n// 6\n// 7\n// 8\n";
  CHECK(only(check_room_headers(sources)) == "src/io/loop.h:3: there is no gone.h");
}

TEST_CASE("a file that README names and that does not exist is found") {
  std::string readme = "`src/` and `lua/a.lua`\n";
  std::set<std::string> paths{"src/io/a.cpp", "tests/cli/b.cpp"};
  for (const std::string& finding : check_room_headers({})) {
    const std::string path = finding.substr(0, finding.find(':'));
    paths.insert(path);
    readme += "`" + path.substr(std::string("src/").size()) + "`\n";
  }
  CHECK(check_readme(readme + "`io/a.cpp`, `tests/cli/b.cpp`\n", paths).empty());
  CHECK(only(check_readme("`io/b.cpp` and `io/a.cpp`\n" + readme, paths)) ==
        "README.md:1: there is no io/b.cpp");
  const std::size_t last = readme.rfind('`', readme.rfind('`') - 1);
  CHECK(only(check_readme(readme.substr(0, last), paths)) ==
        "README.md:1: does not name verdict/verdict.h of the room verdict");
}
