// What `probe --scenario` writes: the whole request, without its secrets.
#include "probe/pinned_scenario.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/units.h"

using namespace rlctl;
using nlohmann::json;

namespace {

struct Pinned {
  explicit Pinned(const TargetSpec& spec)
      : pinned(pinned_scenario({.kind = LimiterKind::sliding,
                                .limit = 5,
                                .limit_high = 5,
                                .low_us = kSecondUs,
                                .high_us = kSecondUs},
                               spec)),
        target(json::parse(pinned.text)["target"]) {}

  PinnedScenario pinned;
  json target;
};

TargetSpec spec_for(const std::string& url) {
  TargetSpec spec;
  spec.kind = TargetKind::http;
  spec.url = url;
  return spec;
}

}  // namespace

TEST_CASE("a pinned scenario sends the request that was examined") {
  TargetSpec spec = spec_for("http://127.0.0.1:1/x?page=2#top");
  spec.method = "PUT";
  spec.body = R"({"b": 1, "a": "<user>"})";
  spec.headers = {{"Accept", "text/plain"}, {"X-A", "1"}, {"x-a", "2"}};
  spec.allowed = {"200-201,3xx"};
  spec.source_ip = "127.0.0.7";
  spec.own_target = "127.0.0.1";
  spec.http2 = true;
  spec.timeout_us = 5 * kSecondUs;
  const Pinned one(spec);
  CHECK(one.target == json{{"kind", "http"},
                           {"url", spec.url},
                           {"method", "PUT"},
                           {"body", spec.body},
                           {"headers", {{"Accept", "text/plain"}, {"X-A", "1, 2"}}},
                           {"allowed", {"200", "201", "3xx"}},
                           {"source_ip", "127.0.0.7"},
                           {"i_own_this_target", "127.0.0.1"},
                           {"http2", true},
                           {"timeout", "5s"}});
  CHECK(one.pinned.variables.empty());
}

TEST_CASE("a secret of a request becomes a variable, and each has its own") {
  TargetSpec spec = spec_for("http://bob:s3cret@127.0.0.1/x?page=2&api_key=s3cret");
  spec.headers = {{"Authorization", "Bearer s3cret"},
                  {"Api-Key", "s3cret"},
                  {"Cookie", "a=s3cret"},
                  {"cookie", "b=s3cret"},
                  {"X-Token", "${TOKEN}"},
                  {"X-Forwarded-For", "<ip>"}};
  spec.method = "POST";
  spec.body = R"({"user": {"name": "ann", "token": "s3cret"}})";
  const Pinned one(spec);
  CHECK(one.pinned.text.find("s3cret") == std::string::npos);
  CHECK(one.target["url"] == "http://${CREDENTIALS}@127.0.0.1/x?page=2&api_key=${API_KEY}");
  CHECK(one.target["headers"] == json{{"Authorization", "${AUTHORIZATION}"},
                                      {"Api-Key", "${API_KEY_2}"},
                                      {"Cookie", "${COOKIE}"},
                                      {"X-Token", "${TOKEN}"},
                                      {"X-Forwarded-For", "<ip>"}});
  CHECK(one.target["body"] == R"({"user":{"name":"ann","token":"${TOKEN_2}"}})");
  CHECK(one.pinned.variables == std::vector<std::string>{"TOKEN", "CREDENTIALS", "API_KEY",
                                                         "AUTHORIZATION", "API_KEY_2", "COOKIE",
                                                         "TOKEN_2"});
}

TEST_CASE("a form has open fields and secret ones, of another body all is secret") {
  TargetSpec spec = spec_for("http://127.0.0.1/");
  spec.method = "POST";
  spec.body = "user=ann&password=s3cret&n=<n>";
  CHECK(Pinned(spec).target["body"] == "user=ann&password=${PASSWORD}&n=<n>");
  spec.body = "the password is s3cret";
  CHECK(Pinned(spec).target["body"] == "${BODY}");
  spec.body = "hello";
  CHECK(Pinned(spec).target["body"] == "hello");
}
