#include "log/formats/csv_rows.h"

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/words.h"

namespace rlctl {
namespace {

// The separator that occurs most often; a comma when in doubt.
char separator_of(std::string_view line) {
  char best = ',';
  for (const char sign : {';', '\t'}) {
    if (std::count(line.begin(), line.end(), sign) > std::count(line.begin(), line.end(), best))
      best = sign;
  }
  return best;
}

// Removes a cell without quotes, and the separator after it, from the front.
std::string_view plain_cell(std::string_view& rest, char separator, bool& last) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view cell = rest.substr(0, end);
  last = end == rest.size();
  rest.remove_prefix(last ? end : end + 1);
  return cell;
}

}  // namespace

void CsvRows::begin_own_log() {
  own_ = true;
  meanings_.clear();
}

TimeUnit CsvRows::unit_of(Field field) const {
  for (const LogColumns::Meaning& meaning : meanings_)
    if (meaning.field == field) return meaning.unit;
  return TimeUnit::detected;
}

bool CsvRows::has(Field field) const {
  return std::any_of(meanings_.begin(), meanings_.end(),
                     [&](const LogColumns::Meaning& meaning) { return meaning.field == field; });
}

// Of two columns of one name nobody can say which one counts; of some, it makes no difference.
void CsvRows::refuse_doubled() const {
  constexpr Field kCounts[] = {Field::time,     Field::sent,    Field::received, Field::server,
                               Field::key,      Field::key_b64, Field::status,   Field::outcome,
                               Field::duration, Field::cost};
  const auto counts = [&](const LogColumns::Meaning& meaning) {
    return !meaning.names.empty() || std::ranges::find(kCounts, meaning.field) != std::end(kCounts);
  };
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (counts(meanings_[i]) && std::ranges::count(names_, names_[i]) > 1)
      throw Error(Exit::usage, "the column " + in_quotes(names_[i]) + " comes twice",
                  "rename or remove one of them; the columns are " + listed_columns(names_));
}

void CsvRows::check_names() const {
  refuse_doubled();
  const bool time =
      has(Field::time) || has(Field::sent) || has(Field::received) || has(Field::server);
  const bool key = has(Field::key) || has(Field::key_b64) || columns_.one_key();
  const bool outcome = has(Field::outcome) || has(Field::status);
  if (time && key && outcome) return;
  const char* what = !time  ? "time of a decision"
                     : !key ? "key of a decision"
                            : "outcome of a decision";
  const std::string option = !time ? "--time-column" : !key ? "--key-column" : "--status-column";
  const ColumnName& named = !time ? columns_.time() : !key ? columns_.key() : columns_.status();
  const std::string columns = "the columns are " + listed_columns(names_);
  if (!named.name.empty())
    throw Error(Exit::usage, option + ": there is no column " + in_quotes(named.name), columns);
  throw Error(Exit::usage, std::string("no column has the ") + what,
              (columns_.has_options() ? "name it with " + option + "; " : "") + columns);
}

void CsvRows::read_names(std::string_view line) {
  separator_ = separator_of(line);
  names_.clear();
  for (bool last = false; !last;) {
    std::string_view name = plain_cell(line, separator_, last);
    while (name.starts_with(' ') || name.starts_with('"')) name.remove_prefix(1);
    while (name.ends_with(' ') || name.ends_with('"')) name.remove_suffix(1);
    names_.emplace_back(name);
  }
  meanings_ = columns_.meanings_of(names_);
  check_names();
}

// Null, or what is wrong. `cell` refers to the line, or to decoded_ if it has doubled quotes.
const char* CsvRows::quoted_cell(std::string_view& rest, std::string_view& cell) {
  std::string text;
  bool doubled = false;
  std::string_view after = rest.substr(1);
  for (;;) {
    const std::size_t end = after.find('"');
    if (end == std::string_view::npos)
      return "a quote is not closed on its line: rows over several lines are not read; export the "
             "cells without line ends";
    cell = after.substr(0, end);
    after.remove_prefix(end + 1);
    if (!after.starts_with('"')) break;
    doubled = true;
    text.append(cell).push_back('"');
    after.remove_prefix(1);
  }
  if (doubled) cell = decoded_.emplace_back(text.append(cell));
  if (!after.empty() && after.front() != separator_) return "text after a closing quote";
  rest = after;
  return nullptr;
}

// "#Fields: date time c-ip": blanks between names, and blanks or tabs between cells.
void CsvRows::read_fields(std::string_view names) {
  names_.clear();
  for (const std::string& name : split(names, ' '))
    if (!name.empty()) names_.push_back(name);
  meanings_ = columns_.meanings_of(names_);
  check_names();
}

const char* CsvRows::parse_w3c(std::string_view line, LogRow& row) {
  constexpr std::string_view kNames = "#Fields:";
  if (line.starts_with(kNames)) read_fields(line.substr(kNames.size()));
  if (line.starts_with('#')) return kNoRow;
  row.clear();
  separator_ = line.find('\t') == std::string_view::npos ? ' ' : '\t';
  bool last = false;
  for (const LogColumns::Meaning& meaning : meanings_) {
    if (last) return "too few cells";
    const std::string_view cell = plain_cell(line, separator_, last);
    if (!meaning.is_read()) continue;
    if (cell != "-")
      meaning.set(cell, row);
    else if (meaning.field == Field::key)
      row.set(Field::key, {});
  }
  return last ? nullptr : "too many cells";
}

const char* CsvRows::parse(std::string_view line, LogRow& row) {
  if (w3c_) return parse_w3c(line, row);
  if (line.starts_with('#')) return kNoRow;
  if (!meanings_.empty()) return parse_cells(line, row);
  read_names(line);
  return kNoRow;
}

const char* CsvRows::parse_cells(std::string_view line, LogRow& row) {
  row.clear();
  decoded_.clear();
  bool last = false;
  for (const LogColumns::Meaning& meaning : meanings_) {
    if (last) return "too few cells";
    std::string_view cell;
    if (line.starts_with('"')) {
      if (const char* problem = quoted_cell(line, cell)) return problem;
      last = line.empty();
      if (!last) line.remove_prefix(1);
    } else {
      cell = plain_cell(line, separator_, last);
    }
    if (meaning.is_read() && (!cell.empty() || meaning.field == Field::key))
      meaning.set(own_ ? unprotected_cell(cell) : cell, row);
  }
  return last ? nullptr : "too many cells";
}

}  // namespace rlctl
