#include "io/http/h2_request.h"

#include <algorithm>

#include "base/text.h"

namespace rlctl {
namespace {

// What is about a connection of HTTP/1.1 makes a request of HTTP/2 malformed (RFC 9113, 8.2.2).
bool is_of_connection(std::string_view name) {
  static constexpr std::string_view kNames[] = {"connection", "keep-alive", "proxy-connection",
                                                "transfer-encoding", "upgrade"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

}  // namespace

H2Request::H2Request(const RenderedRequest& rendered) : wire_(*rendered.wire()) {
  std::string_view rest = wire_;
  std::string_view line = take_line(rest);
  const std::string_view method = take_until(line, ' ');
  const std::string_view target = line.substr(0, line.rfind(' '));
  fields_ = {{":method", method},
             {":scheme", rendered.place()->tls ? "https" : "http"},
             {":authority", ""},
             {":path", target}};
  for (HttpField field; !is_head_end(rest);) {
    if (!take_field(rest, field)) continue;
    const auto start = static_cast<std::size_t>(field.name.data() - wire_.data());
    for (std::size_t i = 0; i < field.name.size(); ++i) wire_[start + i] = lower(wire_[start + i]);
    if (field.name == "host")
      fields_[2].value = field.value;
    else if (!is_of_connection(field.name))
      fields_.push_back(field);
  }
  take_line(rest);
  body_ = rest;
}

}  // namespace rlctl
