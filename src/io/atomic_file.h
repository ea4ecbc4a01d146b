// A file that appears whole or not at all: written without a name, then synced, named and put in
// place by close(). Without close() no file is left, not even after a kill. A file that is replaced
// keeps its modes, and its owner if the system allows it. "-" is standard output. A path that
// exists but is not a regular file (a pipe, /dev/stdout) is written directly; a symbolic link is
// followed to its target.
//
// Where the file system knows no files without a name, it is FILE.PID-N.tmp from the start: a kill
// leaves it behind, and the next writer of FILE removes it.
//
// What takes long can be read while it grows, in FILE.partial. That stays if close() was not
// reached after something was written; the next writer replaces it.
//
// Throws Error(Exit::report) with the system's error text. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rlctl {

class AtomicFile {
 public:
  enum class While : std::uint8_t { hidden, readable };

  // Opens at once, so that an unwritable path is reported before a run, not after it.
  explicit AtomicFile(std::string path, While written = While::hidden);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void close();

  // Whether others can read what was written, and it can be cut; not of a pipe.
  bool is_readable() const { return is_replaced_ && written_ == While::readable; }
  std::int64_t size_bytes() const { return size_bytes_; }
  void cut_to(std::int64_t size_bytes);

  const std::string& path() const { return path_; }

 private:
  void open_beside();
  void open_named();
  void open_partial();
  bool take(const std::string& name, int flags);
  void keep_modes() const;
  bool link_as(const std::string& name);
  void put_in_place();
  [[noreturn]] void fail(const char* what, int error) const;

  std::string path_;
  std::string temporary_;  // its name until it is in place; empty: it has none
  int descriptor_ = -1;
  bool is_replaced_ = false;  // by close(); otherwise written directly
  While written_;
  std::int64_t size_bytes_ = 0;
  int error_ = 0;  // of the first write that failed: the file then ends anywhere
};

}  // namespace rlctl
