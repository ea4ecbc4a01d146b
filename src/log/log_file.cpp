#include "log/log_file.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/error.h"
#include "base/escape.h"
#include "io/byte_source.h"

namespace rlctl {
namespace {

// If a file is read twice, each of its admissions counts twice, and a violation may be false.
void refuse_twice(std::span<const std::string> paths) {
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    std::error_code unresolved;
    const auto real = std::filesystem::canonical(path, unresolved);
    if (!seen.insert(unresolved ? path : real.string()).second)
      throw Error(Exit::usage, in_quotes(path) + " is given twice", "give each log once");
  }
}

constexpr std::size_t kLongestOther = std::size_t{256} << 20U;

std::string whole_text(ByteSource& source, std::string_view bytes, const std::string& path) {
  std::string text;
  for (; !bytes.empty(); bytes = source.read()) {
    text += bytes;
    if (text.size() > kLongestOther)
      throw Error(Exit::usage, in_quotes(path) + " is longer than 256 MiB",
                  "a result of rlctl is never that long: check the path");
  }
  return text;
}

// 0 if one of them is not a regular file.
std::int64_t size_of_all(std::span<const std::string> paths) {
  std::int64_t all = 0;
  for (const std::string& path : paths) {
    std::error_code unknown;
    const auto size = std::filesystem::file_size(path, unknown);
    if (unknown) return 0;
    all += static_cast<std::int64_t>(size);
  }
  return all;
}

constexpr std::size_t kChunkBytes = std::size_t{1} << 20U;

}  // namespace

ParsedLogs read_logs(std::span<const std::string> paths, const LogReadOptions& options,
                     const WorkWatcher& watcher) {
  const auto none = [](std::string_view) { return false; };
  return std::move(*read_logs_and_others(paths, options, none, watcher).logs);
}

LogsAndOthers read_logs_and_others(std::span<const std::string> paths,
                                   const LogReadOptions& options, const IsOther& is_other,
                                   const WorkWatcher& watcher) {
  refuse_twice(paths);
  LogParser parser(options);
  LogsAndOthers read;
  Work work{"reading", {}, 0, size_of_all(paths), Work::Unit::bytes};
  std::int64_t files_before = 0;
  for (const std::string& path : paths) {
    ByteSource source(path);
    auto bytes = source.read();
    if (is_other(bytes)) {
      read.others.push_back({path, whole_text(source, bytes, path)});
      continue;
    }
    parser.begin_file(path, source.size_bytes());
    std::int64_t unpacked = 0;
    for (; !bytes.empty(); bytes = source.read()) {
      parser.feed(bytes);
      unpacked += static_cast<std::int64_t>(bytes.size());
      // A pipe has no position. For a packed file the packed position is used, which compares with
      // its size.
      work.done = files_before + (work.all > 0 ? source.position_bytes() : unpacked);
      if (watcher) watcher(work);
    }
    files_before = work.done;
    parser.end_file();
  }
  if (read.others.size() < paths.size()) read.logs = parser.finish();
  return read;
}

LogWriter::Part& LogWriter::turn_of(const Log& log, std::string& chunk) {
  const auto [at, is_new] = parts_.try_emplace({log.algorithm, log.history}, format_);
  Part& part = at->second;
  if (is_new) {
    part.number = logs_++;
    part.encoder.append_header(log, chunk);
  } else if (turn_ != &part) {
    part.encoder.append_turn(part.number, chunk);
  }
  turn_ = &part;
  return part;
}

void LogWriter::append(const Log& log, Part& part, std::size_t index, std::string& chunk) {
  part.encoder.append_record(log, index, chunk);
  if (chunk.size() < kChunkBytes) return;
  file_.write(chunk);
  chunk.clear();
}

LogWriter::Reached LogWriter::reached_in(const Log& log, std::size_t thread) const {
  const auto part = parts_.find({log.algorithm, log.history});
  if (part == parts_.end()) return {};
  const auto known = part->second.reached.find(thread);
  return known == part->second.reached.end() ? Reached() : known->second;
}

void LogWriter::grow(const Log& log, std::size_t most, std::size_t thread) {
  if (!file_.is_readable()) return;
  std::string chunk;
  Reached reached = reached_in(log, thread);
  std::vector<std::size_t> ready;
  std::ranges::set_difference(reached.waiting, log.unfinished, std::back_inserter(ready));
  const std::size_t end = std::min(log.records.size(), reached.next + most);
  if (reached.next == end && ready.empty()) return;
  Part& part = turn_of(log, chunk);
  for (const std::size_t index : ready) reached.waiting.erase(index);
  for (; reached.next < end; ++reached.next)
    if (log.unfinished.contains(reached.next))
      reached.waiting.insert(reached.next);
    else
      ready.push_back(reached.next);
  for (const std::size_t index : ready) append(log, part, index, chunk);
  part.reached[thread] = std::move(reached);
  file_.write(chunk);
}

void LogWriter::append_rest(const Log& log, Part& part, const Reached& reached,
                            std::string& chunk) {
  for (const std::size_t index : reached.waiting) append(log, part, index, chunk);
  for (std::size_t i = reached.next; i < log.records.size(); ++i) append(log, part, i, chunk);
}

void LogWriter::grow_to_end(const Log& log, std::size_t thread) {
  if (!file_.is_readable() || log.records.empty()) return;
  std::string chunk;
  Part& part = turn_of(log, chunk);
  append_rest(log, part, reached_in(log, thread), chunk);
  file_.write(chunk);
  part.reached.erase(thread);
  part.ended += log.records.size();
}

void LogWriter::start_over() {
  if (parts_.empty()) return;
  parts_.clear();
  turn_ = nullptr;
  logs_ = whole_logs_;
  file_.cut_to(whole_bytes_);
}

void LogWriter::write(const Log& log) {
  std::string chunk;
  chunk.reserve(kChunkBytes + 4096);
  Part& part = turn_of(log, chunk);
  append_rest(log, part, part.ended > 0 ? Reached{part.ended, {}} : reached_in(log, 0), chunk);
  part.encoder.append_end(log, chunk);
  file_.write(chunk);
  parts_.erase({log.algorithm, log.history});
  turn_ = nullptr;
  if (!parts_.empty()) return;
  whole_logs_ = logs_;
  whole_bytes_ = file_.size_bytes();
}

void LogWriter::close() {
  if (logs_ > 0) file_.close();
}

}  // namespace rlctl
