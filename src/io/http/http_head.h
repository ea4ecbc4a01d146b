// The heads of HTTP/1.x messages. That of a request is read strictly as RFC 9112 says: it refuses
// everything that two programs in a chain may read differently (two lengths, folded lines, blanks
// before a colon). What requests and responses have in common is shared with response_reader.h.
// Views into the caller's bytes. Pure; an error is an HTTP status, never an exception.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace rlctl {

inline constexpr std::size_t kMostHeadBytes = 16 * 1024;
inline constexpr std::size_t kMostFields = 100;

struct HttpField {
  std::string_view name;
  std::string_view value;
};

// What the fields of a message say about its length and its connection.
struct MessageFraming {
  bool chunked = false;
  bool has_length = false;
  std::uint64_t content_length = 0;  // unused when chunked
  bool close = false;
  bool keep_alive = false;  // by name

  // Reads one field; the others are ignored. 0, or the status to refuse the message with.
  int read(const HttpField& field);
};

struct HttpHead {
  std::string_view method;
  std::string_view target;  // as sent
  std::string_view path;    // of the target, without its query; "*" for the server itself
  std::vector<HttpField> fields;
  int minor_version = 1;
  MessageFraming framing;
  bool keep_alive = true;
  bool expects_continue = false;

  // The first field of that name, whatever its case; null when there is none.
  const HttpField* find(std::string_view name) const;
};

// The position after the empty line that ends a head, or npos. No head may end before `from`.
std::size_t find_head_end(std::string_view bytes, std::size_t from = 0);

// Removes a line from the front and returns it without its end; a bare LF also ends a line (RFC
// 9112, 2.2).
std::string_view take_line(std::string_view& rest);

// Whether the empty line that ends a head comes next.
bool is_head_end(std::string_view rest);

// Removes a field from the front. Its value goes on in folded lines, whose line ends are still in
// it. False if its line has no colon.
bool take_field(std::string_view& rest, HttpField& field);

// Reads a whole head, its empty line included. 0, or the status to refuse it with.
int parse_http_head(std::string_view bytes, HttpHead& head);

}  // namespace rlctl
