// HttpBody: skips the body of a request, because the decision does not depend on it. Reads by
// Content-Length or in chunks (RFC 9112, 6 and 7.1), piece by piece, in constant memory, and as
// strictly as http_head.h: a line that two programs may read differently is refused. Pure; an error
// is an HTTP status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/http/http_head.h"

namespace rlctl {

inline constexpr std::uint64_t kMostBodyBytes = 1024 * 1024;

class HttpBody {
 public:
  // Starts the body of the request with this head. 0, or 413 if the body is too long.
  int start(const HttpHead& head);

  // How many of these bytes belong to the body: all of them until it is done or wrong.
  std::size_t take(std::string_view bytes);

  bool done() const { return state_ == State::done; }
  int status() const { return status_; }  // 0, or the status to refuse it with

 private:
  enum class State : std::uint8_t {
    length,        // remaining_ bytes of a body or of a chunk
    size,          // the digits of a chunk's size
    blanks,        // after them, as some clients pad the size
    extension,     // after a semicolon
    chunk_end,     // the line end after a chunk's bytes
    line_start,    // of a trailer field, or of the empty line at the end
    trailer_name,  // until its colon
    trailer,
    done,
  };
  void take_framing(char c);
  void end_of_line();
  bool take_in_line(char c);
  bool take_size_digit(char c);
  void end_of_size();
  void refuse(int status);

  State state_ = State::done;
  bool chunked_ = false;
  bool after_cr_ = false;
  int digits_ = 0;
  int status_ = 0;
  std::uint64_t remaining_ = 0;
  std::uint64_t total_ = 0;          // of all chunks
  std::uint64_t framing_bytes_ = 0;  // sizes, extensions, trailers
};

}  // namespace rlctl
