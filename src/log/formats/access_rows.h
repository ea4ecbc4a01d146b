// Reads rows of access logs. An nginx log_format describes them: variables ($name or ${name}) of
// any length, with text between them. A variable inside quotes may hold escaped quotes. nginx
// writes special bytes as \xNN: they are decoded, so that a key is the same in every log.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "log/formats/columns.h"
#include "log/formats/row.h"

namespace rlctl {

class AccessRows final : public RowParser {
 public:
  // `open_ended`: the line may end after the last variable that a record needs, and more text may
  // follow the last one. Throws Error(Exit::usage) for a format
  // that names no time, key or status, or has two variables without text between them.
  AccessRows(std::string_view format, bool open_ended, const LogColumns& columns);

  // Needs no time, key or status, and leaves escapes as they are: for what wraps another log.
  static AccessRows unchecked(std::string_view format, const LogColumns& columns);

  const char* parse(std::string_view line, LogRow& row) override;
  std::unique_ptr<RowParser> copy() const override { return std::make_unique<AccessRows>(*this); }
  std::vector<std::string> columns() const override;

  TimeUnit unit_of(Field field) const override;

 private:
  AccessRows() = default;

  struct Part {
    std::string name;    // of the variable
    std::string behind;  // the text after it, up to the next variable
    LogColumns::Meaning meaning;
    bool in_quotes = false;
  };

  void split(std::string_view format);
  void give_meanings(const LogColumns& columns);
  std::size_t end_of(const Part& part, std::string_view rest) const;
  bool take(const Part& part, std::string_view& rest, LogRow& row);
  void check(const LogColumns& columns) const;
  bool has(Field field) const;

  std::string opening_;  // the text before the first variable
  std::vector<Part> parts_;
  std::size_t needed_ = 0;  // so many parts
  std::size_t read_ = 0;    // of no more is a value used
  bool open_ended_ = false;
  bool raw_ = false;
  std::deque<std::string> decoded_;
};

}  // namespace rlctl
