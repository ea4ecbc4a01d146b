// Makes records of the lines of one file: finds the format (formats/known_formats.h), parses each
// row, and converts it (row_converter.h). What a line means may depend on the lines before it: they
// name the columns, and show the units. A copy goes on from there, so that several threads can read
// pieces of one file (log/line_blocks.h).
//
// Refers to the options. Throws Error(Exit::usage) if a file or --format is unusable. One thread at
// a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "log/formats/known_formats.h"
#include "log/formats/row.h"
#include "log/log_builder.h"
#include "log/log_options.h"
#include "log/row_converter.h"

namespace rlctl {

class RowReader {
 public:
  explicit RowReader(const LogReadOptions& options) : options_(options), converter_(options) {}

  // Begins another file, in the format that --format names, if it needs no line for that.
  void begin_file();
  // Our header, of JSON or of CSV: rlctl wrote the lines that follow. `names`: what its rules count
  // by.
  void begin_own_log(std::string_view header, const std::vector<NamedValues>& names);
  // True: lines can be read from now on. Otherwise this line tells nothing of the format.
  bool find_format(std::string_view line);
  bool has_format() const { return rows_ != nullptr; }
  // Of no format was found: the line was a part, and the rest of it comes in a later one.
  bool line_goes_on() const { return line_goes_on_; }
  // What to type for the first line of the file that is in no known format; empty: nothing is
  // known.
  const std::string& proposal() const { return proposal_; }
  bool is_structured() const;
  // The columns that were seen, for messages.
  std::vector<std::string> columns() const;

  // Null if `row` was filled, kNoRow if the line is not meant as a record, otherwise what is wrong.
  // `row` is valid until the next line.
  const char* read(std::string_view line, ReadRow& row);

  // Null: what a line means depends on all lines before it, so that they must be read in order.
  std::unique_ptr<RowReader> copy() const;
  // What the lines before have shown. Equal: the next line is read in the same way.
  struct State {
    std::uint64_t version = 0;  // of the format and its columns
    RowConverter::Units used;
    RowConverter::Units named;
    bool operator==(const State&) const = default;
  };
  State state() const;

  const RowConverter& converter() const { return converter_; }

 private:
  RowReader(const RowReader& other, std::unique_ptr<RowParser> rows);

  void begin(FoundFormat found);
  void begin_said_format();
  RowConverter::Units named_units() const;
  const char* parse(std::string_view line);

  const LogReadOptions& options_;
  RowConverter converter_;
  const KnownFormat* format_ = nullptr;
  std::shared_ptr<LogColumns> columns_;  // of which copies have the same
  std::unique_ptr<RowParser> rows_;
  LogRow row_;
  std::string proposal_;
  bool line_goes_on_ = false;
  std::vector<std::string> before_;  // the lines without a format since the first such part
  bool has_read_ = false;            // a row of this file
  std::uint64_t version_ = 0;
};

}  // namespace rlctl
