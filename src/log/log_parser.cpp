#include "log/log_parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/units.h"
#include "log/formats/access_rows.h"
#include "log/formats/format_proposal.h"
#include "log/log_header.h"
#include "log/part_clocks.h"

namespace rlctl {
namespace {

// Files of rlctl that are often given in place of a log: a result (`"schema": "rlctl.run/1"`) and a
// scenario. Looked for in the first lines only.
void refuse_other_files(std::string_view line, const std::string& file) {
  constexpr std::string_view kSchema = "\"rlctl.";
  const std::size_t schema = line.find("\"schema\"");
  const std::size_t name = line.find(kSchema, std::min(schema, line.size()));
  if (name != line.npos) {
    const std::string_view verb = line.substr(name + kSchema.size());
    throw Error(Exit::usage,
                in_quotes(file) + " is a result of rlctl " +
                    escape_for_terminal(verb.substr(0, verb.find_first_of("/\""))) + ", not a log",
                "rlctl report shows a result; record the decisions for verify with --log FILE");
  }
  const bool phases = line.find("\"phases\":") != line.npos;
  if (trimmed(line).starts_with("\"policies\":") ||
      (phases && line.find("\"policies\":") != line.npos))
    throw Error(Exit::usage, in_quotes(file) + " is a scenario, not a log",
                "play it with rlctl run, and record its decisions with --log FILE");
}

constexpr std::uint64_t kLinesToFindFormat = 20;
constexpr std::uint64_t kLinesToEstimate = 1'000;

}  // namespace

struct LogParser::Section {
  HistoryBuilder builder;
  std::set<std::string> runs;  // by id
  std::vector<PartStart> parts;
  DatedClocks dated;
};

LogParser::LogParser(LogReadOptions options) : options_(std::move(options)), converter_(options_) {}

LogParser::~LogParser() = default;

std::string ParsedLogs::place_of(const ParsedHistory& history, std::uint32_t record) const {
  const SourceLine source = history.lines.line_of(record);
  return fmt::format("{}:{}", escape_for_terminal(files.at(source.file)), source.line);
}

void LogParser::begin_file(std::string name, std::uint64_t size_bytes) {
  parsed_.files.push_back(std::move(name));
  splitter_ = LineSplitter();
  converter_.begin_file();
  found_ = {};
  current_ = nullptr;
  part_ = nullptr;
  file_parts_.clear();
  run_parts_.begin_file();
  file_bytes_ = size_bytes;
  file_rows_ = 0;
  last_hash_ = 0;
  begin_said_format();
}

void LogParser::feed(std::string_view bytes) {
  splitter_.feed(bytes, [this](const LineSplitter::Line& line) { on_line(line); });
}

// rlctl ends each of its lines: what follows the last end is a part of one.
void LogParser::end_file() {
  splitter_.finish([this](const LineSplitter::Line& line) {
    if (!is_cut()) return on_line(line);
    ++torn_;
  });
  note_cuts();
  run_parts_.end_file();
  if (found_.rows) parsed_.columns = found_.rows->columns();
  if (!converter_.assumed_durations()) return;
  for (const auto& section : sections_) converter_.allow_slow_requests(section->builder.log());
}

void LogParser::on_line(const LineSplitter::Line& line) {
  if (line.too_long) return bad(line.number, "the line is longer than 1 MiB");
  if (trimmed(line.text).empty()) return;
  if (line.text.find('\0') != std::string_view::npos)
    return bad(line.number, "the line contains a NUL byte");
  if (is_end(line.text)) return;
  const char first = line.text.front();
  if ((first == '{' || first == '#') && is_log_header(line.text))
    return on_header(line.text, line.number);
  if (line.number <= kLinesToFindFormat) refuse_other_files(line.text, parsed_.files.back());
  if (found_.rows || find_format(line.text)) return on_row(line.text, line.number);
  if (line.text.starts_with('#')) return;
  if (line.number > kLinesToFindFormat) {
    throw Error(Exit::usage, in_quotes(parsed_.files.back()) + " is not in a known log format",
                proposal_.empty()
                    ? "rlctl formats lists those that are; describe another one with --format "
                      "'$remote_addr [$time_local] ...'"
                    : proposal_);
  }
  bad(line.number, "the line is not in a known log format");
}

void LogParser::bad(std::uint64_t number, std::string_view what) {
  if (part_ != nullptr) ++part_->lines;
  ++parsed_.lines;
  ++parsed_.bad_lines;
  if (parsed_.examples.size() >= kExamples) return;
  parsed_.examples.push_back(
      fmt::format("{}:{}: {}", escape_for_terminal(parsed_.files.back()), number, what));
}

bool LogParser::find_format(std::string_view line) {
  begin(rlctl::find_format(line, options_.format, options_.columns));
  if (!found_.rows && proposal_.empty()) proposal_ = format_proposal(line);
  return found_.rows != nullptr;
}

void LogParser::begin(FoundFormat found) {
  found_ = std::move(found);
  if (found_.format != nullptr) converter_.set_stamp_at(found_.format->stamp);
}

// What needs no line to be told by: json, csv and a log_format.
void LogParser::begin_said_format() {
  const std::string& said = options_.format;
  if (said.empty()) return;
  if (said.find('$') != std::string::npos) {
    found_.columns = std::make_unique<LogColumns>(options_.columns);
    found_.rows = std::make_unique<AccessRows>(said, false, *found_.columns);
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

void LogParser::on_header(std::string_view line, std::uint64_t number) {
  if (!found_.rows) begin(begin_format(line.starts_with('#') ? "csv" : "json", options_.columns));
  try {
    if (const auto continued = log_continued_by(line)) {
      if (*continued >= file_parts_.size())
        throw Error(Exit::usage, "the log that goes on here has no beginning",
                    "give the whole file");
      part_ = &file_parts_[*continued];
      current_ = part_->section;
      return note_part();
    }
    const Log header = parse_log_header(line);
    for (const NamedValues& values : header.names) {
      options_.columns.want(values.name);
      found_.columns->want(values.name);
    }
    found_.rows->begin_own_log();
    run_parts_.add(header);
    current_ = &section_of(header);
    if (!header.run_id.empty()) current_->runs.insert(header.run_id);
    begin_part(line, header);
  } catch (const Error& error) {
    throw Error(
        error.exit(),
        fmt::format("{}:{}: {}", escape_for_terminal(parsed_.files.back()), number, error.what()),
        error.hint());
  }
}

void LogParser::begin_part(std::string_view line, const Log& header) {
  part_ =
      &file_parts_.emplace_back(Part{current_, promises_end(line), header.shard, 0, std::nullopt});
  note_part();
}

// Each machine that played a part has a clock of its own.
void LogParser::note_part() {
  current_->parts.push_back({current_->builder.log().records.size(), part_->shard});
}

bool LogParser::is_end(std::string_view line) {
  if (part_ == nullptr || part_->records) return false;
  Log& log = part_->section->builder.log();
  part_->records = read_log_end(line, log);
  if (log.server_ahead.is_known())
    part_->section->dated[part_->shard] = std::exchange(log.server_ahead, {});
  return part_->records.has_value();
}

// Whether the end of a log is still to come.
bool LogParser::is_cut() const {
  return std::ranges::any_of(file_parts_,
                             [](const Part& part) { return part.promises_end && !part.records; });
}

void LogParser::note_cuts() {
  for (const Part& part : file_parts_) {
    std::string& cut = part.section->builder.log().cut;
    const std::string lines = format_count(static_cast<std::int64_t>(part.lines));
    if (part.promises_end && !part.records)
      cut = "it ends after " + counted(part.lines, "record");
    else if (part.records && *part.records != part.lines)
      cut = "it has " + lines + " of " + counted(*part.records, "record");
  }
}

LogParser::Section& LogParser::section_of(const Log& header) {
  for (const auto& section : sections_) {
    const Log& log = section->builder.log();
    if (log.algorithm != header.algorithm || log.history != header.history) continue;
    if (log.policy.rules == header.policy.rules && log.contract == header.contract) return *section;
    throw Error(Exit::usage, "its policy or contract differs from the logs before it",
                "verify logs with different policies one by one");
  }
  sections_.push_back(std::make_unique<Section>());
  sections_.back()->builder.log() = header;
  sections_.back()->builder.log().names.clear();  // in the order of LogColumns::names
  if (options_.parts) sections_.back()->builder.hold_in(options_.parts(header));
  return *sections_.back();
}

LogParser::Section& LogParser::section() {
  if (current_ == nullptr) {
    Log unnamed;
    // nginx and HAProxy write times in milliseconds.
    if (!is_structured()) unnamed.tolerance_us = 1'000;
    current_ = &section_of(unnamed);
  }
  return *current_;
}

void LogParser::on_row(std::string_view line, std::uint64_t number) {
  const char* problem = found_.rows->parse(line, row_);
  if (problem == kNoRow) return;
  if (problem == nullptr) {
    update_units();
    const SourceLine source{static_cast<std::uint32_t>(parsed_.files.size() - 1), number};
    problem = converter_.convert(row_, source, section().builder);
  }
  if (problem != nullptr) {
    if (first_bad_.empty()) first_bad_ = line;
    return bad(number, problem);
  }
  if (part_ != nullptr) ++part_->lines;
  ++parsed_.lines;
  watch_order(line);
  if (++file_rows_ == kLinesToEstimate) set_room_aside(line);
}

bool LogParser::is_structured() const {
  return found_.format != nullptr && found_.format->shape != LogShape::text;
}

// JSON shows the names of its columns line by line.
void LogParser::update_units() {
  const bool is_json = found_.format != nullptr && found_.format->shape == LogShape::json;
  if (file_rows_ > 0 && !is_json) return;
  converter_.set_units(found_.rows->unit_of(Field::time), found_.rows->unit_of(Field::duration));
}

// The line length depends on the format, the size of a record does not: estimate after the first
// 1,000 lines.
void LogParser::set_room_aside(std::string_view line) {
  if (sections_.size() != 1 || file_bytes_ == 0) return;
  const std::uint64_t rows = file_bytes_ / std::max<std::uint64_t>(line.size() + 1, 16);
  section().builder.reserve(section().builder.records() + rows + rows / 16);
}

// Counts repeated lines: with stamps in µs, an identical line is probably not a second decision.
void LogParser::watch_order(std::string_view line) {
  const std::size_t hash = std::hash<std::string_view>{}(line);
  if (hash == last_hash_ && row_.has(Field::sent)) ++repeated_;
  last_hash_ = hash;
}

// If no request was denied: names the status code that the limiter seems to use for denials.
std::string LogParser::other_denials() const {
  HistoryBuilder::Denials all;
  for (const auto& section : sections_) {
    const HistoryBuilder::Denials& denials = section->builder.denials();
    all.denied += denials.denied;
    all.status_403 += denials.status_403;
    all.status_503 += denials.status_503;
  }
  const int status = all.status_503 > 0 ? 503 : 403;
  const std::int64_t count = status == 503 ? all.status_503 : all.status_403;
  if (all.denied > 0 || count == 0) return {};
  return fmt::format(
      "no request was denied, but {} got status {}: add --denied {} if this limiter "
      "denies with it",
      counted(count, "request"), status, status);
}

std::vector<std::string> LogParser::collected_notes() const {
  std::vector<std::string> notes;
  if (const std::string other = other_denials(); !other.empty()) notes.push_back(other);
  if (parsed_.bad_lines > 0)
    notes.push_back(fmt::format("{} of {} lines could not be read and were ignored",
                                format_count(static_cast<std::int64_t>(parsed_.bad_lines)),
                                format_count(static_cast<std::int64_t>(parsed_.lines))));
  if (torn_ > 0)
    notes.push_back(counted(torn_, "log ends", "logs end") +
                    " in the middle of a line, which was ignored");
  if (repeated_ > 0)
    notes.push_back(counted(repeated_, "line repeats", "lines repeat") +
                    " the line before; each counts as a decision");
  return notes;
}

// CSV tells its columns when it reads their names; those of JSON are known at the end.
std::string LogParser::columns_found() const {
  if (!is_structured() || parsed_.columns.empty()) return {};
  const std::string with_values = column_proposal(first_bad_);
  return "\n  the columns are " + listed_columns(parsed_.columns) +
         (with_values.empty() ? "" : "\n  the first such line has " + with_values);
}

ParsedLogs LogParser::finish() {
  if (sections_.empty() && parsed_.lines == 0)
    throw Error(Exit::usage,
                (parsed_.files.empty() ? std::string() : in_quotes(parsed_.files.back()) + ": ") +
                    "the log has no records",
                "give a log with records in it");
  const double share = static_cast<double>(parsed_.bad_lines) /
                       static_cast<double>(std::max<std::uint64_t>(parsed_.lines, 1));
  if (share > options_.bad_lines) {
    throw Error(Exit::usage,
                fmt::format("{} of {} lines cannot be read; --budget-bad-lines allows {:g}%",
                            format_count(static_cast<std::int64_t>(parsed_.bad_lines)),
                            format_count(static_cast<std::int64_t>(parsed_.lines)),
                            options_.bad_lines * 100),
                joined(parsed_.examples, "\n  ") + columns_found());
  }
  if (sections_.empty()) section();
  run_parts_.refuse_incomplete();
  std::vector<std::string> clock_notes;
  for (const auto& section : sections_) {
    parsed_.histories.push_back(
        {section->builder.take_log(), section->builder.take_lines(), section->builder.parts()});
    Log& log = parsed_.histories.back().log;
    run_parts_.describe(section->runs, log);
    for (std::string& note : align_clocks(section->parts, section->dated, log))
      clock_notes.push_back(std::move(note));
  }
  parsed_.notes = collected_notes();
  parsed_.notes.insert(parsed_.notes.end(), clock_notes.begin(), clock_notes.end());
  return std::move(parsed_);
}

}  // namespace rlctl
