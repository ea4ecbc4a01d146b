// Writes a log as JSON Lines or CSV. log_parser.h reads back the same values.
//
// Each log begins with a header: a JSON object {"rlctl_log": 2, policy, contract, ...}; in CSV a
// line "# {...}" and a line of column names. Then each line is one record. The last line is
// {"rlctl_log_end": {"records": 400, ...}}: without it, or with another count, the log was cut. A
// file may hold several logs: a header applies to the lines after it, up to the next header. Logs
// that grow together take turns: {"rlctl_log": 3, "continues": 0} goes on with the file's first
// one. Logs with another algorithm or another `history` are judged separately; all others form one
// history.
//
// Times are whole µs. A name (key, who, phase, decided_by, Log::names) that is not UTF-8 is written
// escaped, for people, and its bytes are written in name_b64 beside it. In CSV this also applies to
// names with terminal control characters. A CSV cell that a spreadsheet would take for a formula
// gets a ' in front, which the reader removes. Pure; never fails; not for two threads at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "log/record.h"

namespace rlctl {

enum class LogFormat : std::uint8_t { json_lines, csv };

// CSV for a path that ends in .csv, otherwise JSON Lines.
LogFormat log_format_of(std::string_view path);

class LogEncoder {
 public:
  explicit LogEncoder(LogFormat format) : format_(format) {}

  // Writes the header of the log whose records follow. It also prepares the names of keys,
  // identities, phases and targets: call it again after the log got new names.
  void append_header(const Log& log, std::string& out);

  void append_record(const Log& log, std::size_t index, std::string& out) const;

  // What is known at the end: how many records there are, and what the run met and came to.
  void append_end(const Log& log, std::string& out) const;
  // Goes on with the log that has this number in its file, from 0.
  void append_turn(std::size_t number, std::string& out) const;

 private:
  using Names = std::vector<std::string>;  // as written in a line, by index

  void append_line(const std::string& json, std::string& out) const;
  Names prepared(std::string_view name, const std::vector<std::string>& texts) const;
  static void append_columns(const Log& log, std::string& out);
  void append_json_record(const Record& record, const Finish& finish, const std::string& others,
                          std::string& out) const;
  void append_csv_record(const Record& record, const Finish& finish, const std::string& others,
                         std::string& out) const;

  LogFormat format_;
  Names keys_;
  Names identities_;
  Names phases_;
  Names targets_;              // empty if one limiter decided
  std::vector<Names> others_;  // by Log::names
};

}  // namespace rlctl
