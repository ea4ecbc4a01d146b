// The parts of an http or https URL, as libcurl reads it, so that what is checked is what is
// asked. Any thread.
#pragma once

#include <string>

namespace rlctl {

struct HttpUrl {
  std::string scheme;  // http, https
  std::string host;    // in lower case; an IPv6 address without its brackets
  std::string port;    // 80 or 443 where none is given
  std::string shown;   // the URL without a name and password in it
};

// Error(Exit::usage) that names the field.
HttpUrl parse_http_url(const std::string& text, const std::string& field);

// A URL, or a template of one, without the name and password before its host. Of any text.
std::string without_credentials(const std::string& url);

// The host and port of a redirect's Location (taken against `base`), or "" when it stays there.
std::string other_place(const std::string& base, const std::string& location);

}  // namespace rlctl
