#include "log/row_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/suggest.h"
#include "base/text.h"
#include "log/formats/access_rows.h"
#include "log/formats/format_proposal.h"

namespace rlctl {

RowReader::RowReader(const RowReader& other, std::unique_ptr<RowParser> rows)
    : options_(other.options_),
      converter_(other.converter_),
      format_(other.format_),
      columns_(other.columns_),
      rows_(std::move(rows)),
      has_read_(other.has_read_),
      version_(other.version_) {}

std::unique_ptr<RowReader> RowReader::copy() const {
  std::unique_ptr<RowParser> rows = rows_ ? rows_->copy() : nullptr;
  if (!rows) return nullptr;
  return std::unique_ptr<RowReader>(new RowReader(*this, std::move(rows)));
}

void RowReader::begin_file() {
  converter_.begin_file();
  proposal_.clear();
  before_.clear();
  begin({});
  has_read_ = false;
  begin_said_format();
}

void RowReader::begin(FoundFormat found) {
  ++version_;
  format_ = found.format;
  rows_ = std::move(found.rows);
  columns_ = std::move(found.columns);
  if (format_ != nullptr) converter_.set_stamp_at(format_->stamp);
}

// What needs no line to be told by: json, csv and a log_format.
void RowReader::begin_said_format() {
  const std::string& said = options_.format;
  if (said.empty()) return;
  if (said.find('$') != std::string::npos) {
    columns_ = std::make_shared<LogColumns>(options_.columns);
    rows_ = std::make_unique<AccessRows>(said, false, *columns_);
    converter_.set_stamp_at(StampAt::end);
    return;
  }
  const std::vector<std::string> names = format_names();
  if (std::ranges::find(names, said) != names.end())
    return begin(begin_format(said, options_.columns));
  const std::string near = did_you_mean(said, names);
  throw Error(Exit::usage, "--format: there is no format " + in_quotes(said),
              near.empty() ? "use " + joined(names) + ", or an nginx log_format" : near);
}

void RowReader::begin_own_log(std::string_view header, const std::vector<NamedValues>& names) {
  ++version_;
  const std::string_view own = header.starts_with('#') ? "csv" : "json";
  if (!options_.format.empty() && options_.format != own)
    throw Error(
        Exit::usage,
        fmt::format("--format {} has no effect on a log of rlctl", shell_word(options_.format)),
        "leave out --format: the first line of such a log tells how it is read");
  if (!rows_) begin(begin_format(own, options_.columns));
  columns_->begin_own_log();
  converter_.begin_own_log();
  for (const NamedValues& values : names) columns_->want(values.name);
  rows_->begin_own_log();
}

bool RowReader::find_format(std::string_view line) {
  FoundFormat found = rlctl::find_format(line, options_.format, options_.columns, before_);
  line_goes_on_ = found.is_part;
  begin(std::move(found));
  if (has_format()) return before_.clear(), true;
  if (line_goes_on_ || !before_.empty()) before_.emplace_back(line);
  if (proposal_.empty()) proposal_ = format_proposal(line);
  return false;
}

bool RowReader::is_structured() const {
  return format_ != nullptr && format_->shape != LogShape::text;
}

std::vector<std::string> RowReader::columns() const {
  return rows_ ? rows_->columns() : std::vector<std::string>();
}

RowConverter::Units RowReader::named_units() const {
  return {rows_->unit_of(Field::time), rows_->unit_of(Field::duration)};
}

RowReader::State RowReader::state() const {
  return {version_, converter_.units(), rows_ ? named_units() : RowConverter::Units()};
}

// A comment of W3C may name the columns anew.
const char* RowReader::parse(std::string_view line) {
  if (!line.starts_with('#')) return rows_->parse(line, row_);
  const std::vector<std::string> before = rows_->columns();
  const char* problem = rows_->parse(line, row_);
  if (rows_->columns() != before) ++version_;
  return problem;
}

const char* RowReader::read(std::string_view line, ReadRow& row) {
  const char* problem = parse(line);
  if (problem != nullptr) return problem;
  // JSON shows the names of its columns line by line.
  const bool is_json = format_ != nullptr && format_->shape == LogShape::json;
  if (is_json || !has_read_) converter_.set_units(named_units());
  problem = converter_.convert(row_, row);
  has_read_ = has_read_ || problem == nullptr;
  return problem;
}

}  // namespace rlctl
