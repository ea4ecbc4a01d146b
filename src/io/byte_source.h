// Bytes of a file or of standard input ("-"). gzip is unpacked; several gzip members, as log
// rotation appends them, are read as one text.
// Throws Error(Exit::usage) if the file does not exist, is not readable or is a directory, if its
// gzip data is truncated or corrupt, or if it is packed otherwise (xz, bzip2, zstd, gzip twice).
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

  // Returns the next bytes, valid until the next call; empty at the end.
  std::string_view read();

  // How much has been read; for gzip, in compressed bytes.
  std::int64_t position_bytes() const;

  // Of a regular file without gzip; 0: not known.
  std::uint64_t size_bytes() const { return size_bytes_; }

 private:
  std::string path_;
  gzFile_s* file_ = nullptr;
  std::uint64_t size_bytes_ = 0;
  bool has_read_ = false;
  std::vector<char> buffer_;
};

// The text of a file that people write or that holds one result: at most 256 MiB.
std::string whole_file(const std::string& path);

// Whether the next command can read it, too. What a shell puts in the place of <(...) is a pipe,
// and is gone after this one.
bool can_be_named_again(const std::string& path);

}  // namespace rlctl
