#include "inspect/watch/terminal_key.h"

#include <doctest/doctest.h>

using namespace rlctl;
using Kind = TerminalKey::Kind;

namespace {

std::string in_words(const std::vector<TerminalKey>& keys) {
  std::string words;
  for (const TerminalKey& key : keys)
    words +=
        key.kind == Kind::text ? key.text : "<" + std::to_string(static_cast<int>(key.kind)) + ">";
  return words;
}

std::string name(Kind kind) { return in_words({{kind, {}}}); }

std::string typed(std::string_view bytes) {
  TerminalKeys keys;
  return in_words(keys.take(bytes));
}

}  // namespace

TEST_CASE("letters of any script are keys of their own") { CHECK(typed("q/aé漢") == "q/aé漢"); }

TEST_CASE("special keys are known in the forms of xterm, VT220 and the console") {
  CHECK(typed("\x1b[A\x1bOB") == name(Kind::up) + name(Kind::down));
  CHECK(typed("\x1b[5~\x1b[6~") == name(Kind::page_up) + name(Kind::page_down));
  CHECK(typed("\x1b[H\x1b[4~\x1bOF") == name(Kind::home) + name(Kind::end) + name(Kind::end));
  CHECK(typed("\r\x7f\x15") == name(Kind::enter) + name(Kind::backspace) + name(Kind::clear));
}

TEST_CASE("a sequence in several pieces is one key") {
  TerminalKeys keys;
  CHECK(keys.take("\x1b").empty());
  CHECK(keys.take("[").empty());
  CHECK(in_words(keys.take("Aq")) == name(Kind::up) + "q");
  CHECK(keys.take("\xe6\xbc").empty());
  CHECK(in_words(keys.take("\xa2")) == "漢");
}

TEST_CASE("Escape is a key if nothing follows it") {
  TerminalKeys keys;
  CHECK(keys.take("\x1b").empty());
  CHECK(in_words(keys.settle()) == name(Kind::escape));
  CHECK(keys.settle().empty());
}

TEST_CASE("unknown sequences are dropped without blocking later keys") {
  CHECK(typed("\x1b[1;5Cx") == "x");  // Ctrl-Right
  CHECK(typed("\x1by") == "");        // Alt-y is not y
  CHECK(typed(std::string_view("\0\x01\xffz", 4)) == "z");
  CHECK(typed("\x1b[" + std::string(200, '1') + "~q").ends_with("q"));
}
