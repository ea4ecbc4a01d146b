// The meaning of each column: our own names, the usual names of other programs, and the names that
// the user gives. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/timestamp.h"
#include "log/formats/row.h"

namespace rlctl {

// The part of a value that a name means.
enum class Piece : std::uint8_t {
  whole,
  host,    // "10.0.0.1" of "10.0.0.1:80", "::1" of "[::1]:80"; none of "-"
  method,  // "GET" of "GET /a?b=1 HTTP/1.1"
  target,  // "/a" of it
  path     // "/a" of "/a?b=1" or "https://host/a?b=1"
};

// A column as the user names it: "took:ms". If the name is empty, the usual names are searched.
struct ColumnName {
  std::string name;
  TimeUnit unit = TimeUnit::detected;
  Piece piece = Piece::whole;
};

// "NAME", "NAME:s|ms|us|ns" or "NAME:host".
ColumnName parse_column_name(std::string_view text);

class LogColumns {
 public:
  static constexpr int kLoose = 100;  // from this rank on, the case of letters differs

  LogColumns() = default;
  LogColumns(ColumnName time, ColumnName key, ColumnName status, ColumnName duration);

  // The meaning of one name, and its rank: 0 for the user's and our own names, then the usual
  // names, the best first; then those that are equal but for their letters' case.
  struct Meaning {
    Field field = Field::none;
    int rank = 0;
    TimeUnit unit = TimeUnit::detected;
    Piece piece = Piece::whole;
    // What rules count by and filters ask for, whatever else it means.
    struct Name {
      std::size_t number = 0;  // in names()
      Piece piece = Piece::whole;
      bool in_base64 = false;
      bool is_loose = false;  // equal but for case: an exact one goes first
    };
    std::vector<Name> names = {};

    bool is_read() const { return field != Field::none || !names.empty(); }
    bool is_loose() const { return rank >= kLoose; }
    void set(std::string_view text, LogRow& row) const;
    void set_field(std::string_view text, LogRow& row) const;
    void set_names(std::string_view text, LogRow& row) const;
  };
  Meaning meaning_of(std::string_view name) const;

  // The meanings of a line of names. If several names mean the same, only the best one keeps the
  // meaning.
  std::vector<Meaning> meanings_of(std::span<const std::string> names) const;

  // The values of this name are read, too. `column`: where they are, if not in one of that name.
  // ip, method, path and user_agent are found under the names that other programs use.
  void want(std::string_view name, std::string_view column = {});
  struct Wanted {
    std::string name;
    std::string column;
  };
  const std::vector<Wanted>& names() const { return names_; }

  // The time column is that of a known format: the one with the start belongs to it.
  void keep_begun() { keeps_begun_ = true; }

  // rlctl wrote the log: a column that is almost named like one of its own is another one.
  void begin_own_log() { is_own_ = true; }

  // Every record has the same key: `--key-column -`.
  bool one_key() const { return key_.name == "-"; }

  // No option names the columns: messages must not, either.
  void set_by_no_option() { has_options_ = false; }
  bool has_options() const { return has_options_; }

  const ColumnName& time() const { return time_; }
  const ColumnName& key() const { return key_; }
  const ColumnName& status() const { return status_; }
  const ColumnName& duration() const { return duration_; }

 private:
  bool named_by_user(Field field) const;
  // Whether two names are one.
  using Same = bool (*)(std::string_view, std::string_view);
  Meaning field_of(std::string_view name) const;
  Meaning field_said(std::string_view name, Same same) const;
  Meaning field_known(std::string_view name, Same same) const;
  void add_names(std::string_view name, Same same, Meaning& meaning) const;

  ColumnName time_;
  ColumnName key_;
  ColumnName status_;
  ColumnName duration_;
  std::vector<Wanted> names_;
  bool keeps_begun_ = false;
  bool is_own_ = false;
  bool has_options_ = true;
};

// For messages: "ts, user, status", escaped; long lists are cut.
std::string listed_columns(std::span<const std::string> names);

// Whether rlctl writes a column of this name itself, so that it cannot be that of another value.
bool is_own_column(std::string_view name);

}  // namespace rlctl
