// Reads the bytes of logs, file after file, into histories that can be judged. Streaming: memory
// holds the records and one line of at most LineSplitter::kLongestLine.
//
// The first lines of each file show its format (formats/known_formats.h), unless
// LogReadOptions::format gives it. All files are one history, unless headers name several
// algorithms or histories (log_encoder.h). Lines that cannot be read are counted, and the first few
// are kept; finish() rejects the log if there are too many.
//
// Throws Error(Exit::usage). One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "log/formats/known_formats.h"
#include "log/formats/row.h"
#include "log/line_splitter.h"
#include "log/log_builder.h"
#include "log/log_options.h"
#include "log/row_converter.h"
#include "log/run_parts.h"

namespace rlctl {

struct ParsedHistory {
  Log log;
  LineMap lines;
  std::shared_ptr<LogParts> parts;  // with the records and lines; null: they are here
};

struct ParsedLogs {
  std::vector<ParsedHistory> histories;  // in the order in which they appeared; never empty
  std::vector<std::string> files;
  std::uint64_t lines = 0;  // lines that should hold a record
  std::uint64_t bad_lines = 0;
  std::vector<std::string> examples;  // "file:line: what is wrong", escaped
  std::vector<std::string> columns;   // the names of columns that were seen, for messages
  std::vector<std::string> notes;     // assumptions and oddities; no final stops

  // "file:line" of a record.
  std::string place_of(const ParsedHistory& history, std::uint32_t record) const;
};

class LogParser {
 public:
  static constexpr std::size_t kExamples = 5;

  explicit LogParser(LogReadOptions options);
  ~LogParser();
  LogParser(const LogParser&) = delete;
  LogParser& operator=(const LogParser&) = delete;

  // `size_bytes`: the file's size, to reserve memory for its records; 0: unknown.
  void begin_file(std::string name, std::uint64_t size_bytes);
  void feed(std::string_view bytes);
  void end_file();

  // Throws if nothing was read, or if more lines are bad than LogReadOptions::bad_lines allows.
  ParsedLogs finish();

 private:
  struct Section;  // one history, while it is read

  // The lines of one log of rlctl in this file.
  struct Part {
    Section* section = nullptr;
    bool promises_end = false;
    std::string shard;
    std::uint64_t lines = 0;
    std::optional<std::uint64_t> records;  // as its end says
  };

  void on_line(const LineSplitter::Line& line);
  void on_header(std::string_view line, std::uint64_t number);
  void begin_part(std::string_view line, const Log& header);
  void note_part();
  bool is_end(std::string_view line);
  bool is_cut() const;
  void note_cuts();
  void on_row(std::string_view line, std::uint64_t number);
  void bad(std::uint64_t number, std::string_view what);
  bool find_format(std::string_view line);
  void begin(FoundFormat found);
  void begin_said_format();
  bool is_structured() const;
  void update_units();
  void set_room_aside(std::string_view line);
  void watch_order(std::string_view line);
  Section& section();
  Section& section_of(const Log& header);
  std::string other_denials() const;
  std::vector<std::string> collected_notes() const;
  std::string columns_found() const;

  LogReadOptions options_;
  RowConverter converter_;
  LineSplitter splitter_;
  LogRow row_;
  FoundFormat found_;      // of this file
  std::string proposal_;   // what to type for a line that is in no known format
  std::string first_bad_;  // the first line of which no record could be made
  std::vector<std::unique_ptr<Section>> sections_;
  Section* current_ = nullptr;
  std::vector<Part> file_parts_;  // of this file
  Part* part_ = nullptr;          // the one that the next line belongs to
  RunParts run_parts_;
  ParsedLogs parsed_;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t file_rows_ = 0;
  std::size_t last_hash_ = 0;
  std::uint64_t repeated_ = 0;
  std::uint64_t torn_ = 0;  // lines at the ends of files
};

}  // namespace rlctl
