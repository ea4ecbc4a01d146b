// The parts of an http or https URL, parsed by libcurl, so that the checked URL and the requested
// URL are the same. Any thread.
#pragma once

#include <string>

namespace rlctl {

struct HttpUrl {
  std::string scheme;  // http, https
  std::string host;    // in lower case; an IPv6 address without its brackets
  std::string port;    // 80 or 443 if the URL has none
  std::string shown;   // the URL without secrets (base/escape.h)
  // As a request has them.
  std::string authority;    // host and port, without the usual one
  std::string target;       // path and query
  std::string credentials;  // user:password, decoded; empty: none
};

// Throws Error(Exit::usage), which names the field.
HttpUrl parse_http_url(const std::string& text, const std::string& field);

// The host and port of a redirect's Location (resolved against `base`), or "" if they stay the
// same.
std::string other_place(const std::string& base, const std::string& location);

}  // namespace rlctl
