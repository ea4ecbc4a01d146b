// Bytes of a file or of standard input ("-"), unpacked where they are gzip (several members, as log
// rotation appends them, are one text).
// Throws Error(Exit::usage): not there, not readable, a directory, gzip that is cut short or
// broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct gzFile_s;

namespace rlctl {

class ByteSource {
 public:
  explicit ByteSource(const std::string& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // The next bytes, valid until the next call; empty at the end.
  std::string_view read();

  // How far it has been read, packed bytes where it is packed.
  std::int64_t position_bytes() const;

  // Of a regular file that is not packed; 0: not known.
  std::uint64_t size_bytes() const { return size_bytes_; }

 private:
  std::string path_;
  gzFile_s* file_ = nullptr;
  std::uint64_t size_bytes_ = 0;
  std::vector<char> buffer_;
};

}  // namespace rlctl
