// HttpBody: the body of a message, by Content-Length, in chunks (RFC 9112, 6 and 7.1) or up to the
// end of the connection, piece by piece, in constant memory. That of a request is skipped, because
// the decision does not depend on it, and read as strictly as http_head.h: a line that two programs
// may read differently is refused. That of a response is read as libcurl reads it: a bare LF ends a
// line, what follows a chunk's size is ignored, and no length is too long. Pure; an error is an
// HTTP status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/http/http_head.h"

namespace rlctl {

inline constexpr std::uint64_t kMostBodyBytes = 1024 * 1024;

class HttpBody {
 public:
  // Starts the body of a request. 0, or 413 if the body is too long.
  int start(const MessageFraming& framing);
  // Starts the body of a response.
  void start_response(const MessageFraming& framing);

  // How many of these bytes belong to the body: all of them until it is done or wrong. The first
  // `most` bytes of the content are kept.
  std::size_t take(std::string_view bytes) { return take(bytes, nullptr, 0); }
  std::size_t take(std::string_view bytes, std::string* kept, std::size_t most);

  bool done() const { return state_ == State::done; }
  // The end of the connection is the end of the body.
  bool ends_with_stream() const { return state_ == State::stream; }
  int status() const { return status_; }  // 0, or the status to refuse it with

 private:
  enum class State : std::uint8_t {
    length,        // remaining_ bytes of a body or of a chunk
    stream,        // up to the end of the connection
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
  bool strict_ = true;
  bool chunked_ = false;
  bool after_cr_ = false;
  int digits_ = 0;
  int status_ = 0;
  std::uint64_t remaining_ = 0;
  std::uint64_t total_ = 0;          // of all chunks
  std::uint64_t framing_bytes_ = 0;  // sizes, extensions, trailers
};

}  // namespace rlctl
