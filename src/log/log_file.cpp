#include "log/log_file.h"

#include <cstddef>
#include <filesystem>
#include <set>
#include <utility>

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

void LogWriter::write(const Log& log) {
  any_ = true;
  std::string chunk;
  chunk.reserve(kChunkBytes + 4096);
  encoder_.append_header(log, chunk);
  for (std::size_t i = 0; i < log.records.size(); ++i) {
    encoder_.append_record(log, i, chunk);
    if (chunk.size() < kChunkBytes) continue;
    file_.write(chunk);
    chunk.clear();
  }
  file_.write(chunk);
}

void LogWriter::close() {
  if (any_) file_.close();
}

}  // namespace rlctl
