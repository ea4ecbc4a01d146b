// Converts rows to records: numbers, units, and the decision that a status means.
//
// Our own logs give the interval [sent, received] of each decision. Other logs give one stamp T
// with resolution q, and perhaps a duration d. If the log is written at the end of a request
// (nginx), the decision lies in [T - d, T + q). If the stamp is the start (Apache, HAProxy), it
// lies in [T, T + q + d); with two stamps, between them. The end is exclusive, so the last whole µs
// before it is used. Not for two threads at once.
#pragma once

#include <string>

#include "base/timestamp.h"
#include "log/formats/row.h"
#include "log/log_builder.h"
#include "log/log_options.h"

namespace rlctl {

// A row as a record, and the names that the log will number.
struct ReadRow {
  Record record;
  Finish finish;
  HistoryBuilder::Names names;
  bool has_duration = false;
  bool has_sent = false;
  bool is_stamped = false;      // it has one time, as other programs log it
  std::int64_t widened_us = 0;  // Log::widened_us
};

class RowConverter {
 public:
  explicit RowConverter(const LogReadOptions& options) : options_(options) {}

  // Begins another file: guessed units are guessed again.
  void begin_file();

  struct Units {
    TimeUnit time = TimeUnit::detected;
    TimeUnit duration = TimeUnit::detected;
    bool operator==(const Units&) const = default;
  };
  void set_units(const Units& named);
  const Units& units() const { return units_; }
  void set_stamp_at(StampAt at) { stamp_at_ = at; }
  // rlctl wrote the lines that follow.
  void begin_own_log() { is_own_ = true; }

  // Returns null if `converted` was filled, otherwise what is wrong with the row. This and the
  // names refer to the row, or to this converter until its next row.
  const char* convert(const LogRow& row, ReadRow& converted);

  // Some rows had one stamp, a status and no duration, so that `longest_us` was used: lets requests
  // have taken as long as those of web servers may.
  void allow_slow_requests(Log& log) const;

 private:
  const char* convert_own_times(const LogRow& row, Record& record) const;
  const char* convert_finish(const LogRow& row, const Record& record, Finish& finish) const;
  const char* convert_stamp(const LogRow& row, ReadRow& converted);
  const char* convert_outcome(const LogRow& row, Record& record) const;
  const char* convert_logged_outcome(std::string_view outcome, Record& record) const;
  const char* convert_names(const LogRow& row, HistoryBuilder::Names& names);
  const char* read_duration(const LogRow& row, std::int64_t& us);
  bool lacks_duration(const LogRow& row) const;
  Outcome meaning_of_status(int code) const;
  Outcome corrected(Outcome logged, int code) const;
  const char* read_stamp(std::string_view text, Timestamp& stamp);
  std::string_view time_of(const LogRow& row);
  const char* convert_both_stamps(const LogRow& row, const Timestamp& end, ReadRow& converted);
  StampAt stamp_at() const;
  const char* convert_other_names(const LogRow& row, HistoryBuilder::Names& names);
  // `bytes` refers to `decoded` if they were in base64.
  bool read_name(const LogRow::Name& name, std::string& decoded, std::string_view& bytes) const;

  const LogReadOptions& options_;
  Units units_;
  StampAt stamp_at_ = StampAt::detected;
  bool is_own_ = false;
  std::string problem_;  // with a value of the row
  std::string date_and_time_;
  std::string key_;
  std::string who_;
  std::string phase_;
  std::string target_;
  std::vector<std::string> others_;
};

}  // namespace rlctl
