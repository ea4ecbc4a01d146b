// Which addresses may be loaded without asking their owner.
#include "io/address_scope.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>

#include "base/error.h"

using namespace rlctl;

namespace {

bool is_ours(const char* address) {
  const auto parsed = parse_host_address(address);
  REQUIRE_MESSAGE(parsed, address);
  return is_loopback_or_private(*parsed);
}

}  // namespace

TEST_CASE("this machine and private networks may be loaded") {
  for (const char* address :
       {"127.0.0.1", "127.255.255.255", "0.0.0.0", "10.0.0.0", "10.255.255.255", "172.16.0.0",
        "172.31.255.255", "192.168.0.1", "169.254.1.1", "::1", "::", "fc00::1", "fdff::1",
        "fe80::1", "febf::1", "::ffff:10.0.0.1"}) {
    CAPTURE(address);
    CHECK(is_ours(address));
  }
}

TEST_CASE("every other address belongs to somebody, also next to a private network") {
  for (const char* address : {"8.8.8.8",         "9.255.255.255",
                              "11.0.0.0",        "126.255.255.255",
                              "128.0.0.0",       "172.15.255.255",
                              "172.32.0.0",      "192.167.255.255",
                              "192.169.0.0",     "169.253.255.255",
                              "169.255.0.0",     "0.0.0.1",
                              "255.255.255.255", "::2",
                              "::1:0",           "fbff::1",
                              "fe00::1",         "fec0::1",
                              "2001:db8::1",     "::ffff:8.8.8.8"}) {
    CAPTURE(address);
    CHECK_FALSE(is_ours(address));
  }
}

TEST_CASE("the address of a socket is read in both families, and in no other") {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  REQUIRE(inet_pton(AF_INET, "192.0.2.7", &v4.sin_addr) == 1);
  CHECK(host_address_of(reinterpret_cast<const sockaddr&>(v4)) == parse_host_address("192.0.2.7"));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  REQUIRE(inet_pton(AF_INET6, "2001:db8::7", &v6.sin6_addr) == 1);
  CHECK(host_address_of(reinterpret_cast<const sockaddr&>(v6)) ==
        parse_host_address("2001:db8::7"));
  sockaddr unix_socket{};
  unix_socket.sa_family = AF_UNIX;
  CHECK_FALSE(host_address_of(unix_socket));
}

TEST_CASE("localhost is this machine without a resolver, and an address is its own name") {
  REQUIRE(resolve_host("localhost").size() == 2);
  for (const HostAddress& address : resolve_host("localhost"))
    CHECK(is_loopback_or_private(address));
  REQUIRE(resolve_host("192.0.2.7").size() == 1);
  CHECK(resolve_host("192.0.2.7").front() == parse_host_address("192.0.2.7"));
  CHECK_THROWS_AS(resolve_host("no-such-host.invalid"), Error);
}
