// HttpAnswer: the response of a server to one request, and its bytes. Pure; never fails.
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

// What the message around an answer needs besides the answer.
struct HttpFraming {
  std::string_view date;   // as in base/timestamp.h
  bool head_only = false;  // an answer to HEAD: has the length of the body, not the body
  bool keep_alive = true;
  int minor_version = 1;  // of the request
};

void append_http_answer(std::string& out, const HttpAnswer& answer, const HttpFraming& framing);

}  // namespace rlctl
