// Builds a log while it is read: records, names by number, and the line of each record. The records
// are held as they are, or by parts of the keys (log_parts.h).
// Owns what it collects. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "log/interner.h"
#include "log/record.h"

namespace rlctl {

struct SourceLine {
  std::uint32_t file = 0;  // index into the list of files that were read
  std::uint64_t line = 0;  // from 1
};

// The line of each record, stored as runs: most records follow each other line by line.
class LineMap {
 public:
  void add(std::uint32_t record, SourceLine source);
  SourceLine line_of(std::uint32_t record) const;

 private:
  struct Run {
    std::uint32_t first_record = 0;
    SourceLine first;
  };
  std::vector<Run> runs_;
};

class LogParts;

class HistoryBuilder {
 public:
  Log& log() { return log_; }

  // From now on the records go there, without the names that rules may count by.
  void hold_in(std::shared_ptr<LogParts> parts) { parts_ = std::move(parts); }
  std::shared_ptr<LogParts> parts() const { return parts_; }
  std::size_t records() const;

  // add() sets the numbers of key, who, phase and target in `record` from these names. Returns
  // null, or what the log has too many of.
  struct Names {
    std::string_view key;
    std::string_view who;
    std::string_view phase;
    std::string_view target;
    std::vector<std::string_view> others;  // by Log::names; empty: none
  };
  const char* add(Record record, const Names& names, SourceLine source, const Finish& finish = {});

  // Of a record that is added. `widened_us`: Log::widened_us.
  void saw_interval(bool has_duration, std::int64_t widened_us);

  // Reserves space for this many records in total, so that none is copied while the log grows.
  void reserve(std::size_t records) {
    if (!parts_) log_.records.reserve(records);
  }

  // What of the records may mean denied.
  struct Denials {
    std::int64_t denied = 0;
    std::int64_t status_403 = 0;
    std::int64_t status_503 = 0;
  };
  const Denials& denials() const { return denials_; }

  // The results: the log with all its names, and the lines. Nothing can be added afterwards.
  Log take_log();
  LineMap take_lines() { return std::move(lines_); }

 private:
  void add_others(const std::vector<std::string_view>& values);

  Log log_;
  std::shared_ptr<LogParts> parts_;  // null: the records are in the log
  Interner keys_;
  Interner identities_;
  Interner phases_;
  Interner targets_;
  std::vector<Interner> others_;  // by Log::names
  LineMap lines_;
  Denials denials_;
  bool has_durations_ = false;
  std::int64_t least_widened_us_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace rlctl
