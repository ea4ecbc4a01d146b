// HttpBody: passes over the body of a request, which decides nothing here. By Content-Length or in
// chunks (RFC 9112, 6 and 7.1), a piece at a time, in constant memory. Pure; what is wrong is an
// HTTP status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/http_head.h"

namespace rlctl {

inline constexpr std::uint64_t kMostBodyBytes = 1024 * 1024;

class HttpBody {
 public:
  // Of the request that this head opens. 0, or 413 when it says that it is too long.
  int start(const HttpHead& head);

  // How many of these bytes belong to the body: all of them until it is done or wrong.
  std::size_t take(std::string_view bytes);

  bool done() const { return state_ == State::done; }
  int status() const { return status_; }  // 0, or what to refuse it with

 private:
  enum class State : std::uint8_t {
    length,      // remaining_ bytes of a body or of a chunk
    size,        // the digits of a chunk's size
    extension,   // and what follows them on the line
    chunk_end,   // the line end behind a chunk's bytes
    line_start,  // of a trailer field, or the empty line that ends all
    trailer,
    done,
  };
  void take_framing(char c);
  void take_size_digit(char c);
  void end_of_size();
  void refuse(int status);

  State state_ = State::done;
  bool chunked_ = false;
  int digits_ = 0;
  int status_ = 0;
  std::uint64_t remaining_ = 0;
  std::uint64_t total_ = 0;          // of all chunks
  std::uint64_t framing_bytes_ = 0;  // sizes, extensions, trailers
};

}  // namespace rlctl
