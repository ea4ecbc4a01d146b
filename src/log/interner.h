// Stores each text once and gives it a number: for the keys of a log, which has far fewer keys than
// records.
// Owns the texts. Flat, open-addressed, linear probing: one cache miss for the slot, one for the
// text. Never fails below 2^32 texts; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rlctl {

class Interner {
 public:
  // The number of `text`; a new text gets the next one, counted from 0.
  std::uint32_t number_of(std::string_view text) {
    // Most lines have the same phase and the same user as the line before.
    if (last_ < texts_.size() && texts_[last_] == text) return last_;
    return last_ = find_or_add(text, hash_of(text));
  }

  // For texts that hardly repeat one after another, of which many are looked up in a row: each of
  // the steps waits for memory, and so is begun some texts ahead, in their order.
  enum class Step : std::uint8_t { slot, place, text };
  static std::size_t hash_of(std::string_view text) { return std::hash<std::string_view>{}(text); }
  void fetch(Step step, std::size_t hash) const;
  std::uint32_t number_of(std::string_view text, std::size_t hash) {
    return find_or_add(text, hash);
  }

  const std::vector<std::string>& texts() const { return texts_; }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  struct Slot {
    std::uint32_t tag = 0;    // the hash's upper half
    std::uint32_t entry = 0;  // number + 1; 0: free
  };

  std::uint32_t find_or_add(std::string_view text, std::size_t hash);
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::vector<std::string> texts_;
  std::uint32_t last_ = 0;
};

}  // namespace rlctl
