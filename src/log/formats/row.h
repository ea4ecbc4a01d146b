// The fields of one line of a log: each format's parser fills them, and one converter reads them.
// Not for two threads at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/timestamp.h"

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
  time,      // the stamp in logs of other programs
  date,      // beside a time of day
  begun,     // beside a stamp of the end: when the request came
  duration,  // how long the request took, in such logs
};
inline constexpr std::size_t kFields = static_cast<std::size_t>(Field::duration) + 1;

// Texts by field, valid until the next line is parsed. A field that is absent, null or empty gives
// an empty text; `has` tells whether the field was present. The names that rules count by are
// numbered (LogColumns::names).
class LogRow {
 public:
  void clear() {
    present_ = 0;
    names_.clear();
  }
  bool has(Field field) const { return (present_ & bit(field)) != 0; }

  std::string_view operator[](Field field) const {
    return has(field) ? texts_[static_cast<std::size_t>(field)] : std::string_view();
  }

  void set(Field field, std::string_view text) {
    present_ |= bit(field);
    texts_[static_cast<std::size_t>(field)] = text;
  }

  struct Name {
    std::string_view text;
    std::string_view base64;  // its bytes, if the text is escaped
  };
  // Absent: both are empty.
  Name name(std::size_t number) const { return number < names_.size() ? names_[number] : Name(); }
  void set_name(std::size_t number, bool is_base64, std::string_view text) {
    if (names_.size() <= number) names_.resize(number + 1);
    (is_base64 ? names_[number].base64 : names_[number].text) = text;
  }

 private:
  static std::uint32_t bit(Field field) { return 1U << static_cast<unsigned>(field); }

  std::array<std::string_view, kFields> texts_;
  std::uint32_t present_ = 0;
  std::vector<Name> names_;
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

  // The unit that the name of this field's column tells, as far as names were seen.
  virtual TimeUnit unit_of(Field field) const = 0;

  // Reads the next lines in the same way. Null: what they mean depends on parts of lines before.
  virtual std::unique_ptr<RowParser> copy() const { return nullptr; }

  // The columns that were seen, for messages: the first ones, if there are many.
  virtual std::vector<std::string> columns() const = 0;
};

inline constexpr char kNoRow[] = "";  // compared by its address

}  // namespace rlctl
