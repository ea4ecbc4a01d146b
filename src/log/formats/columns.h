// Which column is what: our own names, the usual names of other programs, and what the user says.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/timestamp.h"
#include "log/formats/row.h"

namespace rlctl {

// A column as the user names it: "took:ms". Without a name the usual ones are looked for.
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

  // The meaning of one name, and how much it is trusted: 0 said by the user or our own, then the
  // usual names, the best first.
  struct Meaning {
    Field field = Field::none;
    int rank = 0;
    TimeUnit unit = TimeUnit::detected;
  };
  Meaning meaning_of(std::string_view name) const;

  // The meanings of a line of names: where several names mean the same, the best of them has it.
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
