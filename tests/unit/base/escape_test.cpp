#include "base/escape.h"

#include <doctest/doctest.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "base/json.h"
#include "base/utf8.h"

using namespace rlctl;
using namespace std::string_literals;

TEST_CASE("printable text is shown unchanged") {
  for (const auto& text :
       {"ratelimit:ip:127.0.0.1:minute"s, "größe 漢字 🚦"s, "a b'c\"d<e>"s, ""s}) {
    CHECK(escape_for_terminal(text) == text);
  }
}

TEST_CASE("controls, bidi and invisible characters are escaped byte by byte") {
  CHECK(escape_for_terminal("a\x1b[31m") == "a\\x1b[31m");
  CHECK(escape_for_terminal("\r\n\t\x7f\0"s) == "\\x0d\\x0a\\x09\\x7f\\x00");
  CHECK(escape_for_terminal("\xc2\x9b") == "\\xc2\\x9b");  // C1 as a character: CSI
  CHECK(escape_for_terminal("\x9b") == "\\x9b");           // and as a raw byte
  CHECK(escape_for_terminal("\u202e") == "\\xe2\\x80\\xae");
  CHECK(escape_for_terminal("\\") == "\\x5c");
  CHECK(escape_for_terminal("\xff\xfe") == "\\xff\\xfe");
  for (const char* hidden : {"\u202a", "\u2066", "\u2069", "\u200e", "\u200f", "\u061c", "\u200b",
                             "\u200d", "\u2060", "\ufeff", "\u00ad", "\u2028", "\u3164", "\uffff",
                             "\ufe0f", "\U000e0041", "\U0010ffff", "\u0080", "\u009f"}) {
    const std::string shown = escape_for_terminal(hidden);
    CAPTURE(shown);
    CHECK(shown.substr(0, 2) == "\\x");
    CHECK(shown.size() == 4 * std::string(hidden).size());
  }
}

TEST_CASE("bytes that only look like UTF-8 are escaped") {
  CHECK_FALSE(is_utf8("\xc0\xaf"));          // overlong
  CHECK_FALSE(is_utf8("\xe0\x80\xaf"));      // overlong
  CHECK_FALSE(is_utf8("\xed\xa0\x80"));      // surrogate
  CHECK_FALSE(is_utf8("\xf4\x90\x80\x80"));  // above U+10FFFF
  CHECK_FALSE(is_utf8("\xf0\x80\x80\x80"));  // overlong
  CHECK_FALSE(is_utf8("ok\xe2\x82"));        // cut short
  CHECK_FALSE(is_utf8("\xe2(\xa1"));
  CHECK(is_utf8(""));
  CHECK(is_utf8("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
  CHECK(escape_for_terminal("\xed\xa0\x80") == "\\xed\\xa0\\x80");
}

TEST_CASE("any bytes can be restored from their escaped form, which is clean UTF-8") {
  std::mt19937 random(7);
  const std::string pieces[] = {"a", "\\", "x1b", "é", "漢", "\u202e", "\xff", "\xe2\x82", "\x1b"};
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes;
    for (unsigned n = random() % 12; n > 0; --n) {
      if (random() % 2 == 0) {
        bytes += static_cast<char>(random() % 256);
      } else {
        bytes += pieces[random() % std::size(pieces)];
      }
    }
    const std::string shown = escape_for_terminal(bytes);
    REQUIRE(unescape(shown) == bytes);
    REQUIRE(is_utf8(shown));
    REQUIRE(shown.find_first_of("\x1b\n\r\x7f") == std::string::npos);
  }
}

TEST_CASE("text that was never escaped is not unescaped") {
  CHECK(unescape("a\\x1bb") == "a\x1b"s + "b");
  CHECK(unescape("\\x1B") == "\x1b"s);
  for (const char* text : {"\\", "\\x", "\\x1", "\\xg0", "\\n", "a\\", "\\\\"}) {
    CHECK_FALSE(unescape(text).has_value());
  }
}

TEST_CASE("quoted text is cut at a character") {
  CHECK(in_quotes("key") == "'key'");
  CHECK(in_quotes("abcdef", 3) == "'abc'...");
  CHECK(in_quotes("aéb", 2) == "'a'...");
  CHECK(in_quotes(std::string(10, '\x80'), 4) == "'\\x80'...");
}

TEST_CASE("base64 follows RFC 4648") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xff\xfe\xfd"s) == "//79");
}

TEST_CASE("a word for a shell is quoted once, printable, and read back as it was") {
  CHECK(shell_word("a-b.json") == "a-b.json");
  CHECK(shell_word("") == "''");
  CHECK(shell_word("it's<ip>") == "'it'\\''s<ip>'");
  CHECK(shell_word("a\\b c") == "'a\\b c'");
  CHECK(shell_word("it's\n\\") == "$'it\\x27s\\x0a\\x5c'");
  CHECK(shell_word("\u202e") == "$'\\xe2\\x80\\xae'");
  for (const char* word : {"it's", "a\\b", "a\n'\\", "\xff", "é"}) {
    const std::string shown = shell_word(word);
    CHECK(escape_command(shown) == shown);
  }
  CHECK(escape_command("rlctl 'a\\b' \x1b") == "rlctl 'a\\b' \\x1b");
}

TEST_CASE("JSON keeps every byte and is plain ASCII") {
  Json object;
  put_bytes(object, "text", "é\x1b\x7f\xc2\x9b\u202e");
  put_bytes(object, "key", "a\xff");
  const std::string json = dump_json(object);
  for (const char c : json) CHECK((c >= 0x20 && c < 0x7f));
  const auto back = nlohmann::json::parse(json);
  CHECK(back.at("text") == "é\x1b\x7f\xc2\x9b\u202e");
  CHECK_FALSE(back.contains("text_b64"));
  CHECK(back.at("key") == "a\\xff");
  CHECK(back.at("key_b64") == "Yf8=");
}

TEST_CASE("width counts columns, not bytes") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("é") == 1);
  CHECK(display_width("e\u0301") == 1);
  CHECK(display_width("漢字") == 4);
  CHECK(display_width("🚦") == 2);
  CHECK(display_width("한글") == 4);
  CHECK(display_width("µs") == 2);
  CHECK(display_width("") == 0);
  CHECK(pad_right("漢", 4) == "漢  ");
  CHECK(pad_left("µs", 4) == "  µs");
  CHECK(pad_left("long", 2) == "long");
}
