#include "io/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <new>
#include <utility>

#include "base/error.h"
#include "base/escape.h"

namespace rlctl {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 18U;
constexpr std::size_t kLongestTextBytes = std::size_t{256} << 20U;

std::string name_of_file(const std::string& path) {
  return path == "-" ? "standard input" : in_quotes(path);
}

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Error(Exit::usage, "can't read " + name_of_file(path) + ": " + why);
}

// Programs that pack, by the bytes with which what they write begins (file(1), its magic).
struct Packer {
  std::string_view name;
  std::string_view magic;
};
constexpr Packer kPackers[] = {{"gzip", {"\x1f\x8b\x08", 3}},
                               {"xz", {"\xfd\x37zXZ\0", 6}},
                               {"bzip2", "BZh"},
                               {"zstd", "\x28\xb5\x2f\xfd"}};
// Of a block of bzip2, behind the size of blocks: BZh9.
constexpr std::string_view kBzip2Block = "\x31\x41\x59\x26\x53\x59";

const Packer* packer_of(std::string_view beginning) {
  for (const Packer& packer : kPackers)
    if (beginning.starts_with(packer.magic) &&
        (packer.name != "bzip2" || beginning.substr(4).starts_with(kBzip2Block)))
      return &packer;
  return nullptr;
}

// `unpacked`: the bytes were in gzip. What gzip packed twice we unpack once more.
void refuse_packed(const std::string& path, std::string_view beginning, bool unpacked) {
  const Packer* packer = packer_of(beginning);
  if (packer == nullptr) return;
  const std::string name(packer->name);
  const bool is_twice = unpacked && name == "gzip";
  std::string pipe = (unpacked ? "gzip" : name) + " -dc";
  if (path != "-") pipe += " " + shell_word(path);
  if (unpacked && !is_twice) pipe += " | " + name + " -dc";
  const std::string with = is_twice ? "gzip twice" : unpacked ? name + ", and with gzip" : name;
  throw Error(Exit::usage, name_of_file(path) + " is compressed with " + with,
              "unpack it: " + pipe + " | rlctl verify -");
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
  const std::string_view bytes{buffer_.data(), static_cast<std::size_t>(length)};
  if (!std::exchange(has_read_, true)) refuse_packed(path_, bytes, gzdirect(file_) == 0);
  return bytes;
}

std::string whole_file(const std::string& path) {
  ByteSource source(path);
  std::string text;
  for (auto bytes = source.read(); !bytes.empty(); bytes = source.read()) {
    text += bytes;
    if (text.size() > kLongestTextBytes)
      throw Error(Exit::usage, name_of_file(path) + " is longer than 256 MiB",
                  "such a file is never that long: check the path");
  }
  return text;
}

bool can_be_named_again(const std::string& path) {
  std::error_code unknown;
  return !path.starts_with("/dev/") && !path.starts_with("/proc/") &&
         !std::filesystem::is_fifo(path, unknown);
}

}  // namespace rlctl
