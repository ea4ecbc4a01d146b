#include "log/interner.h"

namespace rlctl {
namespace {

struct Hash {
  std::size_t slot(std::size_t slots) const { return bits & (slots - 1); }
  std::uint32_t tag() const { return static_cast<std::uint32_t>(std::uint64_t{bits} >> 32U); }
  std::size_t bits;
};

}  // namespace

void Interner::fetch(Step step, std::size_t hash) const {
  const Slot& slot = slots_[Hash{hash}.slot(slots_.size())];
  if (step == Step::slot) return __builtin_prefetch(&slot);
  if (slot.entry == 0) return;
  const std::string& text = texts_[slot.entry - 1];
  if (step == Step::place) return __builtin_prefetch(&text);
  __builtin_prefetch(text.data());
}

std::uint32_t Interner::find_or_add(std::string_view text, std::size_t hash_bits) {
  const Hash hash{hash_bits};
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
    const Hash hash{hash_of(texts_[slot.entry - 1])};
    std::size_t at = hash.slot(wider.size());
    while (wider[at].entry != 0) at = (at + 1) & (wider.size() - 1);
    wider[at] = slot;
  }
  slots_ = std::move(wider);
}

}  // namespace rlctl
