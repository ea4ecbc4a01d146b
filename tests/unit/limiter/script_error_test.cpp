#include <doctest/doctest.h>

#include <algorithm>

#include "limiter/script_limiter.h"
#include "limiter/wrapper.h"

using namespace rlctl;

namespace {

const Script& fixed() {
  static const Script script = Registry().find("fixed");
  return script;
}

// The line of the wrapped text that holds this line of the script.
std::size_t line_of(const Script& script, const std::string& text) {
  const auto at = script.text.find(text);
  REQUIRE(at != std::string::npos);
  return 1 + static_cast<std::size_t>(std::count(
                 script.text.begin(), script.text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::string failing_at(std::size_t line) {
  return "WRONGTYPE Operation script: 5a1b, on @user_script:" + std::to_string(line) + ".";
}

}  // namespace

TEST_CASE("a script's error names the line of its file, without Redis's names for the script") {
  CHECK(script_error_in_words("WRONGTYPE Operation script: 5a1b, on @user_script:3.", fixed()) ==
        "WRONGTYPE Operation (line 3 of lua/fixed.lua)");
  CHECK(script_error_in_words("ERR user_script:7: attempt to index \x1b script: 5a1b, on "
                              "@user_script:7.",
                              fixed()) == "ERR attempt to index \\x1b (line 7 of lua/fixed.lua)");
  CHECK(script_error_in_words("NOAUTH Authentication required.", fixed()) ==
        "NOAUTH Authentication required.");
}

TEST_CASE("a script's error as Redis 6 words it, and Redis 8 without a permission") {
  const std::string running =
      "ERR Error running script (call to f_faea39655cc9c9aa873389f2b1b1351ea66dded5): ";
  const auto words = [&](const std::string& error) {
    return script_error_in_words(error, fixed());
  };
  CHECK(words(running + "@user_script:3: WRONGTYPE Operation") ==
        "WRONGTYPE Operation (line 3 of lua/fixed.lua)");
  CHECK(words(running + "@user_script:3: @user_script: 3: The user executing the script can't") ==
        "ERR The user executing the script can't (line 3 of lua/fixed.lua)");
  CHECK(words(running + "@user_script:3: @user_script: 3: -READONLY You can't write  ") ==
        "READONLY You can't write (line 3 of lua/fixed.lua)");
  CHECK(words(running + "@enable_strict_lua:15: user_script:4: Script attempted to access") ==
        "ERR Script attempted to access (line 4 of lua/fixed.lua)");
  CHECK(words("ERR ACL failure in script: User lim has no permissions to run the 'time' command "
              "script: 104ae65, on @user_script:3.") ==
        "ERR ACL failure in script: User lim has no permissions to run the 'time' command "
        "(line 3 of lua/fixed.lua)");
  CHECK(words("ERR ACL failure in script: User lim has no permissions") ==
        "ERR ACL failure in script: User lim has no permissions");
  CHECK(words("ERR Error running script (call to f_") == "ERR Error running script (call to f_");
}

TEST_CASE("the lines of a wrapper are not those of the script") {
  const Script wrapped = with_stamps(with_block(fixed()));
  const std::string line = "local value = call('GET', key)";
  const std::string expected =
      "WRONGTYPE Operation (line " + std::to_string(line_of(fixed(), line)) + " of lua/fixed.lua)";
  CHECK(script_error_in_words(failing_at(line_of(wrapped, line)), wrapped) == expected);
  CHECK(script_error_in_words(failing_at(1), wrapped) == "WRONGTYPE Operation");
  CHECK(script_error_in_words(failing_at(9999), wrapped) == "WRONGTYPE Operation");
}
