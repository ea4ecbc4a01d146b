#include "inspect/fingerprints.h"

#include <functional>
#include <utility>

namespace rlctl {
namespace {

constexpr std::uint64_t kMark = 7;

// Never 0, and without a mark.
std::uint64_t print_of(std::string_view text) {
  static_assert(sizeof(std::size_t) == 8);
  const std::uint64_t print = std::hash<std::string_view>()(text) & ~kMark;
  return print == 0 ? kMark + 1 : print;
}

}  // namespace

// Open addressing: the slots are a power of two, and at least a quarter of them is free. The place
// where the print is, or else would be.
std::size_t Fingerprints::place_of(std::uint64_t print) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (print >> 3) & mask;
  while (slots_[at] != 0 && (slots_[at] & ~kMark) != print) at = (at + 1) & mask;
  return at;
}

void Fingerprints::grow() {
  const auto before = std::exchange(slots_, std::vector<std::uint64_t>(2 * slots_.size()));
  for (const std::uint64_t slot : before)
    if (slot != 0) slots_[place_of(slot & ~kMark)] = slot;
}

bool Fingerprints::add(std::string_view text, unsigned mark) {
  const std::uint64_t print = print_of(text);
  std::uint64_t& slot = slots_[place_of(print)];
  if (slot != 0) return false;
  slot = print | mark;
  if (++used_ > slots_.size() / 4 * 3) grow();
  return true;
}

std::optional<unsigned> Fingerprints::mark_of(std::string_view text) const {
  const std::uint64_t slot = slots_[place_of(print_of(text))];
  if (slot == 0) return std::nullopt;
  return static_cast<unsigned>(slot & kMark);
}

void Fingerprints::mark(std::string_view text, unsigned mark) {
  const std::uint64_t print = print_of(text);
  slots_[place_of(print)] = print | mark;
}

}  // namespace rlctl
