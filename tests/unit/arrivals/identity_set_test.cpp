#include "arrivals/identity_set.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/host_address.h"

using namespace rlctl;

namespace {

IdentitySpec spec_of(const char* ip, const char* user, std::int64_t count) {
  IdentitySpec spec;
  spec.ip = ip;
  spec.user = user;
  spec.count = count;
  return spec;
}

std::string problem_in(const std::string& csv) {
  try {
    parse_identity_csv(csv);
    return {};
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    return error.what();
  }
}

std::string normal(const char* address) {
  const auto parsed = parse_host_address(address);
  return parsed ? format_host_address(*parsed) : "none";
}

}  // namespace

TEST_CASE("clients of a network get its addresses, one after the other") {
  const IdentitySet humans(spec_of("10.0.0.0/16", "u<n>", 1'000));
  CHECK(humans.size() == 1'000);
  CHECK(humans.at(0).ip == "10.0.0.1");
  CHECK(humans.at(255).ip == "10.0.1.0");
  CHECK(humans.at(999).user == "u999");
  CHECK(humans.at(999).n == 999);
}

TEST_CASE("clients of a network have different addresses, unless it is too small for them") {
  const IdentitySet all(spec_of("10.0.0.0/24", "", 254));
  std::set<std::string> addresses;
  for (std::int64_t n = 0; n < all.size(); ++n) addresses.insert(all.at(n).ip);
  CHECK(addresses.size() == 254);
  CHECK(!addresses.contains("10.0.0.0"));
  CHECK(!addresses.contains("10.0.0.255"));
  const IdentitySet crowded(spec_of("10.0.0.0/30", "u<n>", 4));
  CHECK(crowded.at(2).ip == "10.0.0.1");
  CHECK(crowded.at(2).user == "u2");
}

TEST_CASE("with an address all clients share it, and without a source there is no address") {
  CHECK(IdentitySet(spec_of("203.0.113.7", "", 3)).at(2).ip == "203.0.113.7");
  CHECK(IdentitySet(spec_of("", "ann", 3)).at(2).ip == "");
  CHECK(IdentitySet(spec_of("fd00::/64", "", 3)).at(2).ip == "fd00::3");
}

TEST_CASE("round robin takes the clients in turn") {
  IdentityPicker picker(spec_of("", "", 3), Random(1));
  std::vector<std::int64_t> taken;
  for (int i = 0; i < 5; ++i) taken.push_back(picker.next());
  CHECK(taken == std::vector<std::int64_t>{0, 1, 2, 0, 1});
}

TEST_CASE("zipf prefers the first clients by the given exponent") {
  IdentitySpec spec = spec_of("", "u<n>", 1'000);
  spec.pick = Pick::zipf;
  spec.skew = 1.1;
  IdentityPicker picker(spec, Random(5));
  std::vector<double> counts(1'000);
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) ++counts[static_cast<std::size_t>(picker.next())];
  double weights = 0;
  for (int n = 1; n <= 1'000; ++n) weights += std::pow(n, -1.1);
  for (const std::size_t n : {0U, 1U, 9U, 99U}) {
    const double expected = kDraws * std::pow(static_cast<double>(n + 1), -1.1) / weights;
    CHECK(std::abs(counts[n] - expected) < 6 * std::sqrt(expected));
  }
}

TEST_CASE("zipf without skew is uniform, and the seed determines the picks") {
  IdentitySpec spec = spec_of("", "", 4);
  spec.pick = Pick::zipf;
  spec.skew = 0;
  IdentityPicker picker(spec, Random(5));
  IdentityPicker again(spec, Random(5));
  std::vector<int> counts(4);
  for (int i = 0; i < 40'000; ++i) {
    const std::int64_t n = picker.next();
    REQUIRE(n == again.next());
    ++counts[static_cast<std::size_t>(n)];
  }
  for (const int count : counts) CHECK(std::abs(count - 10'000) < 500);
}

TEST_CASE("clients come from a CSV file with any other columns") {
  const auto clients = parse_identity_csv(
      "\xEF\xBB\xBFid,user,ip\r\n1,\"Ann, A.\",10.0.0.1\r\n\r\n2,bob,::1\r\n3,eve");
  REQUIRE(clients.size() == 3);
  CHECK(clients[0].user == "Ann, A.");
  CHECK(clients[1].ip == "::1");
  CHECK(clients[1].n == 1);
  CHECK(clients[2].user == "eve");
  CHECK(clients[2].ip == "");
}

TEST_CASE("a CSV file without clients is an error with the line") {
  CHECK(problem_in("") == "its first line has neither ip nor user");
  CHECK(problem_in("a,b\n1,2\n").find("neither ip nor user") != std::string::npos);
  CHECK(problem_in("ip,user\n").find("has no clients") != std::string::npos);
  CHECK(problem_in("ip\n10.0.0.1\n\x1b[2J\n") == "line 3: '\\x1b[2J' is not an address");
}

TEST_CASE("addresses are read strictly and have one spelling") {
  CHECK(normal("10.0.0.1") == "10.0.0.1");
  CHECK(normal("0:0:0:0:0:0:0:1") == "::1");
  CHECK(normal("2001:DB8::0:1:0:0:1") == "2001:db8::1:0:0:1");
  CHECK(normal("1:0:0:2:0:0:0:3") == "1:0:0:2::3");
  CHECK(normal("::ffff:192.0.2.1") == "192.0.2.1");
  CHECK(normal("::") == "::");
  CHECK(normal("fe80::") == "fe80::");
  for (const char* wrong : {"", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", "1..2.3",
                            ":", ":::", "1::2::3", "12345::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
                            "1:2:3:4:5:6:7:", "g::", "::1%eth0", "1.2.3.4:80", "::1.2.3"})
    CHECK_MESSAGE(normal(wrong) == "none", wrong);
}

TEST_CASE("a network has no bits after its prefix") {
  CHECK(parse_host_network("10.0.0.0/8")->hosts() == 16'777'214);
  CHECK(parse_host_network("10.0.0.7")->hosts() == 1);
  CHECK(parse_host_network("10.0.0.4/31")->hosts() == 2);
  CHECK(parse_host_network("::/0")->hosts() == std::int64_t{1} << 62);
  CHECK(parse_host_network("10.0.0.0/8")->contains(*parse_host_address("10.9.8.7")));
  CHECK(!parse_host_network("10.0.0.0/8")->contains(*parse_host_address("11.0.0.0")));
  for (const char* wrong :
       {"10.0.0.7/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/08", "/8", "::/129"})
    CHECK_MESSAGE(!parse_host_network(wrong), wrong);
}
