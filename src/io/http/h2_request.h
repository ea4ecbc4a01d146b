// H2Request: a request as HTTP/2 sends it: its fields, of which the first four say what the line of
// HTTP/1.1 says, and its body. It is made of the bytes of HTTP/1.1, so that both versions send the
// same. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/http/http_head.h"
#include "io/http/rendered_request.h"

namespace rlctl {

class H2Request {
 public:
  explicit H2Request(const RenderedRequest& rendered);
  H2Request(const H2Request&) = delete;
  H2Request& operator=(const H2Request&) = delete;

  const std::vector<HttpField>& fields() const { return fields_; }
  std::string_view body() const { return body_; }

 private:
  std::string wire_;  // with names in lower case
  std::vector<HttpField> fields_;
  std::string_view body_;
};

}  // namespace rlctl
