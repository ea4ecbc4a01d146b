#include "inspect/watch/terminal_key.h"

#include <optional>
#include <utility>

#include "base/utf8.h"

namespace rlctl {
namespace {

using Kind = TerminalKey::Kind;

constexpr std::size_t kLongestSequence = 32;  // no terminal sends a longer sequence

std::optional<Kind> kind_of_control(char c) {
  switch (c) {
    case '\r':
    case '\n':
      return Kind::enter;
    case '\b':
    case '\x7f':
      return Kind::backspace;
    case '\x15':
      return Kind::clear;
    case '\x0c':
      return Kind::redraw;
    case '\x10':  // Ctrl-P and Ctrl-N, as in every shell
      return Kind::up;
    case '\x0e':
      return Kind::down;
    default:
      return std::nullopt;
  }
}

// The sequences of xterm, VT220 and the Linux console for the special keys.
std::optional<Kind> kind_of_sequence(std::string_view body) {
  static constexpr std::pair<std::string_view, Kind> kKnown[] = {
      {"A", Kind::up},       {"B", Kind::down},      {"H", Kind::home},  {"F", Kind::end},
      {"1~", Kind::home},    {"4~", Kind::end},      {"7~", Kind::home}, {"8~", Kind::end},
      {"5~", Kind::page_up}, {"6~", Kind::page_down}};
  for (const auto& [name, kind] : kKnown)
    if (body == name) return kind;
  return std::nullopt;
}

}  // namespace

// `ESC [ … final` or `ESC O final`; false while its end is missing.
bool TerminalKeys::take_sequence(std::vector<TerminalKey>& keys) {
  if (pending_.size() == 1) return false;
  if (pending_[1] != '[' && pending_[1] != 'O') {
    // Alt and a key: dropped, because no such key is used, and as two keys it would do harm.
    pending_.erase(0, 2);
    return true;
  }
  std::size_t end = 2;
  while (end < pending_.size() && (pending_[end] < '@' || pending_[end] > '~')) ++end;
  if (end == pending_.size() && end < kLongestSequence) return false;
  if (end < pending_.size())
    if (const auto kind = kind_of_sequence(std::string_view(pending_).substr(2, end - 1)))
      keys.push_back({*kind, {}});
  pending_.erase(0, end + 1);
  return true;
}

bool TerminalKeys::take_one(std::vector<TerminalKey>& keys) {
  if (pending_.front() == '\x1b') return take_sequence(keys);
  if (const auto kind = kind_of_control(pending_.front())) {
    keys.push_back({*kind, {}});
    pending_.erase(0, 1);
    return true;
  }
  if (pending_.size() < announced_length(pending_.front())) return false;
  const Character character = first_character(pending_);
  if (character.valid && character.code >= ' ')
    keys.push_back({Kind::text, pending_.substr(0, character.length)});
  pending_.erase(0, character.length);
  return true;
}

std::vector<TerminalKey> TerminalKeys::take(std::string_view bytes) {
  std::vector<TerminalKey> keys;
  pending_ += bytes;
  while (!pending_.empty() && take_one(keys)) continue;
  return keys;
}

std::vector<TerminalKey> TerminalKeys::settle() {
  const bool escape = pending_ == "\x1b";
  pending_.clear();
  if (!escape) return {};
  return {{Kind::escape, {}}};
}

}  // namespace rlctl
