#include "base/table.h"

#include <doctest/doctest.h>

using namespace rlctl;

TEST_CASE("columns are aligned under their headers") {
  Table table({{"algorithm"}, {"decisions/s", Align::right}, {"p99", Align::right}});
  table.add_row({"fixed", "15,200", "12.0 ms"});
  table.add_row({"sliding-list", "141,000", "900 µs"});
  CHECK(table.text() ==
        "algorithm     decisions/s      p99\n"
        "------------  -----------  -------\n"
        "fixed              15,200  12.0 ms\n"
        "sliding-list      141,000   900 µs\n");
}

TEST_CASE("wide and combining characters keep the columns straight") {
  Table table({{"key"}, {"used", Align::right}});
  table.add_row({"漢字", "1"});
  table.add_row({"e\u0301", "20"});
  CHECK(table.text() ==
        "key   used\n"
        "----  ----\n"
        "漢字     1\n"
        "e\u0301       20\n");
}

TEST_CASE("no line ends in blanks, and missing cells are empty") {
  Table table({{"name"}, {"note"}});
  table.add_row({"a", "long note"});
  table.add_row({"b"});
  CHECK(table.text() ==
        "name  note\n"
        "----  ---------\n"
        "a     long note\n"
        "b\n");
}

TEST_CASE("a header of two lines does not widen its column") {
  Table table({{"key"}, {"false\ndenials", Align::right}, {"too\nmany", Align::right}});
  table.add_row({"a", "1", "20"});
  CHECK(table.text() ==
        "       false   too\n"
        "key  denials  many\n"
        "---  -------  ----\n"
        "a          1    20\n");
}

TEST_CASE("if the table is too wide, the first column gets lines of its own") {
  Table table({{"key"}, {"used", Align::right}, {}, {"left", Align::right}}, 2);
  table.add_row({"ratelimit:ip:203.0.113.7", "1", "", "20"});
  table.add_rule();
  table.add_row({"all", "1", "", "20"});
  CHECK(table.text(38) ==
        "  key                       used  left\n"
        "  ------------------------  ----  ----\n"
        "  ratelimit:ip:203.0.113.7     1    20\n"
        "  ------------------------  ----  ----\n"
        "  all                          1    20\n");
  CHECK(table.text(37) ==
        "  key  used  left\n"
        "  ---  ----  ----\n"
        "  ratelimit:ip:203.0.113.7\n"
        "          1    20\n"
        "  ---  ----  ----\n"
        "  all     1    20\n");
}

TEST_CASE("if that is not enough, words in the last column get lines of their own") {
  Table table({{"fixed"}, {"base", Align::right}, {""}});
  table.add_row({"admitted", "15,000/s", "can't tell: 3 rounds"});
  table.add_row({"", "9 us", "the same"});
  CHECK(table.text(40).find("admitted  15,000/s  can't tell") != std::string::npos);
  CHECK(table.text(30) ==
        "fixed         base\n"
        "--------  --------\n"
        "admitted  15,000/s\n"
        "    can't tell: 3 rounds\n"
        "              9 us\n"
        "    the same\n");
}

TEST_CASE("a line separates a total") {
  Table table({{"key"}, {"used", Align::right}});
  table.add_row({"a", "1"});
  table.add_rule();
  table.add_row({"all", "1"});
  CHECK(table.text() ==
        "key  used\n"
        "---  ----\n"
        "a       1\n"
        "---  ----\n"
        "all     1\n");
}

TEST_CASE("without header text there is no header line, and the indent stays") {
  Table table({{}, {"", Align::right}}, 2);
  CHECK(table.empty());
  CHECK(table.text().empty());
  table.add_row({"TTL", "42.1 s"});
  table.add_row({"memory", "1.13 KiB"});
  CHECK(table.text() ==
        "  TTL       42.1 s\n"
        "  memory  1.13 KiB\n");
}

TEST_CASE("cells that may be cut lose their middle, so that the other columns stay") {
  Table table({{"key", Align::left, 10}, {"used", Align::right}});
  table.add_row({"ratelimit:ip:203.0.113.7", "1"});
  CHECK(table.text(20) ==
        "key             used\n"
        "--------------  ----\n"
        "rate…3.0.113.7     1\n");
}

TEST_CASE("where no table fits, each row is a paragraph") {
  Table table({{"phase"}, {"false\ndenials", Align::right}, {"took", Align::right}}, 2);
  table.add_row({"warm up", "12", "42.1 s"});
  table.add_rule();
  table.add_row({"all", "", "42.1 s"});
  CHECK(table.text(22) ==
        "  warm up\n"
        "    false denials 12,\n"
        "    took 42.1 s\n"
        "  all\n"
        "    took 42.1 s\n");
}
