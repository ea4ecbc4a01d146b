// Reads rows of access logs. An nginx log_format describes them: variables ($name or ${name}) of
// any length, with text between them. A variable inside quotes may hold escaped quotes. nginx
// writes special bytes as \xNN: they are decoded, so that a key is the same in every log.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "log/formats/columns.h"
#include "log/formats/row.h"

namespace rlctl {

// The combined format of nginx and Apache (the NCSA common format; more fields may follow).
inline constexpr std::string_view kCombinedFormat =
    R"($remote_addr $identity $remote_user [$time_local] "$request" $status $body_bytes_sent)";

class AccessRows final : public RowParser {
 public:
  // `open_ended`: more text may follow the last variable. Throws Error(Exit::usage) for a format
  // that names no time, key or status, or has two variables without text between them.
  AccessRows(std::string_view format, bool open_ended, const LogColumns& columns);

  const char* parse(std::string_view line, LogRow& row) override;
  std::vector<std::string> columns() const override;

  TimeUnit unit_of(Field field) const;

 private:
  struct Part {
    std::string name;    // of the variable
    std::string behind;  // the text after it, up to the next variable
    LogColumns::Meaning meaning;
    bool in_quotes = false;
  };

  void split(std::string_view format);
  void check(const LogColumns& columns) const;
  bool has(Field field) const;

  std::string opening_;  // the text before the first variable
  std::vector<Part> parts_;
  bool open_ended_;
  std::deque<std::string> decoded_;
};

}  // namespace rlctl
