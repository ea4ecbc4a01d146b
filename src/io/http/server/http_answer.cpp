#include "io/http/server/http_answer.h"

#include <fmt/format.h>

#include <iterator>

namespace rlctl {
namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "";
  }
}

}  // namespace

void append_http_answer(std::string& out, const HttpAnswer& answer, const HttpFraming& framing) {
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Length: {}\r\n",
                 answer.status, reason_of(answer.status), framing.date, answer.body.size());
  if (!framing.keep_alive)
    out += "Connection: close\r\n";
  else if (framing.minor_version == 0)
    out += "Connection: keep-alive\r\n";
  for (const auto& [name, value] : answer.fields) {
    out += name;
    out += ": ";
    out += value;
    out += "\r\n";
  }
  out += "\r\n";
  if (!framing.head_only) out += answer.body;
}

}  // namespace rlctl
