// The scenarios of scenarios/http, each against the service that it is for.
#include <doctest/doctest.h>

#include "cli/support/process.h"
#include "http/nginx.h"
#include "real/server.h"

using namespace rlctl::test;

namespace {

// The address without its last slash, as the scenarios want it.
std::string api(const std::string& url) { return "API=" + url.substr(0, url.size() - 1); }

void check_passes(const std::string& name, const Arguments& environment) {
  const Outcome outcome =
      run_rlctl({"run", RLCTL_SOURCE_DIR "/scenarios/http/" + name + ".json"}, {}, environment);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
}

}  // namespace

TEST_CASE("the shipped scenario for nginx passes against nginx") {
  const Nginx nginx(
      "limit_req_zone $binary_remote_addr zone=clients:1m rate=20r/s; limit_req_status 429;\n"
      "server { listen 127.0.0.1:PORT; location / { limit_req zone=clients burst=10 nodelay; "
      "root FOLDER; } }");
  check_passes("nginx", {api(nginx.url())});
}

TEST_CASE("the shipped scenarios for express pass against express") {
  if (!has_node_packages()) return;
  const NodeLimiter one("express-rate-limit", 10, 1'000);
  check_passes("express", {api(one.url())});
  const NodeLimiter both("two-limits", 10, 1'000);
  check_passes("two-rules", {api(both.url())});
  const NodeLimiter keys("two-keys", 10, 1'000);
  check_passes("two-keys", {api(keys.url())});
}

TEST_CASE("the shipped scenario with a login passes against a shop that has one") {
  if (!has_node_packages()) return;
  const NodeLimiter shop("login", 10, 1'000);
  check_passes("login", {api(shop.url()), "SHOP_PASSWORD=correct horse"});
}

TEST_CASE("the shipped scenario with a fault passes") { check_passes("fault", {}); }
