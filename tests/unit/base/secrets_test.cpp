#include <doctest/doctest.h>

#include "base/escape.h"

namespace rlctl {

TEST_CASE("a URL is shown without user and password, wherever an @ stands") {
  CHECK(without_secrets("redis://bob:pw@host:1/0") == "redis://...@host:1/0");
  CHECK(without_secrets("redis://:1234/5@host") == "redis://...@host");
  CHECK(without_secrets("http://bob:p/w@host") == "http://...@host");
  CHECK(without_secrets("http://a:b@c@h/") == "http://...@h/");
  CHECK(without_secrets("http://bob:pw@host:99999") == "http://...@host:99999");
  CHECK(without_secrets("foo://p:pw@x") == "foo://...@x");
  for (const char* open : {"http://h/a@b", "http://h:80/?mail=a@b", "http://<ip>/", "k:a@b", ""})
    CHECK(without_secrets(open) == open);
}

TEST_CASE("of a query, the values of credentials are hidden") {
  CHECK(without_secrets("http://h/x?page=2&api_key=1#top") == "http://h/x?page=2&api_key=...#top");
  CHECK(without_secrets("/login?Token=1&user=ann") == "/login?Token=...&user=ann");
  for (const char* open : {"http://h/?api_key=<user>", "http://h/?token=${TOKEN}", "a?b", "a?#b"})
    CHECK(without_secrets(open) == open);
}

TEST_CASE("a header of a credential is shown without its value, a variable is none") {
  CHECK(without_credential("Authorization: Bearer 1") == "Authorization: ...");
  CHECK(without_credential("x-api-KEY:1") == "x-api-KEY: ...");
  for (const char* open : {"Authorization: Bearer ${TOKEN}", "X-Forwarded-For: <ip>", "no colon"})
    CHECK(without_credential(open) == open);
}

TEST_CASE("a body and a password are never shown") {
  CHECK(shown_value("-a", "pw") == "...");
  for (const char* option : {"--pass", "--password", "--auth"})
    CHECK(shown_value(option, "pw") == "...");
  CHECK(shown_value("--body", "pin=1&user=<user>") == "...");
  CHECK(shown_value("-H", "Cookie: 1") == "Cookie: ...");
  CHECK(shown_value("--redis", "redis://:pw@h") == "redis://...@h");
}

TEST_CASE("a word of the command line is shown without the secret in it, or in its option") {
  CHECK(shown_word("-a", "pw") == "...");
  CHECK(shown_word("list", "-apw") == "-a...");
  CHECK(shown_word("list", "--pass=pw") == "--pass=...");
  CHECK(shown_word("list", "-uredis://:pw@h") == "-uredis://...@h");
  CHECK(shown_word("list", "-HCookie: 1") == "-HCookie: ...");
  CHECK(shown_word("-p", "6379") == "6379");
}

}  // namespace rlctl
