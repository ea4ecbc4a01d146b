#include "log/interner.h"

#include <functional>

namespace rlctl {
namespace {

struct Hash {
  explicit Hash(std::string_view text) : bits(std::hash<std::string_view>{}(text)) {}
  std::size_t slot(std::size_t slots) const { return bits & (slots - 1); }
  std::uint32_t tag() const { return static_cast<std::uint32_t>(std::uint64_t{bits} >> 32U); }
  std::size_t bits;
};

}  // namespace

std::uint32_t Interner::find_or_add(std::string_view text) {
  const Hash hash(text);
  std::size_t at = hash.slot(slots_.size());
  for (; slots_[at].entry != 0; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].tag == hash.tag() && texts_[slots_[at].entry - 1] == text)
      return slots_[at].entry - 1;
  }
  const auto number = static_cast<std::uint32_t>(texts_.size());
  texts_.emplace_back(text);
  slots_[at] = {hash.tag(), number + 1};
  if (texts_.size() * 2 > slots_.size()) grow();
  return number;
}

void Interner::grow() {
  std::vector<Slot> wider(slots_.size() * 2);
  for (const Slot& slot : slots_) {
    if (slot.entry == 0) continue;
    const Hash hash(texts_[slot.entry - 1]);
    std::size_t at = hash.slot(wider.size());
    while (wider[at].entry != 0) at = (at + 1) & (wider.size() - 1);
    wider[at] = slot;
  }
  slots_ = std::move(wider);
}

}  // namespace rlctl
