#include "io/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <new>

#include "base/error.h"
#include "base/escape.h"

namespace rlctl {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 18U;

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  const std::string name = path == "-" ? "standard input" : in_quotes(path);
  throw Error(Exit::usage, "can't read " + name + ": " + why);
}

int open_or_fail(const std::string& path) {
  const int descriptor = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                     : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, strerror(errno));
  return descriptor;
}

std::string zlib_problem(gzFile file) {
  int code = Z_OK;
  const std::string text = gzerror(file, &code);
  // "<fd:3>: Input/output error": errno may be another one by now.
  if (code == Z_ERRNO) return text.substr(text.rfind(": ") + 2);
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  if (code == Z_BUF_ERROR) return "the gzip data ends early: the file was cut short";
  return "corrupt gzip data (" + text + ")";
}

}  // namespace

ByteSource::ByteSource(const std::string& path) : path_(path), buffer_(kChunkBytes) {
  const int descriptor = open_or_fail(path);
  struct stat status {};
  const bool known = fstat(descriptor, &status) == 0;
  if (known && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    fail(path, "it is a directory");
  }
  file_ = gzdopen(descriptor, "rb");
  if (file_ == nullptr) {
    ::close(descriptor);
    throw std::bad_alloc();
  }
  gzbuffer(file_, kChunkBytes);
  if (known && S_ISREG(status.st_mode) && gzdirect(file_) != 0)
    size_bytes_ = static_cast<std::uint64_t>(status.st_size);
}

ByteSource::~ByteSource() { gzclose_r(file_); }

std::int64_t ByteSource::position_bytes() const { return gzoffset(file_); }

std::string_view ByteSource::read() {
  errno = 0;
  const int length = gzread(file_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
  if (length < 0) fail(path_, zlib_problem(file_));
  if (length == 0) {
    int code = Z_OK;
    gzerror(file_, &code);
    if (code != Z_OK && code != Z_STREAM_END) fail(path_, zlib_problem(file_));
  }
  return {buffer_.data(), static_cast<std::size_t>(length)};
}

}  // namespace rlctl
