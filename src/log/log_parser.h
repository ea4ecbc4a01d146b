// Reads the bytes of logs, file after file, into histories that can be judged. Streaming: memory
// holds the records and one line of at most LineSplitter::kLongestLine.
//
// The first lines of each file show its format (row_reader.h), unless LogReadOptions::format gives
// it. Of a long file, the lines after them are read on LogReadOptions::threads. All files are one
// history, unless headers name several algorithms or histories (log_encoder.h). Lines that cannot
// be read are counted, and the first few are kept; finish() rejects the log if there are too many.
//
// Throws Error(Exit::usage). One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "log/line_blocks.h"
#include "log/line_splitter.h"
#include "log/log_builder.h"
#include "log/log_options.h"
#include "log/row_reader.h"
#include "log/run_parts.h"

namespace rlctl {

struct ParsedHistory {
  Log log;
  LineMap lines;
  std::shared_ptr<LogParts> parts;  // with the records and lines; null: they are here
  std::uint32_t file = 0;           // in which it begins: of ParsedLogs::files
};

struct ParsedLogs {
  std::vector<ParsedHistory> histories;  // in the order in which they appeared; never empty
  std::vector<std::string> files;
  std::uint64_t lines = 0;  // lines that should hold a record
  std::uint64_t bad_lines = 0;
  std::uint64_t digest = 0;           // of the lines with records, in their order
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
  struct FileCut {
    std::string file;
    std::string what;  // "ends after 6 records"
  };

  bool reads_blocks();
  void take(const LineBlock& block);
  void on_line(const LineSplitter::Line& line);
  void on_header(std::string_view line, std::uint64_t number);
  void begin_part(std::string_view line, const Log& header);
  void note_part();
  bool is_end(std::string_view line);
  bool is_cut() const;
  void note_cuts();
  std::string cuts_in_words(const std::vector<FileCut>& cuts) const;
  Error unknown_format() const;
  void on_row(const LineSplitter::Line& line);
  void add(const ReadRow& row, const LineSplitter::Line& line, std::size_t hash);
  void bad(const LineSplitter::Line& line, std::string_view what);
  void set_room_aside(std::string_view line);
  void watch_order(const ReadRow& row, std::size_t hash);
  Section& section();
  Section& section_of(const Log& header);
  std::string other_denials() const;
  std::vector<std::string> collected_notes() const;
  // Throws if the user named this column, and no line has it.
  void refuse_unknown(const std::string& option, std::string_view column) const;
  // Throws if an option of the user has no effect on any line.
  void refuse_ineffective() const;
  std::string columns_found() const;

  LogReadOptions options_;
  LineSplitter splitter_;
  RowReader reader_;
  ReadRow row_;
  std::string first_bad_;  // the first line of which no record could be made
  std::vector<std::unique_ptr<Section>> sections_;
  Section* current_ = nullptr;
  std::vector<Part> file_parts_;  // of this file
  Part* part_ = nullptr;          // the one that the next line belongs to
  RunParts run_parts_;
  ParsedLogs parsed_;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t file_rows_ = 0;
  std::uint64_t unknown_lines_ = 0;  // of this file, in no known format
  std::optional<Error> unknown_;     // a file of which no line is in a known format
  bool assumed_durations_ = false;   // of rows of this file
  bool has_durations_ = false;       // any row
  bool has_stamps_ = false;          // any row: ReadRow::is_stamped
  std::vector<bool> has_value_;      // by number of LogColumns::names: any row
  std::set<std::string> columns_seen_;
  std::size_t last_hash_ = 0;
  std::uint64_t repeated_ = 0;
  std::uint64_t torn_ = 0;            // lines at the ends of files
  std::optional<LineBlocks> blocks_;  // of this file
};

}  // namespace rlctl
