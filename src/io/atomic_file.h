// A file that appears whole or not at all: written as FILE.PID-N.tmp in the same directory, synced,
// and renamed by close(). Without close() no file is left. "-" is standard output. A path that
// exists but is not a regular file (a pipe, /dev/stdout) is written directly; a symbolic link is
// followed to its target.
//
// Throws Error(Exit::report) with the system's error text. One thread at a time.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

class AtomicFile {
 public:
  // Opens at once, so that an unwritable path is reported before a run, not after it.
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void close();

  const std::string& path() const { return path_; }

 private:
  void open_temporary();
  [[noreturn]] void fail(const char* what, int error) const;
  bool renamed() const { return !temporary_.empty(); }

  std::string path_;
  std::string temporary_;  // empty: written directly
  int descriptor_ = -1;
  bool in_place_ = false;
};

}  // namespace rlctl
