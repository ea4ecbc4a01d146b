// A line of a log taken apart: what each format's parser fills and one converter reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rlctl {

// What a column, a field or a variable means to us.
enum class Field : std::uint8_t {
  none,
  sent,
  received,
  server,
  intended,
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
  time,      // of logs that are not ours: one stamp
  duration,  // and how long it took
};
inline constexpr std::size_t kFields = static_cast<std::size_t>(Field::duration) + 1;

// Texts, by field; valid until the next line is parsed. A field that is absent, null or empty is an
// empty text, and `has` tells an empty text that was there from one that was not.
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

// Takes the lines of one format apart.
class RowParser {
 public:
  virtual ~RowParser() = default;

  // Null when the row is filled, kNoRow when the line holds no record and is none (a comment, the
  // names of columns), else what is wrong with the line. Throws Error(Exit::usage) for what makes
  // the whole file useless.
  virtual const char* parse(std::string_view line, LogRow& row) = 0;

  // A header of ours came: what follows was written by rlctl.
  virtual void begin_own_log() {}
};

inline constexpr char kNoRow[] = "";  // known by its address

}  // namespace rlctl
