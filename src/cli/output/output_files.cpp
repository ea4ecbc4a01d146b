#include "cli/output/output_files.h"

#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/escape.h"
#include "io/atomic_file.h"

namespace rlctl {
namespace {

namespace fs = std::filesystem;

std::string canonical(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : whole.string();
}

// The canonical path of a file, which need not exist; empty for devices and pipes, because writing
// to them destroys nothing.
std::string place_of(const std::string& path) {
  std::error_code error;
  const bool is_special = fs::exists(path, error) && !fs::is_regular_file(path, error);
  return path.empty() || is_special ? "" : canonical(path);
}

// Whoever reads a pipe to its end and then writes to it waits for a reader that nobody is.
void refuse_read_pipe(const std::string& path, const std::vector<std::string>& inputs) {
  std::error_code error;
  if (!fs::is_fifo(path, error)) return;
  for (const std::string& input : inputs)
    if (fs::is_fifo(input, error) && canonical(input) == canonical(path))
      throw Error(Exit::usage, in_quotes(path) + " is a pipe that is also an input",
                  "name another file");
}

}  // namespace

void check_output_files(const std::vector<std::string>& outputs,
                        const std::vector<std::string>& inputs) {
  std::map<std::string, bool> taken;  // by place: whether it is read
  for (const std::string& path : inputs)
    if (path != "-") taken.emplace(place_of(path), true);
  for (const std::string& path : outputs) {
    if (path.ends_with(".gz"))
      throw Error(Exit::usage,
                  in_quotes(path) + " names a packed file, and rlctl writes plain ones",
                  "leave out .gz, and run gzip afterwards");
    refuse_read_pipe(path, inputs);
    const std::string place = path == "-" ? path : place_of(path);
    if (place.empty()) continue;
    const auto [found, is_new] = taken.emplace(place, false);
    if (is_new) continue;
    if (found->second)
      throw Error(Exit::usage, in_quotes(path) + " is also an input: writing would destroy it",
                  "name another file");
    throw Error(
        Exit::usage,
        "two outputs can't both go to " + (path == "-" ? "standard output" : in_quotes(path)),
        "name another file");
  }
}

void write_file(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  AtomicFile file(path);
  file.write(text);
  file.close();
}

}  // namespace rlctl
