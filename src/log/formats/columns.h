// The meaning of each column: our own names, the usual names of other programs, and the names that
// the user gives. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/timestamp.h"
#include "log/formats/row.h"

namespace rlctl {

// A column as the user names it: "took:ms". If the name is empty, the usual names are searched.
struct ColumnName {
  std::string name;
  TimeUnit unit = TimeUnit::detected;
};

// "NAME" or "NAME:s|ms|us|ns".
ColumnName parse_column_name(std::string_view text);

class LogColumns {
 public:
  LogColumns() = default;
  LogColumns(ColumnName time, ColumnName key, ColumnName status, ColumnName duration);

  // The meaning of one name, and its rank: 0 for the user's and our own names, then the usual
  // names, the best first.
  struct Meaning {
    Field field = Field::none;
    int rank = 0;
    TimeUnit unit = TimeUnit::detected;
  };
  Meaning meaning_of(std::string_view name) const;

  // The meanings of a line of names. If several names mean the same, only the best one keeps the
  // meaning.
  std::vector<Meaning> meanings_of(std::span<const std::string> names) const;

  // Every record has the same key: `--key -`.
  bool one_key() const { return key_.name == "-"; }

  const ColumnName& time() const { return time_; }
  const ColumnName& key() const { return key_; }
  const ColumnName& status() const { return status_; }
  const ColumnName& duration() const { return duration_; }

 private:
  bool named_by_user(Field field) const;

  ColumnName time_;
  ColumnName key_;
  ColumnName status_;
  ColumnName duration_;
};

}  // namespace rlctl
