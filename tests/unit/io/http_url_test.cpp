// URLs of HTTP targets.
#include "io/http/http_url.h"

#include <doctest/doctest.h>

#include <string>

#include "base/error.h"

using namespace rlctl;

namespace {

std::string parts(const std::string& text) {
  const HttpUrl url = parse_http_url(text, "--target");
  return url.scheme + " " + url.host + " " + url.port;
}

std::string refused_url(const std::string& text) {
  try {
    parse_http_url(text, "--target");
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("a URL has a scheme, a host and a port, the usual one if none is given") {
  CHECK(parts("http://127.0.0.1:8080/v4/movies") == "http 127.0.0.1 8080");
  CHECK(parts("http://Example.ORG") == "http example.org 80");
  CHECK(parts("https://example.org/?q") == "https example.org 443");
  CHECK(parts("http://[::1]:9/") == "http ::1 9");
  CHECK(parts("http://user:secret@h:1/") == "http h 1");
}

TEST_CASE("what is no http URL is refused with the field's name") {
  CHECK(refused_url("ftp://h/") == "--target: 'ftp://h/' is neither http nor https");
  for (const char* text : {"", "h:99999", "http://", "http://h:port/", "http://a b/", "//h/"}) {
    CAPTURE(text);
    CHECK(refused_url(text).starts_with("--target: "));
  }
}

TEST_CASE("a shown URL has no user name and no password, wherever an @ stands") {
  CHECK(parse_http_url("http://user:secret@h/p@q?a@b", "x").shown == "http://...@h/p@q?a@b");
  CHECK(refused_url("bob:secret@h").find("secret") == std::string::npos);
  CHECK(refused_url("http://bob:secret@h:99999").find("secret") == std::string::npos);
  CHECK(refused_url("ftp://bob:secret@h/").find("secret") == std::string::npos);
}

TEST_CASE("a redirect to another host or port is another place, a path is not") {
  const std::string base = "http://127.0.0.1:8080/a/b";
  CHECK(other_place(base, "/c") == "");
  CHECK(other_place(base, "c?d") == "");
  CHECK(other_place(base, "http://127.0.0.1:8080/") == "");
  CHECK(other_place(base, "http://127.0.0.1/") == "127.0.0.1:80");
  CHECK(other_place(base, "//example.org/x") == "example.org:80");
  CHECK(other_place(base, "https://127.0.0.1:8443/") == "127.0.0.1:8443");
}
