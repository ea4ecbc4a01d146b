#include "io/log_reader.h"

#include <filesystem>
#include <set>

#include "core/error.h"
#include "core/escape.h"
#include "io/byte_source.h"

namespace rlctl {
namespace {

// Each admission in a file that is read twice would count twice: a false proof.
void refuse_twice(std::span<const std::string> paths) {
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    std::error_code unresolved;
    const auto real = std::filesystem::canonical(path, unresolved);
    if (!seen.insert(unresolved ? path : real.string()).second)
      throw Error(Exit::usage, in_quotes(path) + " is given twice", "give each log once");
  }
}

}  // namespace

ParsedLogs read_logs(std::span<const std::string> paths, const LogReadOptions& options) {
  refuse_twice(paths);
  LogParser parser(options);
  for (const std::string& path : paths) {
    ByteSource source(path);
    parser.begin_file(path, source.size_bytes());
    for (auto bytes = source.read(); !bytes.empty(); bytes = source.read()) parser.feed(bytes);
    parser.end_file();
  }
  return parser.finish();
}

}  // namespace rlctl
