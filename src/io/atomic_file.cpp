#include "io/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/error.h"
#include "base/escape.h"

namespace rlctl {
namespace {

bool is_special(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

std::string behind_links(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) != nullptr ? std::string(resolved) : path;
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  if (path_ == "-") {
    descriptor_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  } else if (is_special(path_)) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    path_ = behind_links(path_);
    open_temporary();
  }
  if (descriptor_ < 0) fail("open", std::exchange(errno, 0));
}

// Two processes may write the same file at once, so each needs its own temporary file.
void AtomicFile::open_temporary() {
  for (int number = 0; number < 100; ++number) {
    temporary_ = path_ + "." + std::to_string(getpid()) + "-" + std::to_string(number) + ".tmp";
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0 || errno != EEXIST) return;
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (renamed() && !in_place_) unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE && path_ == "-") return;  // the reader has closed its end
    if (written < 0) fail("write", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::close() {
  if (descriptor_ < 0) return;
  if (renamed() && fsync(descriptor_) != 0) fail("write", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("write", errno);
  if (renamed() && rename(temporary_.c_str(), path_.c_str()) != 0) fail("write", errno);
  in_place_ = true;
}

void AtomicFile::fail(const char* what, int error) const {
  throw Error(Exit::report,
              std::string("can't ") + what + " " + in_quotes(path_) + ": " + strerror(error),
              "give a path that can be written, or - for standard output");
}

}  // namespace rlctl
