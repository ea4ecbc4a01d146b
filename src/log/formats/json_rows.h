// Rows of JSON Lines. Lines in the form that rlctl writes (ASCII, no escapes, no blanks, whole
// numbers) are scanned in one pass. Every other line goes to nlohmann's parser, so that all lines
// follow the same rules. Fields of nested objects are named with dots: "request.remote_ip". A field
// that comes twice, more than 64 levels and text after the object make a line bad.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "log/formats/columns.h"
#include "log/formats/row.h"

namespace rlctl {

class JsonRows final : public RowParser {
 public:
  // message: a value is a line of another log. Of journald it may be an array of its bytes, or null
  // where it was left out.
  enum class Use : std::uint8_t { columns, message };
  explicit JsonRows(const LogColumns& columns, Use use = Use::columns)
      : columns_(columns), use_(use) {}

  const char* parse(std::string_view line, LogRow& row) override;
  void begin_own_log() override;
  std::unique_ptr<RowParser> copy() const override;
  std::vector<std::string> columns() const override;

  TimeUnit unit_of(Field field) const override {
    return field == Field::time ? time_unit_ : duration_unit_;
  }

 private:
  struct Name {
    std::string opening;  // "name": with its quotes and colon; in others_ without them
    LogColumns::Meaning meaning;
  };

  bool scan(std::string_view line, LogRow& row);
  const Name* name_at(std::string_view rest, std::size_t position);
  const char* read(std::string_view line, LogRow& row);

  friend class JsonFields;
  const LogColumns::Meaning& noted(const std::string& name);
  bool keep(const LogColumns::Meaning& meaning, std::string_view text, LogRow& row);

  const LogColumns& columns_;
  Use use_;
  std::deque<Name> names_;             // seen so far, a bounded number
  std::vector<const Name*> in_order_;  // as in the last line
  std::deque<Name> others_;            // that only nlohmann's parser saw, a bounded number
  LogColumns::Meaning unnoted_;        // of a name beyond that number
  std::deque<std::string> decoded_;    // texts that differ from the bytes in the line
  std::uint32_t sure_ = 0;             // fields of this row whose name leaves no doubt
  std::uint32_t loose_ = 0;            // and those of a name in other letters' case
  TimeUnit time_unit_ = TimeUnit::detected;
  TimeUnit duration_unit_ = TimeUnit::detected;
};

}  // namespace rlctl
