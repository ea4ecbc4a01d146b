// A file that appears whole or not at all: written without a name, then synced, named and put in
// place by close(). Without close() no file is left, not even after a kill. A file that is replaced
// keeps its modes, and its owner if the system allows it. "-" is standard output. A path that
// exists but is not a regular file (a pipe, /dev/stdout) is written directly; a symbolic link is
// followed to its target.
//
// Where the file system knows no files without a name, it is FILE.PID-N.tmp from the start: a kill
// leaves it behind, and the next writer of FILE removes it.
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
  void open_beside();
  void open_named();
  void keep_modes() const;
  bool link_as(const std::string& name);
  void put_in_place();
  [[noreturn]] void fail(const char* what, int error) const;

  std::string path_;
  std::string temporary_;  // its name until it is in place; empty: it has none
  int descriptor_ = -1;
  bool is_replaced_ = false;  // by close(); otherwise written directly
};

}  // namespace rlctl
