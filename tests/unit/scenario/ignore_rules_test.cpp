#include "scenario/read/ignore_rules.h"

#include <doctest/doctest.h>

using namespace rlctl;

namespace {

bool ignored(const char* rules, const char* path, bool is_folder = false) {
  return IgnoreRules(rules).ignores(path, is_folder).value_or(false);
}

}  // namespace

TEST_CASE("a rule of .gitignore without a slash is for every folder, with one for its own") {
  CHECK(ignored("build", "a/b/build", true));
  CHECK(ignored("*.json\n", "a/x.json"));
  CHECK_FALSE(ignored("*.json", "a/x.json5"));
  CHECK(ignored("/out", "out"));
  CHECK_FALSE(ignored("/out", "a/out"));
  CHECK(ignored("a/*.json", "a/x.json"));
  CHECK_FALSE(ignored("a/*.json", "a/b/x.json"));
  CHECK(ignored("a/**/x", "a/x"));
  CHECK(ignored("a/**/x", "a/b/c/x"));
  CHECK(ignored("**/x", "b/x"));
  CHECK(ignored("a/**", "a/b/c"));
}

TEST_CASE("the last rule of .gitignore decides, and a slash at the end means folders") {
  CHECK_FALSE(ignored("*.json\n!keep.json", "keep.json"));
  CHECK(ignored("!keep.json\n*.json", "keep.json"));
  CHECK(ignored("tmp/", "tmp", true));
  CHECK_FALSE(ignored("tmp/", "tmp"));
  CHECK_FALSE(IgnoreRules("# tmp\n\n").ignores("tmp", true).has_value());
}

TEST_CASE("sets, question marks and escaped characters of .gitignore") {
  CHECK(ignored("[a-c]?.js[!x]\r\n", "bz.jso"));
  CHECK_FALSE(ignored("[a-c]?.js[!x]", "bz.jsx"));
  CHECK_FALSE(ignored("[!a]", "/"));
  CHECK(ignored("\\#a\\*", "#a*"));
  CHECK(ignored("[a", "[a"));
  CHECK(ignored("[]a]", "]"));
}
