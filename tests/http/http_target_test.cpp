// What an HTTP target asks, which host it asks, and from which address.
#include "limiter/http_target.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "http/http_spec.h"
#include "io/address_scope.h"

using namespace rlctl;
using namespace rlctl::test;

namespace {

Exit exit_of(const TargetSpec& spec) {
  try {
    const HttpTarget target = http_target_from(spec);
    http_settings_for(target, {});
  } catch (const Error& error) {
    return error.exit();
  }
  return Exit::done;
}

bool is_near(const char* address) { return is_loopback_or_private(*parse_host_address(address)); }

}  // namespace

TEST_CASE("placeholders are filled in, percent-encoded in the URL only") {
  TargetSpec spec = spec_for("http://127.0.0.1/u/<user>?n=<n>&ip=<ip>");
  spec.body = "{\"user\": \"<user>\"}";
  spec.headers = {{"X-Forwarded-For", "<ip>"}, {"Accept", "text/plain"}};
  const HttpTarget target = http_target_from(spec);
  CHECK(target.varies_with_client);
  const HttpQuestion request = target.request_for({"2001:db8::1", "a b/../c&d", 7});
  CHECK(request.url == "http://127.0.0.1/u/a%20b%2F..%2Fc%26d?n=7&ip=2001:db8::1");
  CHECK(request.body == "{\"user\": \"a b/../c&d\"}");
  CHECK(request.headers ==
        std::vector<std::string>{"X-Forwarded-For: 2001:db8::1", "Accept: text/plain"});
  CHECK(request.source_ip.empty());
  CHECK_FALSE(http_target_from(spec_for("http://127.0.0.1/")).varies_with_client);
}

TEST_CASE("a filled-in value can't become a second header") {
  TargetSpec spec = spec_for("http://127.0.0.1/");
  spec.headers = {{"X-User-Id", "<user>"}};
  const HttpTarget target = http_target_from(spec);
  CHECK_THROWS_AS(target.request_for({"", "a\r\nX-Admin: 1", 0}), Error);
}

TEST_CASE("a range of source addresses gives each client its own") {
  const SourceAddress range("127.0.0.0/8");
  CHECK(range.of({"", "u", 0}) == "127.0.0.1");
  CHECK(range.of({"", "u", 299}) == "127.0.1.44");
  CHECK(range.of({"10.1.2.3", "", 0}) == "127.1.2.3");
  CHECK(range.of({"2001:db8::1", "", 4}) == "127.0.0.5");
  const SourceAddress small("127.0.0.8/30");
  CHECK(small.of({"", "", 0}) == "127.0.0.9");
  CHECK(small.of({"", "", 1}) == "127.0.0.10");
  CHECK(small.of({"", "", 2}) == "127.0.0.9");
  CHECK(SourceAddress("<ip>").of({"127.0.0.9", "", 0}) == "127.0.0.9");
  CHECK(SourceAddress("127.0.0.7").of({"10.0.0.1", "", 3}) == "127.0.0.7");
  CHECK_FALSE(SourceAddress().is_set());
  for (const char* text : {"lo", "127.0.0.1/8", "::/0", "<who>", "127.0.0.0/33"})
    CHECK_THROWS_AS(SourceAddress{text}, Error);
}

TEST_CASE("a client without an address has no source address") {
  TargetSpec spec = spec_for("http://127.0.0.1/");
  spec.source_ip = "<ip>";
  const HttpTarget target = http_target_from(spec);
  CHECK(target.request_for({"127.0.0.3", "", 0}).source_ip == "127.0.0.3");
  CHECK_THROWS_AS(target.request_for({"", "u1", 0}), Error);
}

TEST_CASE("a mistake in a target is found before anything is sent") {
  for (const char* url : {"", "127.0.0.1:x", "ftp://127.0.0.1/", "http://<ip>/",
                          "http://u<n>.127.0.0.1/", "http://127.0.0.1/<who>", "http://"}) {
    CAPTURE(url);
    CHECK(exit_of(spec_for(url)) == Exit::usage);
  }
  TargetSpec both = spec_for("http://127.0.0.1/");
  both.denied = {"429", "2xx"};
  CHECK(exit_of(both) == Exit::usage);
  TargetSpec method = spec_for("http://127.0.0.1/");
  method.method = "GET /x HTTP/1.1\r\n";
  CHECK(exit_of(method) == Exit::usage);
  TargetSpec header = spec_for("http://127.0.0.1/");
  header.headers = {{"X A", "1"}};
  CHECK(exit_of(header) == Exit::usage);
}

TEST_CASE("a target outside this machine and private networks needs the owner's declaration") {
  CHECK(exit_of(spec_for("http://127.0.0.1:8080/")) == Exit::done);
  CHECK(exit_of(spec_for("http://[::1]:8080/")) == Exit::done);
  CHECK(exit_of(spec_for("http://localhost/")) == Exit::done);
  CHECK(exit_of(spec_for("http://192.168.3.4/")) == Exit::done);
  TargetSpec foreign = spec_for("http://192.0.2.1/");
  CHECK(exit_of(foreign) == Exit::usage);
  foreign.own_target = "192.0.2.2";
  CHECK(exit_of(foreign) == Exit::usage);
  foreign.own_target = "192.0.2.1";
  CHECK(exit_of(foreign) == Exit::done);
}

TEST_CASE("other spellings of a foreign address are refused too") {
  for (const char* url :
       {"http://3221225985/", "http://0xc0000201/", "http://192.0.513/",
        "http://[::ffff:192.0.2.1]/", "http://user@192.0.2.1/", "http://127.0.0.1@192.0.2.1/"}) {
    CAPTURE(url);
    CHECK(exit_of(spec_for(url)) == Exit::usage);
  }
}

TEST_CASE("behind a proxy a host name needs the owner's declaration") {
  const HttpTarget named = http_target_from(spec_for("http://limiter.example/"));
  HttpSettings settings;
  settings.proxy = "http://127.0.0.1:3128";
  CHECK_THROWS_AS(http_settings_for(named, settings), Error);
  TargetSpec own = spec_for("http://Limiter.example/");
  own.own_target = "limiter.EXAMPLE";
  CHECK_NOTHROW(http_settings_for(http_target_from(own), settings));
}

TEST_CASE("libcurl sends what the own engine can't") {
  const TargetSpec plain = spec_for("http://127.0.0.1/");
  const auto engine_for = [](const TargetSpec& spec, const HttpSettings& settings) {
    return http_settings_for(http_target_from(spec), settings).engine_used();
  };
  CHECK(engine_for(plain, {}) == HttpEngine::own);
  HttpSettings settings;
  settings.proxy = "http://127.0.0.1:3128";
  CHECK(engine_for(plain, settings) == HttpEngine::curl);
  TargetSpec waits = plain;
  waits.headers = {{"expect", "100-continue"}};
  CHECK(engine_for(waits, {}) == HttpEngine::curl);
  settings.engine = HttpEngine::curl;
  CHECK(engine_for(waits, settings) == HttpEngine::curl);
}

TEST_CASE("the own engine is refused where it was asked for and can't do it") {
  HttpSettings settings;
  settings.engine = HttpEngine::own;
  TargetSpec spec = spec_for("http://127.0.0.1/");
  CHECK(http_settings_for(http_target_from(spec), settings).engine_used() == HttpEngine::own);
  spec.headers = {{"Transfer-Encoding", "chunked"}};
  CHECK_THROWS_AS(http_settings_for(http_target_from(spec), settings), Error);
  spec.headers.clear();
  settings.proxy = "http://127.0.0.1:3128";
  CHECK_THROWS_AS(http_settings_for(http_target_from(spec), settings), Error);
}

TEST_CASE("loopback, private and link-local addresses are accepted, others are not") {
  for (const char* address :
       {"127.0.0.1", "127.255.0.9", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1",
        "169.254.1.1", "::1", "::", "0.0.0.0", "fd00::1", "fc12::1", "fe80::1", "::ffff:10.0.0.1"})
    CHECK(is_near(address));
  for (const char* address :
       {"8.8.8.8", "172.32.0.1", "172.15.0.1", "192.169.0.1", "100.64.0.1", "2001:db8::1",
        "fe00::1", "ff02::1", "::ffff:8.8.8.8", "::2", "1.0.0.0"})
    CHECK_FALSE(is_near(address));
}

TEST_CASE("a password in the URL is not shown") {
  const HttpTarget target = http_target_from(spec_for("http://u:secret@127.0.0.1:81/x?y=1"));
  CHECK(target.url.shown == "http://...@127.0.0.1:81/x?y=1");
}
