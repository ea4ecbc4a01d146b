// RenderedRequest: the bytes of an HTTP/1.1 request and where they go, from an HttpQuestion. A
// question that repeats the one before costs a comparison, and one that differs in its path, its
// headers or its body does not parse the URL again. The bytes are those that libcurl would send.
// Pure; a URL that is none is a problem as text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "io/http/http_exchange.h"

namespace rlctl {

// Requests to the same place from the same address can share a connection, one after the other.
struct HttpPlace {
  bool tls = false;
  std::string host;  // without brackets
  std::string port;
  std::string source_ip;

  bool operator==(const HttpPlace&) const = default;
};

class RenderedRequest {
 public:
  // False: it is the request that was rendered before.
  bool render(const HttpQuestion& question);

  const std::string& problem() const { return problem_; }  // empty: none
  // Its bytes, for who has to keep them; null: there are none.
  const std::shared_ptr<const std::string>& wire() const { return wire_; }
  const std::shared_ptr<const HttpPlace>& place() const { return place_; }
  bool is_head() const { return question_.method == "HEAD"; }

 private:
  void find_place();
  void write();
  std::string body_headers() const;
  bool has(std::string_view name) const;

  HttpQuestion question_;
  std::string problem_ = "no request was rendered";
  std::string before_target_;  // of the URL that was last parsed
  std::string authority_;
  std::string credentials_;  // in base64
  std::string target_;
  std::shared_ptr<const HttpPlace> place_;
  std::shared_ptr<const std::string> wire_;
};

}  // namespace rlctl
