#include "inspect/fingerprints.h"

#include <functional>
#include <utility>

namespace rlctl {

// Open addressing: the slots are a power of two, and at least a quarter of them is free.
bool Fingerprints::put(std::uint64_t print) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = print & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask)
    if (slots_[at] == print) return false;
  slots_[at] = print;
  return true;
}

void Fingerprints::grow() {
  const auto before = std::exchange(slots_, std::vector<std::uint64_t>(2 * slots_.size()));
  for (const std::uint64_t print : before)
    if (print != 0) put(print);
}

bool Fingerprints::add(std::string_view text) {
  static_assert(sizeof(std::size_t) == 8);
  const std::uint64_t print = std::hash<std::string_view>()(text);
  if (!put(print == 0 ? 1 : print)) return false;
  if (++used_ > slots_.size() / 4 * 3) grow();
  return true;
}

}  // namespace rlctl
