// Reads keys from the bytes that a terminal sends in raw mode. Owns the bytes of a sequence that
// has not ended yet. Pure; unknown keys are dropped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rlctl {

struct TerminalKey {
  enum class Kind : std::uint8_t {
    text,  // one character, in `text`
    enter,
    escape,
    backspace,
    clear,   // Ctrl-U
    redraw,  // Ctrl-L
    up,
    down,
    page_up,
    page_down,
    home,
    end,
  };
  Kind kind = Kind::text;
  std::string text;
};

class TerminalKeys {
 public:
  // Returns the keys that these bytes complete.
  std::vector<TerminalKey> take(std::string_view bytes);

  // Call it if no byte followed for a while: then a pending Escape is a key of its own.
  std::vector<TerminalKey> settle();

 private:
  bool take_one(std::vector<TerminalKey>& keys);
  bool take_sequence(std::vector<TerminalKey>& keys);

  std::string pending_;
};

}  // namespace rlctl
