// Records as bytes, of which each holds what differs from the record before: about 14 bytes a
// record, where a Record takes 64. What is in log files is kept, and no more. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "log/interner.h"
#include "log/log_builder.h"

namespace rlctl {

// A record as a log has it: its number in the log, its line, and its end.
struct NumberedRecord {
  std::uint32_t number = 0;
  SourceLine source;
  Record record;  // its `key` means nothing
  Finish finish;
};

inline constexpr std::size_t kPackedFields = 20;
using PackedRow = std::array<std::int64_t, kPackedFields>;

class RecordPacker {
 public:
  // `hash`: of the key, by Interner.
  void add(const NumberedRecord& row, std::string_view key, std::size_t hash);
  const Interner& keys() const { return keys_; }
  std::string_view bytes() const { return bytes_; }
  std::size_t held_bytes() const { return bytes_.size() + keys_bytes_; }
  // Begins anew, so that the bytes until then can be read without those that follow.
  void clear();

 private:
  std::string bytes_;
  std::size_t keys_bytes_ = 0;
  Interner keys_;
  PackedRow last_{};
};

class RecordUnpacker {
 public:
  // The bytes of a packer since its beginning or its last clear(). Borrows them.
  explicit RecordUnpacker(std::string_view bytes) : bytes_(bytes) {}

  // False: there are no more.
  bool next();
  const NumberedRecord& row() const { return row_; }
  // By the order of its first appearance in these bytes, from 0.
  std::size_t key() const { return key_; }
  // Empty, unless this is the first record of the key.
  bool is_new_key() const { return is_new_key_; }
  std::string_view key_text() const { return key_text_; }

 private:
  std::string_view bytes_;
  PackedRow last_{};
  NumberedRecord row_;
  std::size_t key_ = 0;
  std::size_t keys_ = 0;
  bool is_new_key_ = false;
  std::string_view key_text_;
};

}  // namespace rlctl
