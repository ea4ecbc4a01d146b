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
#include "base/text.h"
#include "base/units.h"
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

// "the line has no time: name the column with --time-column".
std::string_view without_option(std::string_view problem) {
  const std::size_t option = problem.find("-column");
  return option == problem.npos ? problem : problem.substr(0, problem.rfind(": ", option));
}

constexpr std::uint64_t kLinesToFindFormat = 20;
constexpr std::uint64_t kLinesToEstimate = 1'000;

}  // namespace

struct LogParser::Section {
  HistoryBuilder builder;
  std::set<std::string> runs;  // by id
  std::vector<PartStart> parts;
  DatedClocks dated;
  std::uint32_t file = 0;  // in which it begins
  std::vector<FileCut> cuts;
};

LogParser::LogParser(LogReadOptions options) : options_(std::move(options)), reader_(options_) {}

LogParser::~LogParser() = default;

std::string ParsedLogs::place_of(const ParsedHistory& history, std::uint32_t record) const {
  const SourceLine source = history.lines.line_of(record);
  return fmt::format("{}:{}", escape_for_terminal(files.at(source.file)), source.line);
}

void LogParser::begin_file(std::string name, std::uint64_t size_bytes) {
  parsed_.files.push_back(std::move(name));
  splitter_ = LineSplitter();
  current_ = nullptr;
  part_ = nullptr;
  file_parts_.clear();
  run_parts_.begin_file();
  file_bytes_ = size_bytes;
  file_rows_ = 0;
  unknown_lines_ = 0;
  last_hash_ = 0;
  assumed_durations_ = false;
  reader_.begin_file();
}

// The first lines show how the others are read.
bool LogParser::reads_blocks() {
  if (blocks_) return true;
  if (options_.threads < 2 || file_rows_ < kLinesToEstimate || splitter_.is_in_long_line() ||
      !reader_.copy())
    return false;
  blocks_.emplace(options_.threads, splitter_);
  return true;
}

void LogParser::feed(std::string_view bytes) {
  if (reads_blocks())
    return blocks_->feed(bytes, reader_, [this](const LineBlock& block) { take(block); });
  splitter_.feed(bytes, [this](const LineSplitter::Line& line) { on_line(line); });
}

// While the lines are read as the block began and ended, its records are those that one thread
// would have made.
void LogParser::take(const LineBlock& block) {
  const auto is_as_guessed = [&] {
    return block.is_steady() && reader_.state() == block.began_as();
  };
  bool known = is_as_guessed();
  for (const LineBlock::Line& line : block.lines()) {
    if (known && line.kind == LineBlock::Kind::row) {
      add(line.row, line.source, line.hash);
      continue;
    }
    // The other threads use the columns, which a header may change.
    if (line.kind == LineBlock::Kind::turning) blocks_->wait();
    on_line(line.source);
    known = known && is_as_guessed();
  }
}

// rlctl ends each of its lines: what follows the last end is a part of one.
void LogParser::end_file() {
  if (blocks_) {
    blocks_->finish(reader_, [this](const LineBlock& block) { take(block); });
    splitter_ = blocks_->splitter();
    blocks_.reset();
  }
  splitter_.finish([this](const LineSplitter::Line& line) {
    if (!is_cut()) return on_line(line);
    ++torn_;
  });
  note_cuts();
  const bool none_fits = options_.format.empty() && !reader_.has_format() && unknown_lines_ > 0;
  if (none_fits && !unknown_) unknown_ = unknown_format();
  run_parts_.end_file();
  if (reader_.has_format()) parsed_.columns = reader_.columns();
  columns_seen_.insert(parsed_.columns.begin(), parsed_.columns.end());
  if (!assumed_durations_) return;
  for (const auto& section : sections_)
    reader_.converter().allow_slow_requests(section->builder.log());
}

void LogParser::on_line(const LineSplitter::Line& line) {
  if (const char* problem = line.problem()) return bad(line, problem);
  if (trimmed(line.text).empty()) return;
  if (is_end(line.text)) return;
  const char first = line.text.front();
  if ((first == '{' || first == '#') && is_log_header(line.text))
    return on_header(line.text, line.number);
  if (line.number <= kLinesToFindFormat) refuse_other_files(line.text, parsed_.files.back());
  if (reader_.has_format() || reader_.find_format(line.text)) return on_row(line);
  if (line.text.starts_with('#')) return;
  if (line.number > kLinesToFindFormat) throw unknown_format();
  ++unknown_lines_;
  if (!reader_.line_goes_on()) bad(line, "the line is not in a known log format");
}

Error LogParser::unknown_format() const {
  std::string hint = "rlctl formats lists those that are";
  if (options_.columns.has_options())
    hint = reader_.proposal().empty()
               ? hint + "; describe another one with --format '$remote_addr [$time_local] ...'"
               : reader_.proposal();
  return {Exit::usage, in_quotes(parsed_.files.back()) + " is not in a known log format", hint};
}

void LogParser::bad(const LineSplitter::Line& line, std::string_view what) {
  if (part_ != nullptr) ++part_->lines;
  ++parsed_.lines;
  ++parsed_.bad_lines;
  if (reader_.has_format() && first_bad_.empty()) first_bad_ = line.text;
  if (parsed_.examples.size() >= kExamples) return;
  if (!options_.columns.has_options()) what = without_option(what);
  parsed_.examples.push_back(
      fmt::format("{}:{}: {}", escape_for_terminal(parsed_.files.back()), line.number, what));
}

void LogParser::on_header(std::string_view line, std::uint64_t number) {
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
    for (const NamedValues& values : header.names) options_.columns.want(values.name);
    reader_.begin_own_log(line, header.names);
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
    std::vector<FileCut>& cuts = part.section->cuts;
    const std::string lines = format_count(static_cast<std::int64_t>(part.lines));
    if (part.promises_end && !part.records)
      cuts.push_back({parsed_.files.back(), "ends after " + counted(part.lines, "record")});
    else if (part.records && *part.records != part.lines)
      cuts.push_back(
          {parsed_.files.back(), "has " + lines + " of " + counted(*part.records, "record")});
  }
}

// "it ends after 6 records"; of one of several files: its name.
std::string LogParser::cuts_in_words(const std::vector<FileCut>& cuts) const {
  std::vector<std::string> all;
  for (const FileCut& cut : cuts)
    all.push_back((parsed_.files.size() > 1 ? in_quotes(cut.file) : "it") + " " + cut.what);
  return joined(all);
}

namespace {

// Of logs that are judged together, each promise holds only if all make it, and the smaller of two
// allowances counts: no log excuses another one.
void join_terms(const Log& header, Log& log) {
  JudgingTerms& all = log.terms;
  const JudgingTerms& one = header.terms;
  all.fresh = all.fresh && one.fresh;
  all.fresh_is_promised = all.fresh_is_promised || one.fresh_is_promised;
  all.tolerance_us = std::max(all.tolerance_us, one.tolerance_us);
  all.held_at_least_us = std::min(all.held_at_least_us, one.held_at_least_us);
  all.allowed_false_denials = std::min(all.allowed_false_denials, one.allowed_false_denials);
  if (all.max_inflight_us && one.max_inflight_us)
    all.max_inflight_us = std::max(all.max_inflight_us, one.max_inflight_us);
  else
    all.max_inflight_us.reset();
  if (log.budgets == header.budgets) return;
  const Budgets other = header.budgets.value_or(kUsualBudgets);
  Budgets& budgets = log.budgets ? *log.budgets : log.budgets.emplace(kUsualBudgets);
  for (const auto& [name, share] : kBudgetShares)
    if (other.*share && (!(budgets.*share) || other.*share < budgets.*share))
      budgets.*share = other.*share;
  budgets.late_after_us = std::min(budgets.late_after_us, other.late_after_us);
}

}  // namespace

LogParser::Section& LogParser::section_of(const Log& header) {
  for (const auto& section : sections_) {
    Log& log = section->builder.log();
    if (log.algorithm != header.algorithm || log.history != header.history) continue;
    join_terms(header, log);
    if (log.policy.rules == header.policy.rules && log.contract == header.contract) return *section;
    throw Error(Exit::usage, "its policy or contract differs from the logs before it",
                "verify logs with different policies one by one");
  }
  sections_.push_back(std::make_unique<Section>());
  sections_.back()->builder.log() = header;
  sections_.back()->builder.log().names.clear();  // in the order of LogColumns::names
  sections_.back()->file = static_cast<std::uint32_t>(parsed_.files.size() - 1);
  if (options_.parts) sections_.back()->builder.hold_in(options_.parts(header));
  return *sections_.back();
}

LogParser::Section& LogParser::section() {
  if (current_ == nullptr) {
    Log unnamed;
    // nginx and HAProxy write times in milliseconds.
    if (!reader_.is_structured()) unnamed.terms.tolerance_us = 1'000;
    current_ = &section_of(unnamed);
  }
  return *current_;
}

void LogParser::on_row(const LineSplitter::Line& line) {
  const char* problem = reader_.read(line.text, row_);
  if (problem == kNoRow) return;
  if (problem != nullptr) return bad(line, problem);
  add(row_, line, std::hash<std::string_view>{}(line.text));
  if (file_rows_ == kLinesToEstimate) set_room_aside(line.text);
}

void LogParser::add(const ReadRow& row, const LineSplitter::Line& line, std::size_t hash) {
  HistoryBuilder& history = section().builder;
  const auto& wanted = options_.columns.names();
  for (std::size_t i = history.log().names.size(); i < wanted.size(); ++i)
    history.log().names.emplace_back().name = wanted[i].name;
  has_value_.resize(wanted.size());  // a header may have told more of them
  for (std::size_t i = 0; i < row.names.others.size(); ++i)
    if (!row.names.others[i].empty()) has_value_[i] = true;
  has_durations_ = has_durations_ || row.has_duration;
  has_stamps_ = has_stamps_ || row.is_stamped;
  history.saw_interval(row.has_duration, row.widened_us);
  const SourceLine source{static_cast<std::uint32_t>(parsed_.files.size() - 1), line.number};
  if (const char* problem = history.add(row.record, row.names, source, row.finish))
    return bad(line, problem);
  assumed_durations_ = assumed_durations_ || row.record.lacks_duration;
  if (part_ != nullptr) ++part_->lines;
  ++parsed_.lines;
  ++file_rows_;
  watch_order(row, hash);
}

// The line length depends on the format, the size of a record does not: estimate after the first
// 1,000 lines.
void LogParser::set_room_aside(std::string_view line) {
  if (sections_.size() != 1 || file_bytes_ == 0) return;
  const std::uint64_t rows = file_bytes_ / std::max<std::uint64_t>(line.size() + 1, 16);
  section().builder.reserve(section().builder.records() + rows + rows / 16);
}

// Counts repeated lines: with stamps in µs, an identical line is probably not a second decision.
// Our own logs end with the number of their records, and on a virtual clock many are of one
// instant. Also of use to machines that judge one log together: have all of them the same one?
void LogParser::watch_order(const ReadRow& row, std::size_t hash) {
  const bool is_counted = part_ != nullptr && part_->promises_end;
  if (hash == last_hash_ && row.has_sent && !is_counted) ++repeated_;
  last_hash_ = hash;
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  parsed_.digest = (parsed_.digest ^ hash) * kOdd;
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
  const bool is_said = options_.denied.has(status) || options_.allowed.has(status);
  if (all.denied > 0 || count == 0 || is_said) return {};
  const std::string note =
      fmt::format("no request was denied, but {} got status {}", counted(count, "request"), status);
  return !options_.columns.has_options()
             ? note
             : fmt::format("{}: add --denied {} if this limiter denies with it", note, status);
}

std::vector<std::string> LogParser::collected_notes() const {
  std::vector<std::string> notes;
  if (const std::string other = other_denials(); !other.empty()) notes.push_back(other);
  if (parsed_.bad_lines > 0)
    notes.push_back(fmt::format("{} of {} lines could not be read and {} ignored",
                                format_count(static_cast<std::int64_t>(parsed_.bad_lines)),
                                format_count(static_cast<std::int64_t>(parsed_.lines)),
                                parsed_.bad_lines == 1 ? "was" : "were"));
  if (torn_ > 0)
    notes.push_back(counted(torn_, "log ends", "logs end") +
                    " in the middle of a line, which was ignored");
  if (repeated_ > 0)
    notes.push_back(counted(repeated_, "line repeats", "lines repeat") +
                    " the line before; each counts as a decision");
  return notes;
}

void LogParser::refuse_unknown(const std::string& option, std::string_view column) const {
  const auto is_it = [&](const std::string& seen) { return equals_ignoring_case(seen, column); };
  if (column.empty() || column == "-" || columns_seen_.empty() ||
      std::ranges::any_of(columns_seen_, is_it))
    return;
  throw Error(Exit::usage, fmt::format("{}: no line has a column {}", option, in_quotes(column)),
              "the columns are " + listed_columns(parsed_.columns));
}

// What was typed and changes nothing: whoever typed it believes otherwise.
void LogParser::refuse_ineffective() const {
  const LogColumns& columns = options_.columns;
  const std::array stamped{std::pair{"--stamp", options_.stamp_at != StampAt::detected},
                           std::pair{"--longest", options_.longest_us.has_value()},
                           std::pair{"--duration-column", !columns.duration().name.empty()}};
  for (const auto& [option, is_given] : stamped)
    if (is_given && !has_stamps_ && parsed_.lines > parsed_.bad_lines)
      throw Error(Exit::usage,
                  std::string(option) + " has no effect on a log with the times of rlctl (sent_us)",
                  std::string("leave out ") + option);
  if (!has_durations_) refuse_unknown("--duration-column", columns.duration().name);
  const auto& names = columns.names();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].column != names[i].name && (i >= has_value_.size() || !has_value_[i]))
      refuse_unknown("--name-column " + shell_word(names[i].name + "=" + names[i].column),
                     names[i].column);
}

// CSV tells its columns when it reads their names; those of JSON are known at the end.
std::string LogParser::columns_found() const {
  if (!reader_.is_structured() || parsed_.columns.empty()) return {};
  const std::string with_values =
      options_.columns.has_options() ? column_proposal(first_bad_) : std::string();
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
  const LogColumns& columns = options_.columns;
  if (share > options_.bad_lines) {
    refuse_unknown("--time-column", columns.time().name);
    refuse_unknown("--key-column", columns.key().name);
    refuse_unknown("--status-column", columns.status().name);
    if (unknown_) throw *unknown_;
    throw Error(Exit::usage,
                fmt::format("{} of {} lines cannot be read; {} allows {:g}%",
                            format_count(static_cast<std::int64_t>(parsed_.bad_lines)),
                            format_count(static_cast<std::int64_t>(parsed_.lines)),
                            columns.has_options() ? "--budget-bad-lines" : "rlctl",
                            options_.bad_lines * 100),
                joined(parsed_.examples, "\n  ") + columns_found());
  }
  refuse_ineffective();
  if (sections_.empty()) section();
  run_parts_.refuse_incomplete();
  std::vector<std::string> history_notes;
  for (const auto& section : sections_) {
    parsed_.histories.push_back({section->builder.take_log(), section->builder.take_lines(),
                                 section->builder.parts(), section->file});
    Log& log = parsed_.histories.back().log;
    log.cut = cuts_in_words(section->cuts);
    run_parts_.describe(section->runs, log);
    if (std::string note = several_runs_note(log); !note.empty())
      history_notes.push_back(std::move(note));
    for (std::string& note : align_clocks(section->parts, section->dated, log))
      history_notes.push_back(std::move(note));
  }
  parsed_.notes = collected_notes();
  parsed_.notes.insert(parsed_.notes.end(), history_notes.begin(), history_notes.end());
  return std::move(parsed_);
}

}  // namespace rlctl
