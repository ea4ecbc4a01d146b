#include "base/host_address.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "io/http/listener.h"
#include "io/http/server/forwarded.h"

using namespace rlctl;

namespace {

std::string normal(std::string_view text) {
  const auto address = parse_host_address(text);
  return address ? format_host_address(*address) : "none";
}

bool contains(const char* range, const char* address) {
  return parse_host_network(range, "--x").contains(*parse_host_address(address));
}

// The client's address from the peer, the peer's header and the trusted proxies.
std::string client(const char* peer, const std::vector<std::string_view>& fields,
                   const std::vector<const char*>& trusted) {
  std::vector<HostNetwork> ranges;
  for (const char* range : trusted) ranges.push_back(parse_host_network(range, "--x"));
  return format_host_address(client_address(*parse_host_address(peer), fields, ranges));
}

}  // namespace

TEST_CASE("an address has one spelling") {
  CHECK(normal("192.0.2.1") == "192.0.2.1");
  CHECK(normal("2001:DB8:0:0::1") == "2001:db8::1");
  CHECK(normal("::ffff:192.0.2.1") == "192.0.2.1");
  for (const char* text : {"", "1.2.3", "1.2.3.4.5", "01.2.3.4x", "localhost", "1.2.3.4 ", "[::1]",
                           "fe80::1%eth0", "\x1b[31m"})
    CHECK_MESSAGE(normal(text) == "none", text);
  CHECK(normal(std::string_view("1.2.3.4\0", 8)) == "none");
  CHECK(normal(std::string(5000, '1')) == "none");
}

TEST_CASE("a range holds the addresses with the same first bits") {
  CHECK(contains("10.0.0.0/8", "10.255.0.1"));
  CHECK_FALSE(contains("10.0.0.0/8", "11.0.0.1"));
  CHECK(contains("192.0.2.128/25", "192.0.2.200"));
  CHECK_FALSE(contains("192.0.2.128/25", "192.0.2.127"));
  CHECK(contains("192.0.2.1", "192.0.2.1"));
  CHECK(contains("0.0.0.0/0", "203.0.113.9"));
  CHECK_FALSE(contains("0.0.0.0/0", "::1"));
  CHECK(contains("2001:db8::/33", "2001:db8:7fff::1"));
  CHECK_FALSE(contains("2001:db8::/33", "2001:db8:8000::1"));
}

TEST_CASE("an invalid range is refused") {
  for (const char* text : {"10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/", "10.0.0.0/-1", "::/129",
                           "proxy", "", "10.0.0.0/8/8"})
    CHECK_THROWS_AS(parse_host_network(text, "--trust-proxy"), Error);
}

TEST_CASE("without a trusted proxy, X-Forwarded-For is ignored") {
  CHECK(client("203.0.113.1", {"198.51.100.7"}, {}) == "203.0.113.1");
  CHECK(client("203.0.113.1", {"198.51.100.7"}, {"10.0.0.0/8"}) == "203.0.113.1");
}

TEST_CASE("behind trusted proxies, the client is the right-most other address") {
  const std::vector<const char*> trusted{"10.0.0.0/8", "::1"};
  CHECK(client("10.0.0.1", {"198.51.100.7"}, trusted) == "198.51.100.7");
  CHECK(client("10.0.0.1", {"1.1.1.1, 198.51.100.7"}, trusted) == "198.51.100.7");
  CHECK(client("10.0.0.1", {"1.1.1.1, 198.51.100.7, 10.2.2.2"}, trusted) == "198.51.100.7");
  CHECK(client("::1", {"1.1.1.1", "198.51.100.7"}, trusted) == "198.51.100.7");
  CHECK(client("10.0.0.1", {"10.0.0.3, 10.0.0.2"}, trusted) == "10.0.0.3");
  CHECK(client("10.0.0.1", {}, trusted) == "10.0.0.1");
  CHECK(client("10.0.0.1", {"198.51.100.7:4711"}, trusted) == "198.51.100.7");
  CHECK(client("10.0.0.1", {"[2001:db8::7]:4711"}, trusted) == "2001:db8::7");
  CHECK(client("10.0.0.1", {"2001:db8::7"}, trusted) == "2001:db8::7");
}

TEST_CASE("an entry that is not an address is ignored, and so is everything left of it") {
  const std::vector<const char*> trusted{"10.0.0.0/8"};
  CHECK(client("10.0.0.1", {"unknown"}, trusted) == "10.0.0.1");
  CHECK(client("10.0.0.1", {"1.1.1.1, _hidden"}, trusted) == "10.0.0.1");
  CHECK(client("10.0.0.1", {"1.1.1.1, \x1b[31m, 10.0.0.9"}, trusted) == "10.0.0.9");
  CHECK(client("10.0.0.1", {"198.51.100.7, , ,"}, trusted) == "198.51.100.7");
  CHECK(client("10.0.0.1", {"", ",", "[::1"}, trusted) == "10.0.0.1");
}

TEST_CASE("a listen address is a host and a port") {
  const ListenAddress four = parse_listen_address("127.0.0.1:8080", "--listen");
  CHECK(four.host == "127.0.0.1");
  CHECK(four.port == 8080);
  CHECK(parse_listen_address("[::1]:0", "--listen").host == "::1");
  CHECK(parse_listen_address("localhost:65535", "--listen").port == 65535);
  for (const char* text : {"", "8080", ":8080", "::1:8080", "127.0.0.1", "127.0.0.1:", "a:65536",
                           "a:-1", "a:80x", "[]:80"})
    CHECK_THROWS_AS(parse_listen_address(text, "--listen"), Error);
}
