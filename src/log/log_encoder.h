// A log as bytes: JSON Lines or CSV, which log_parser.h reads back to the same values.
//
// Each log opens with a header: a JSON object {"rlctl_log": 1, policy, contract, ...}, in CSV a
// line
// "# {...}" and a line of column names. A record a line follows. A file may hold several logs, one
// after the other: a header applies to the lines after it, up to the next header. Logs that name
// another algorithm or another `history` are judged apart; all others are one history.
//
// Times are whole µs. A name (key, who, phase) that is not UTF-8 stands escaped, for people, with
// its bytes in name_b64 beside it; so do, in CSV, names with characters that a terminal obeys. A
// CSV cell that a spreadsheet would take for a formula gets a ' in front, which the reader takes
// off. Pure; never fails; not for two threads at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "log/record.h"

namespace rlctl {

enum class LogFormat : std::uint8_t { json_lines, csv };

// .csv is CSV, anything else JSON Lines.
LogFormat log_format_of(std::string_view path);

class LogEncoder {
 public:
  explicit LogEncoder(LogFormat format) : format_(format) {}

  // The header of the log whose records follow. The names of keys, identities and phases are
  // prepared here: call it again when the log has got new ones.
  void append_header(const Log& log, std::string& out);

  void append_record(const Record& record, std::string& out) const;

 private:
  using Names = std::vector<std::string>;  // as they stand in a line, by index

  Names prepared(std::string_view name, const std::vector<std::string>& texts) const;
  void append_columns(std::string& out) const;
  void append_json_record(const Record& record, std::string& out) const;
  void append_csv_record(const Record& record, std::string& out) const;

  LogFormat format_;
  Names keys_;
  Names identities_;
  Names phases_;
};

}  // namespace rlctl
