#include "log/formats/access_rows.h"

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"

namespace rlctl {
namespace {

// Removes "name" or "{name}" from the front, after the $.
std::string_view take_name(std::string_view& rest) {
  const bool braces = rest.starts_with('{');
  if (braces) rest.remove_prefix(1);
  std::size_t length = 0;
  while (length < rest.size() && is_name_character(rest[length])) ++length;
  const std::string_view name = rest.substr(0, length);
  rest.remove_prefix(length);
  if (name.empty() || (braces && !rest.starts_with('}'))) {
    throw Error(Exit::usage, "--format: a $ has no variable name after it",
                "write the log_format as in nginx.conf, in single quotes");
  }
  if (braces) rest.remove_prefix(1);
  return name;
}

// Where `text` begins in `line`. When `in_quotes`, a match after a backslash does not count.
std::size_t find_text(std::string_view line, std::string_view text, bool in_quotes) {
  std::size_t at = line.find(text);
  while (in_quotes && at != std::string_view::npos && at > 0) {
    std::size_t slashes = 0;
    while (slashes < at && line[at - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) break;
    at = line.find(text, at + 1);
  }
  return at;
}

// nginx and Apache escape special bytes as \xNN, \" and \\.
std::string without_escapes(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      bytes += text[i];
      continue;
    }
    const auto byte = text[i + 1] == 'x' ? unescape(text.substr(i, 4)) : std::nullopt;
    bytes += byte && byte->size() == 1 ? byte->front() : text[i + 1];
    i += byte && byte->size() == 1 ? 3 : 1;
  }
  return bytes;
}

}  // namespace

AccessRows::AccessRows(std::string_view format, bool open_ended, const LogColumns& columns)
    : open_ended_(open_ended) {
  split(format);
  give_meanings(columns);
  check(columns);
}

AccessRows AccessRows::unchecked(std::string_view format, const LogColumns& columns) {
  AccessRows rows;
  rows.raw_ = true;
  rows.split(format);
  rows.give_meanings(columns);
  return rows;
}

void AccessRows::give_meanings(const LogColumns& columns) {
  const auto meanings = columns.meanings_of(this->columns());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].meaning = meanings[i];
    if (meanings[i].field != Field::none) needed_ = i + 1;
    if (meanings[i].is_read()) read_ = i + 1;
  }
  if (!open_ended_) needed_ = read_ = parts_.size();
}

void AccessRows::split(std::string_view format) {
  std::string* text = &opening_;
  while (!format.empty()) {
    if (format.front() != '$') {
      *text += format.front();
      format.remove_prefix(1);
      continue;
    }
    format.remove_prefix(1);
    if (!parts_.empty() && text->empty())
      throw Error(Exit::usage, "--format: two variables with no text between them");
    Part part;
    part.in_quotes = text->ends_with('"');
    part.name = take_name(format);
    parts_.push_back(std::move(part));
    text = &parts_.back().behind;
  }
}

std::vector<std::string> AccessRows::columns() const {
  std::vector<std::string> names;
  for (const Part& part : parts_) names.push_back(part.name);
  return names;
}

bool AccessRows::has(Field field) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [&](const Part& part) { return part.meaning.field == field; });
}

void AccessRows::check(const LogColumns& columns) const {
  const bool time = has(Field::time);
  const bool key = has(Field::key) || columns.one_key();
  if (time && key && (has(Field::status) || has(Field::outcome))) return;
  const char* missing = !time  ? "the time ($time_local)"
                        : !key ? "the key ($remote_addr)"
                               : "the status ($status)";
  const std::string option = !time ? "--time-column" : !key ? "--key-column" : "--status-column";
  const ColumnName& named = !time ? columns.time() : !key ? columns.key() : columns.status();
  if (!named.name.empty())
    throw Error(Exit::usage, option + ": the format has no variable " + in_quotes(named.name),
                "name it without the $; its variables are " + listed_columns(this->columns()));
  throw Error(Exit::usage, std::string("--format: no variable has ") + missing,
              "if another variable has it, name it with " + option + ", without the $");
}

TimeUnit AccessRows::unit_of(Field field) const {
  for (const Part& part : parts_)
    if (part.meaning.field == field) return part.meaning.unit;
  return TimeUnit::detected;
}

// The end of a value. An address may hold colons: before a port, the last one counts.
std::size_t AccessRows::end_of(const Part& part, std::string_view rest) const {
  if (part.behind == ":" && part.meaning.is_read())
    return rest.substr(0, rest.find(' ')).rfind(':');
  if (!part.behind.empty()) return find_text(rest, part.behind, part.in_quotes);
  return open_ended_ ? std::min(rest.find(' '), rest.size()) : rest.size();
}

bool AccessRows::take(const Part& part, std::string_view& rest, LogRow& row) {
  const std::size_t end = end_of(part, rest);
  if (end == std::string_view::npos) return false;
  std::string_view value = rest.substr(0, end);
  rest.remove_prefix(std::min(rest.size(), end + part.behind.size()));
  const LogColumns::Meaning& meaning = part.meaning;
  if (!meaning.is_read()) return true;
  const bool is_name = meaning.field == Field::key || !meaning.names.empty();
  if (is_name && value == "-") value = {};  // how servers write that there is none
  if (is_name && !raw_ && value.find('\\') != std::string_view::npos)
    value = decoded_.emplace_back(without_escapes(value));
  meaning.set_field(value, row);
  meaning.set_names(value, row);
  return true;
}

const char* AccessRows::parse(std::string_view line, LogRow& row) {
  if (!line.starts_with(opening_)) return "not in the log's format";
  row.clear();
  decoded_.clear();
  std::string_view rest = line.substr(opening_.size());
  for (std::size_t i = 0; i < read_; ++i) {
    if (take(parts_[i], rest, row)) continue;
    return i < needed_ ? "not in the log's format" : nullptr;
  }
  return open_ended_ || rest.empty() ? nullptr : "not in the log's format";
}

}  // namespace rlctl
