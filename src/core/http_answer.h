// HttpAnswer: what a server says to one request, and its bytes. Pure; never fails.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rlctl {

struct HttpAnswer {
  int status = 200;
  // Without Date, Content-Length and Connection, which belong to the message, not to the answer.
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
};

// What the message around an answer depends on.
struct HttpFraming {
  std::string_view date;   // as in core/http_date.h
  bool head_only = false;  // an answer to HEAD: the length of a body that is not sent
  bool keep_alive = true;
  int minor_version = 1;  // of the request
};

void append_http_answer(std::string& out, const HttpAnswer& answer, const HttpFraming& framing);

}  // namespace rlctl
