// A file that is either whole or not there: written beside its place as FILE.PID-N.tmp, synced,
// renamed by close(). Without close() nothing is left behind. "-" is standard output; what exists
// and is no regular file (a pipe, /dev/stdout) is written to directly, a symbolic link leads to its
// target.
//
// Throws Error(Exit::report) with the system's words. One thread at a time.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

class AtomicFile {
 public:
  // Opens at once, so that a path that cannot be written is known before a run and not after it.
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
