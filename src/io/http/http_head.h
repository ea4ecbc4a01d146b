// The head of an HTTP/1.x request, read strictly as RFC 9112 says. It refuses everything that two
// programs in a chain may read differently (two lengths, folded lines, blanks before a colon).
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

struct HttpHead {
  std::string_view method;
  std::string_view target;  // as sent
  std::string_view path;    // of the target, without its query; "*" for the server itself
  std::vector<HttpField> fields;
  int minor_version = 1;
  bool keep_alive = true;
  bool expects_continue = false;
  bool chunked = false;
  std::uint64_t content_length = 0;  // unused when chunked

  // The first field of that name, whatever its case; null when there is none.
  const HttpField* find(std::string_view name) const;
};

// The position after the empty line that ends a head, or npos. No head may end before `from`.
std::size_t find_head_end(std::string_view bytes, std::size_t from = 0);

// Reads a whole head, its empty line included. 0, or the status to refuse it with.
int parse_http_head(std::string_view bytes, HttpHead& head);

}  // namespace rlctl
