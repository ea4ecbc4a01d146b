// What the requests of a scenario contain: logins, captured values, variables of the environment,
// words that change, and routes with rules of their own.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/support/process.h"
#include "http/nginx.h"
#include "http/peer.h"
#include "tools/folder.h"

using nlohmann::json;
using rlctl::test::Folder;
using rlctl::test::Peer;
using rlctl::test::PeerConnection;

namespace {

// The value of a header, or of what stands between two texts.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  if (begin == std::string::npos) return {};
  return text.substr(begin + from.size(), text.find(to, begin + from.size()) - begin - from.size());
}

// A service with a login; afterwards each token has `limit` requests, for good.
class Shop {
 public:
  // `uses`: a token expires after so many requests; 0: never.
  explicit Shop(int limit, int uses = 0) : limit_(limit), uses_(uses) {}

  std::string url() const { return peer_.url(""); }
  int logins() { return count(logins_); }
  std::size_t ids() { return count(ids_.size()); }
  std::vector<std::string> methods() { return count(methods_); }

 private:
  template <typename Value>
  Value count(const Value& value) {
    const std::lock_guard lock(mutex_);
    return value;
  }

  bool has_expired(const std::string& token) {
    return uses_ > 0 && std::count(spent_.begin(), spent_.end(), token) >= uses_;
  }

  std::string answer(const std::string& request) {
    const std::lock_guard lock(mutex_);
    methods_.push_back(request.substr(0, request.find(' ', request.find(' ') + 1)));
    if (contains(request, "/login")) return login(request);
    const std::string token = between(request, "Authorization: Bearer ", "\r\n");
    if (!tokens_.contains(token) || has_expired(token)) return rlctl::test::response(401);
    spent_.push_back(token);
    ids_.insert(between(request, "X-Order: ", "\r\n"));
    return rlctl::test::response(++used_[token] <= limit_ ? 200 : 429, "Connection: close\r\n");
  }

  std::string login(const std::string& request) {
    ++logins_;
    if (!contains(request, "X-Password: canary\r\n")) return rlctl::test::response(403);
    std::string token = "canary-" + between(request, "X-User: ", "\r\n");
    if (uses_ > 0) token += std::to_string(logins_);
    tokens_.insert(token);
    return rlctl::test::response(200,
                                 "Connection: close\r\nSet-Cookie: sid=" + token + "; HttpOnly\r\n",
                                 json{{"session", {{"token", token}}}}.dump());
  }

  int limit_;
  int uses_;
  std::vector<std::string> spent_;  // the token of each request
  std::mutex mutex_;
  int logins_ = 0;
  std::set<std::string> tokens_;
  std::set<std::string> ids_;
  std::map<std::string, int> used_;
  std::vector<std::string> methods_;
  Peer peer_{[this](PeerConnection& connection) {
    if (connection.read_request()) connection.write(answer(connection.request()));
  }};
};

json orders(const Shop& shop, const std::string& capture) {
  json scenario = json::parse(R"({
    "name": "orders", "clock": "wall", "verdict": "holds",
    "policies": {"orders": {"rules": "3/1h", "key": "orders:<user>", "fresh": true}},
    "identities": {"people": {"count": 2, "user": "u<n>"}},
    "phases": [{"name": "buy", "policy": "orders", "who": "people",
                "bursts": [{"at": "0s", "count": 10, "gap": "10ms"}]}],
    "expect": ["allowed == 6", "denied == 4"], "budget": {"late": "100%"}})");
  scenario["target"] = {{"kind", "http"},
                        {"url", shop.url() + "/orders"},
                        {"headers", {{"Authorization", "Bearer <token>"}, {"X-Order", "<uuid>"}}},
                        {"login",
                         {{"url", "/login"},
                          {"method", "POST"},
                          {"headers", {{"X-User", "<user>"}, {"X-Password", "${SHOP_PASSWORD}"}}},
                          {"capture", {{"token", capture}}}}}};
  return scenario;
}

const Arguments kPassword{"SHOP_PASSWORD=canary"};

Outcome run_scenario(const json& scenario, const Arguments& environment = kPassword,
                     const Arguments& more = {}) {
  const Folder folder;
  Arguments arguments{"run", folder.write("orders.json", scenario.dump(1))};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_rlctl(arguments, {}, environment);
}

}  // namespace

TEST_CASE("each client logs in once, and its token and new ids are in its requests") {
  for (const char* capture :
       {"/session/token", "header set-cookie regex sid=([^;]+)", R"x(regex "token":"([^"]+)")x"}) {
    Shop shop(3);
    const Outcome outcome = run_scenario(orders(shop, capture));
    INFO(capture << outcome.out << outcome.err);
    CHECK(outcome.exit == 0);
    CHECK(shop.logins() == 2);
    CHECK(shop.ids() == 10);
    CHECK_FALSE(contains(outcome.out + outcome.err, "canary"));
    for (const Arguments& output : {Arguments{"--log", "-"}, {"--json"}, {"--junit", "-"}}) {
      Shop another(3);
      const Outcome written = run_scenario(orders(another, capture), kPassword, output);
      CHECK(written.exit == 0);
      CHECK_FALSE(contains(written.out + written.err, "canary"));
    }
  }
}

TEST_CASE("a client logs in again when its login is old, before its next request") {
  // A token is good for one request, and every request finds its login too old.
  Shop shop(1, 1);
  json scenario = orders(shop, "/session/token");
  scenario["expect"] = {"allowed == 10", "denied == 0", "unknown == 0"};
  scenario["verdict"] = "violated";  // each new token may do as much again
  scenario["phases"][0].erase("bursts");
  scenario["phases"][0].update({{"users", 1}, {"requests", 10}});  // one by one
  scenario["target"]["login"]["again"] = "1us";
  const Outcome outcome = run_scenario(scenario);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(shop.logins() == 2 + 10);
  CHECK_FALSE(contains(outcome.out + outcome.err, "canary"));
  CHECK(contains(run_scenario(scenario, kPassword, {"--dry-run"}).out, "again after 1us"));
  scenario["target"]["login"]["again"] = "1h";
  CHECK(run_scenario(scenario).exit != 0);
}

TEST_CASE("a login that fails ends the run with exit 3 and shows no secret") {
  Shop shop(3);
  const Outcome refused = run_scenario(orders(shop, "/session/token"), {"SHOP_PASSWORD=canary2"});
  CHECK(refused.exit == 3);
  // Clients log in at the same time: any of them may be the first to be refused.
  CHECK(contains(refused.out, "the login of 'u"));
  CHECK(contains(refused.out, "', POST " + shop.url() + "/login: status 403"));
  CHECK_FALSE(contains(refused.out + refused.err, "canary"));
  const Outcome nothing = run_scenario(orders(shop, "/token"));
  CHECK(nothing.exit == 3);
  CHECK(contains(nothing.err + nothing.out, "the answer has no value to capture as <token>"));
}

TEST_CASE("a scenario speaks HTTP/2 if it says so, and its routes do, unless they say no") {
  const rlctl::test::Nginx nginx(
      "server { listen 127.0.0.1:PORT http2; location / {\n"
      "  if ($server_protocol != HTTP/2.0) { return 505; } return 200 ok; } }");
  json scenario = json::parse(R"({
    "name": "two", "clock": "wall", "verdict": "any",
    "policies": {"two": {"rules": "9/1h", "key": "two:<user>"}},
    "identities": {"people": {"count": 2, "user": "u<n>"}},
    "phases": [{"name": "ask", "policy": "two", "who": "people",
                "bursts": [{"at": "0s", "count": 10, "gap": "1ms"}]}],
    "expect": ["allowed == 10"], "budget": {"late": "100%"}})");
  scenario["target"] = {{"kind", "http"}, {"url", nginx.url()}, {"http2", true}};
  CHECK(run_scenario(scenario).exit == 0);
  scenario["policies"]["two"]["route"] = {{"url", "/two"}};
  CHECK(run_scenario(scenario).exit == 0);
  scenario["policies"]["two"]["route"]["http2"] = false;
  CHECK(run_scenario(scenario).exit != 0);
  scenario["policies"]["two"]["route"]["http2"] = true;
  const Outcome curl = run_scenario(scenario, kPassword, {"--engine", "curl"});
  CHECK(curl.exit == 2);
  CHECK(contains(curl.err + curl.out, "libcurl of Debian 12 can't keep a connection without TLS"));
}

TEST_CASE("a variable that is not set is an error that names it, and nothing is sent") {
  Shop shop(3);
  const Outcome outcome = run_scenario(orders(shop, "/session/token"), {});
  CHECK(outcome.exit == 2);
  CHECK(contains(outcome.err,
                 "/target/login/headers/X-Password: the environment variable "
                 "SHOP_PASSWORD is not set"));
  CHECK(shop.logins() == 0);
}

TEST_CASE("routes of one target have their own rules, methods and statuses") {
  Shop shop(3);
  json scenario = orders(shop, "/session/token");
  scenario["policies"]["logins"] = json::parse(R"({
    "rules": "2/1h", "key": "logins:<user>", "fresh": true,
    "route": {"url": "/login", "method": "POST", "headers": {"X-Password": "wrong"},
              "allowed": ["403"], "login": []}})");
  scenario["target"]["headers"].erase("Authorization");
  scenario["policies"]["orders"]["route"] = {{"headers", {{"Authorization", "Bearer <token>"}}}};
  scenario["phases"].push_back(json::parse(
      R"({"name": "in", "policy": "logins", "who": "people", "bursts": [{"at": "0s", "count": 4}]})"));
  scenario["expect"] = {"allowed{policy=orders} == 6", "allowed{policy=logins} == 4"};
  scenario["verdict"] = "any";
  const Outcome outcome = run_scenario(scenario);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(shop.logins() == 6);
  const auto methods = shop.methods();
  CHECK(std::count(methods.begin(), methods.end(), "POST /login") == 6);
  CHECK(std::count(methods.begin(), methods.end(), "GET /orders") == 10);
}

TEST_CASE("run --dry-run shows what would be sent, and no secret") {
  Shop shop(3);
  json scenario = orders(shop, "/session/token");
  scenario["target"]["headers"]["X-Api-Key"] = "canary";
  const Folder folder;
  const Outcome outcome =
      run_rlctl({"run", folder.write("orders.json", scenario.dump(1)), "--dry-run"}, {}, kPassword);
  CHECK(outcome.exit == 0);
  const std::string url = shop.url();
  CHECK(contains(outcome.out, "  each login: POST " + url +
                                  "/login\n"
                                  "    X-Password: ${SHOP_PASSWORD}\n"
                                  "    X-User: <user>\n"
                                  "    captures <token>\n"
                                  "  each request: GET " +
                                  url + "/orders\n    Authorization: Bearer <token>\n"));
  CHECK_FALSE(contains(outcome.out + outcome.err, "canary"));
  CHECK(shop.logins() == 0);
}

TEST_CASE("a warm-up counts in windows, but not in counts and latencies") {
  Shop shop(3);
  json scenario = orders(shop, "/session/token");
  scenario["phases"].insert(scenario["phases"].begin(), json::parse(R"({"name": "warm",
    "policy": "orders", "who": "people", "warm_up": true, "bursts": [{"at": "0s", "count": 2}]})"));
  scenario["expect"] = {"allowed == 4", "offered == 10", "offered{phase=warm} == 2"};
  const Outcome outcome = run_scenario(scenario);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
}

TEST_CASE("a request that is denied is sent again, as often as the scenario says") {
  Shop shop(3);
  json scenario = orders(shop, "/session/token");
  scenario["phases"][0]["on_deny"] = "backoff";
  scenario["phases"][0]["retries"] = 2;
  scenario["expect"] = {"allowed == 6", "denied == 12"};
  const Outcome outcome = run_scenario(scenario);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
}
