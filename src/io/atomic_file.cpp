#include "io/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
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

std::string directory_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent;
}

// Its number changes when the file is opened again.
std::string name_in_proc(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

constexpr int kMostNames = 100;

// Two processes may write the same file at once, so each needs its own temporary file.
std::string temporary_name(const std::string& path, int number) {
  return path + "." + std::to_string(getpid()) + "-" + std::to_string(number) + ".tmp";
}

// A living writer holds a lock on its file.
void remove_abandoned(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::string begin = whole.filename().string() + ".";
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(directory_of(path), unreadable)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(begin) || !name.ends_with(".tmp")) continue;
    const std::string_view number = std::string_view(name).substr(begin.size());
    if (number.find_first_not_of("0123456789-") != number.size() - 4) continue;
    const int descriptor = open(entry.path().c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) continue;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) unlink(entry.path().c_str());
    ::close(descriptor);
  }
}

// A rename is safe from a crash of the machine when its directory is on the disk.
bool sync_directory(const std::string& path) {
  const int descriptor = open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno == EACCES;  // it may be written, but not read
  const bool synced = fsync(descriptor) == 0 || errno == EINVAL;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return synced;
}

}  // namespace

AtomicFile::AtomicFile(std::string path, While written)
    : path_(std::move(path)), written_(written) {
  if (path_ == "-") {
    descriptor_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  } else if (is_special(path_)) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    path_ = behind_links(path_);
    is_replaced_ = true;
    if (written == While::readable)
      open_partial();
    else
      open_beside();
  }
  if (descriptor_ < 0) fail("open", std::exchange(errno, 0));
  if (is_replaced_) keep_modes();
}

void AtomicFile::open_beside() {
  descriptor_ = open(directory_of(path_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor_ >= 0 && access(name_in_proc(descriptor_).c_str(), F_OK) != 0)
    ::close(std::exchange(descriptor_, -1));  // it could not get a name later
  if (descriptor_ < 0) open_named();
}

// Opens the file and locks it, as a sign that its writer lives. False: it is another one's.
bool AtomicFile::take(const std::string& name, int flags) {
  temporary_ = name;
  descriptor_ =
      open(name.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0666);
  if (descriptor_ < 0) return errno != EEXIST;
  struct stat status {};
  const bool is_locked = flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  const bool is_ours =
      fstat(descriptor_, &status) == 0 && status.st_nlink == 1 && status.st_uid == geteuid();
  if (is_locked && is_ours) return true;
  ::close(std::exchange(descriptor_, -1));
  temporary_.clear();
  return false;
}

void AtomicFile::open_named() {
  remove_abandoned(path_);
  for (int number = 0; number < kMostNames; ++number)
    if (take(temporary_name(path_, number), O_EXCL)) return;
}

void AtomicFile::open_partial() {
  if (take(path_ + ".partial", 0)) return;
  for (int number = 2; number < kMostNames; ++number)
    if (take(path_ + "." + std::to_string(number) + ".partial", 0)) return;
}

// Who may read the file that is replaced may read the new one, and nobody else.
void AtomicFile::keep_modes() const {
  struct stat old {};
  if (stat(path_.c_str(), &old) != 0) return;
  const bool is_ours = fchown(descriptor_, old.st_uid, old.st_gid) == 0;
  // A group that could not be kept must not get what another one had.
  if (fchmod(descriptor_, old.st_mode & (is_ours ? 07777 : 0707)) != 0) fail("open", errno);
}

AtomicFile::~AtomicFile() {
  struct stat status {};
  const bool is_kept = is_readable() && fstat(descriptor_, &status) == 0 && status.st_size > 0;
  if (!temporary_.empty() && !is_kept) unlink(temporary_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
}

void AtomicFile::write(std::string_view bytes) {
  if (error_ != 0) fail("write", error_);
  if (is_readable() && size_bytes_ == 0) cut_to(0);  // what a killed writer left
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE && path_ == "-") return;  // the reader has closed its end
    if (written < 0) fail("write", error_ = errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    size_bytes_ += written;
  }
}

void AtomicFile::cut_to(std::int64_t size_bytes) {
  if (ftruncate(descriptor_, size_bytes) != 0 || lseek(descriptor_, size_bytes, SEEK_SET) < 0)
    fail("write", errno);
  size_bytes_ = size_bytes;
}

bool AtomicFile::link_as(const std::string& name) {
  if (linkat(AT_FDCWD, name_in_proc(descriptor_).c_str(), AT_FDCWD, name.c_str(),
             AT_SYMLINK_FOLLOW) != 0)
    return false;
  temporary_ = name;
  return true;
}

void AtomicFile::put_in_place() {
  if (fsync(descriptor_) != 0) fail("write", errno);
  for (int number = 0; temporary_.empty() && !link_as(temporary_name(path_, number)); ++number)
    if (errno != EEXIST || number == kMostNames) fail("write", errno);
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail("write", errno);
  temporary_.clear();
  if (!sync_directory(path_)) fail("write", errno);
}

void AtomicFile::close() {
  if (descriptor_ < 0) return;
  if (error_ != 0) fail("write", error_);
  if (is_replaced_) put_in_place();
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("write", errno);
}

void AtomicFile::fail(const char* what, int error) const {
  const bool any_left = is_readable() && size_bytes_ > 0 && !temporary_.empty();
  throw Error(Exit::report,
              std::string("can't ") + what + " " + in_quotes(path_) + ": " + strerror(error),
              any_left       ? "what was written is in " + in_quotes(temporary_)
              : path_ == "-" ? "give a path that can be written"
                             : "give a path that can be written, or - for standard output");
}

}  // namespace rlctl
