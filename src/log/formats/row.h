// The fields of one line of a log: each format's parser fills them, and one converter reads them.
// Not for two threads at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rlctl {

// The meaning of a column, a field or a variable.
enum class Field : std::uint8_t {
  none,
  sent,
  received,
  server,
  server_from,
  intended,
  finish_sent,
  finish_received,
  actual_cost,
  retry_after,
  cost,
  remaining,
  status,
  outcome,
  key,
  key_b64,
  who,
  who_b64,
  phase,
  phase_b64,
  target,
  target_b64,
  time,      // the only stamp in logs of other programs
  duration,  // how long the request took, in such logs
};
inline constexpr std::size_t kFields = static_cast<std::size_t>(Field::duration) + 1;

// Texts by field, valid until the next line is parsed. A field that is absent, null or empty gives
// an empty text; `has` tells whether the field was present.
class LogRow {
 public:
  void clear() { present_ = 0; }
  bool has(Field field) const { return (present_ & bit(field)) != 0; }

  std::string_view operator[](Field field) const {
    return has(field) ? texts_[static_cast<std::size_t>(field)] : std::string_view();
  }

  void set(Field field, std::string_view text) {
    present_ |= bit(field);
    texts_[static_cast<std::size_t>(field)] = text;
  }

 private:
  static std::uint32_t bit(Field field) { return 1U << static_cast<unsigned>(field); }

  std::array<std::string_view, kFields> texts_;
  std::uint32_t present_ = 0;
};

// Parses the lines of one format.
class RowParser {
 public:
  virtual ~RowParser() = default;

  // Returns null if the row was filled, kNoRow if the line is not meant as a record (a comment, the
  // column names), otherwise what is wrong with the line. Throws Error(Exit::usage) if the whole
  // file is unusable.
  virtual const char* parse(std::string_view line, LogRow& row) = 0;

  // Call it after our header: rlctl wrote the lines that follow.
  virtual void begin_own_log() {}
};

inline constexpr char kNoRow[] = "";  // compared by its address

}  // namespace rlctl
