// Several services that decide together: one history, one verdict, and how far they are above the
// limit.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/serving.h"
#include "cli/support/test_redis.h"
#include "tools/folder.h"

using nlohmann::json;
using rlctl::test::Folder;

namespace {

const Arguments kTenPerMinute{"--route", "/x", "--limit", "10", "--window", "1m"};

std::string url_of(const Serving& serving) {
  return "http://127.0.0.1:" + std::to_string(serving.port()) + "/x";
}

Arguments on(TestRedis& redis) {
  Arguments arguments = kTenPerMinute;
  arguments.insert(arguments.end(), {"--redis", redis.url()});
  return arguments;
}

Outcome flood(const std::vector<std::string>& urls, const Arguments& more) {
  Arguments arguments{"simulate", "flood",    "--users", "8",       "--for",
                      "400ms",    "--policy", "10/1m",   "--fresh", "--quiet"};
  for (const std::string& url : urls) arguments.insert(arguments.end(), {"--target", url});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_rlctl(arguments);
}

const std::string kNobody = "http://127.0.0.1:1/x";

}  // namespace

TEST_CASE(
    "two services without a common store admit twice the limit, and their log says the same") {
  const Serving a(kTenPerMinute);
  const Serving b(kTenPerMinute);
  const Folder folder;
  const std::string log = folder / "run.jsonl";
  const Outcome played = flood({url_of(a), url_of(b)}, {"--log", log});
  INFO(played.out);
  INFO(played.err);
  CHECK(played.exit == 1);
  CHECK(
      contains(played.out, "but the limit is 10 per 1m: 2 targets admitted 2.00 times the limit"));
  CHECK(contains(played.out, url_of(b)));
  const json verified = json::parse(run_rlctl({"verify", log, "--fresh", "--json"}).out);
  CHECK(verified["totals"]["overshoot"] == 2.0);
  REQUIRE(verified["targets"].size() == 2);
  for (const json& target : verified["targets"]) {
    CHECK(target["allowed"] == 10);
    CHECK(target["failed"] == 0);
  }
  const std::string markdown = run_rlctl({"report", log, "--markdown", "-"}).out;
  CHECK(contains(markdown, "2 targets admitted 2.00 times the limit"));
  CHECK(contains(markdown, "**Targets**"));
  const Outcome as_csv = flood({url_of(a), url_of(b)}, {"--log", folder / "run.csv"});
  CHECK(contains(run_rlctl({"verify", folder / "run.csv"}).out, url_of(b)));
}

TEST_CASE("verify and report take the promise of --fresh from the log of the run") {
  const Serving used(kTenPerMinute);
  flood({url_of(used)}, {});
  const Folder folder;
  const std::string log = folder / "run.jsonl";
  const Outcome played = flood({url_of(used)}, {"--log", log});
  INFO(played.out);
  CHECK(played.exit == 1);
  const std::string found = "denials were wrong: the limit had not been reached";
  CHECK(contains(played.out, found));
  const Outcome verified = run_rlctl({"verify", log});
  CHECK(verified.exit == 1);
  CHECK(contains(verified.out, found));
  CHECK(contains(verified.out, "assumed: the limiter had not counted these keys before (fresh)"));
  CHECK(contains(run_rlctl({"report", log, "--markdown", "-"}).out, found));
}

TEST_CASE("with one store they keep the limit together") {
  for (const char* spread : {"round", "random"}) {
    TestRedis redis;
    const Serving a(on(redis));
    const Serving b(on(redis));
    const Outcome played = flood({url_of(a), url_of(b)}, {"--spread", spread, "--json"});
    CHECK(played.exit == 0);
    CHECK(json::parse(played.out)["totals"]["overshoot"] == 1.0);
  }
}

TEST_CASE("a service that is away among several is told, and never passes") {
  const Serving a(kTenPerMinute);
  const Outcome played = flood({url_of(a), kNobody}, {});
  INFO(played.out);
  CHECK(played.exit == 4);
  CHECK(contains(played.out, "inconclusive: " + kNobody + " decided none of its "));
  const Serving unused(kTenPerMinute);  // the scenario says that no key was used before
  const Folder folder;
  folder.write("away.json", json{{"name", "away"},
                                 {"clock", "wall"},
                                 {"verdict", "holds"},
                                 {"target", {{"kind", "http"}}},
                                 {"policies",
                                  {{"api",
                                    {{"rules", "10/1m"},
                                     {"key", "<ip>"},
                                     {"fresh", true},
                                     {"targets", {url_of(unused), kNobody}}}}}},
                                 {"identities", {{"ann", {{"ip", "192.0.2.1"}}}}},
                                 {"phases",
                                  {{{"name", "flood"},
                                    {"policy", "api"},
                                    {"who", "ann"},
                                    {"users", 4},
                                    {"for", "300ms"}}}},
                                 {"budget", {{"failed", "100%"}}}}
                                .dump());
  const Outcome run = run_rlctl({"run", folder / "away.json"});
  INFO(run.out);
  CHECK(run.exit == 4);
  CHECK(contains(run.out, kNobody + " decided none of its "));
}

TEST_CASE("a client of several services always asks the same one with --spread client") {
  const Serving a(kTenPerMinute);
  const Serving b(kTenPerMinute);
  const Outcome played = flood({url_of(a), url_of(b)}, {"--spread", "client", "--json"});
  const json targets = json::parse(played.out)["targets"];
  CHECK(targets[0]["requests"] > 0);
  CHECK(targets[1]["requests"] > 0);
}

TEST_CASE("several services are refused where they mean nothing") {
  const auto refused = [](const Arguments& arguments, const char* why) {
    const Outcome outcome = run_rlctl(arguments);
    CHECK(outcome.exit == 2);
    CAPTURE(outcome.err);
    CHECK(contains(outcome.err, why));
  };
  refused({"hit", "--target", kNobody, "--target", "http://127.0.0.1:2/"}, "hit asks one service");
  refused({"simulate", "bot", "--target", kNobody, "--target", kNobody}, "is given twice");
  refused({"simulate", "bot", "--target", kNobody, "--spread", "round"},
          "--spread needs several targets");
}
