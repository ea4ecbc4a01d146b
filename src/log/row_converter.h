// Rows to records: numbers, units, and what a status says of the decision.
//
// Logs of ours give the interval [sent, received] of each decision. Others give one stamp T, of
// resolution q, and perhaps a duration d. A log written at the end of a request (nginx) puts the
// decision into [T - d, T + q), one stamped at its start (Apache, HAProxy) into [T, T + q + d): the
// end is exclusive, so the last whole µs before it is taken.
#pragma once

#include <string>

#include "base/timestamp.h"
#include "log/formats/row.h"
#include "log/log_builder.h"
#include "log/log_options.h"

namespace rlctl {

class RowConverter {
 public:
  explicit RowConverter(const LogReadOptions& options) : options_(options) {}

  // Another file: units that were guessed are guessed again.
  void begin_file();

  void set_units(TimeUnit time, TimeUnit duration);
  void set_stamp_at(StampAt at) { stamp_at_ = at; }

  // Null when the record was added, else what is wrong with the row.
  const char* convert(const LogRow& row, SourceLine source, HistoryBuilder& history);

  // Some rows had one stamp and no duration, so that `longest` was taken for it.
  bool assumed_durations() const { return assumed_durations_; }

 private:
  const char* convert_own_times(const LogRow& row, Record& record) const;
  const char* convert_stamp(const LogRow& row, Record& record);
  const char* convert_outcome(const LogRow& row, Record& record) const;
  const char* convert_names(const LogRow& row, HistoryBuilder::Names& names);
  const char* read_duration(const LogRow& row, std::int64_t& us);
  bool read_name(const LogRow& row, Field text, Field bytes, std::string& decoded,
                 std::string_view& name) const;

  const LogReadOptions& options_;
  TimeUnit time_unit_ = TimeUnit::detected;
  TimeUnit duration_unit_ = TimeUnit::detected;
  StampAt stamp_at_ = StampAt::detected;
  bool assumed_durations_ = false;
  std::string key_;
  std::string who_;
  std::string phase_;
};

}  // namespace rlctl
