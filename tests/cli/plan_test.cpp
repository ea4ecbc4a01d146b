#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/support/process.h"
#include "cli/support/test_nginx.h"
#include "tools/folder.h"

using nlohmann::json;
using rlctl::test::Folder;

namespace {

json plan_of(const std::string& log, const Arguments& more) {
  Arguments arguments{"plan", log, "--json", "--most", "all"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run_rlctl(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit == 0);
  return json::parse(outcome.out);
}

// By client, how often nginx said that it would have denied.
std::map<std::string, std::int64_t> denied_by(const std::string& judged_log) {
  std::map<std::string, std::int64_t> denied;
  std::ifstream log(judged_log);
  for (std::string client, status; log >> client >> status;)
    denied[client] += status == "REJECTED_DRY_RUN";
  return denied;
}

std::string line(const std::string& client, int second, const std::string& path = "/api/a",
                 const std::string& agent = "curl/8", int status = 200) {
  char time[32];
  snprintf(time, sizeof time, "%02d:%02d:%02d", 10 + second / 3600, second / 60 % 60, second % 60);
  return client + " - - [21/Nov/2026:" + time + " +0000] \"GET " + path + " HTTP/1.1\" " +
         std::to_string(status) + " 5 \"-\" \"" + agent + "\"\n";
}

// Two requests of one client, a second apart.
std::string small_log() { return line("203.0.113.1", 0) + line("203.0.113.1", 1); }

std::string refusal_of(const std::string& log, const Arguments& more) {
  Arguments arguments{"plan", log};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run_rlctl(arguments);
  CHECK(outcome.exit == 2);
  CHECK(outcome.out.empty());
  return outcome.err;
}

}  // namespace

TEST_CASE("plan shows what was asked for, once") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 9; ++i) text += line("10.0.0.1", i / 5);
  const std::string log = folder.write("access.log", text);
  const auto tables = [&](const Arguments& policies) {
    Arguments arguments{"plan", log, "--by", "ip"};
    arguments.insert(arguments.end(), policies.begin(), policies.end());
    const Outcome outcome = run_rlctl(arguments);
    INFO(outcome.err);
    CHECK(outcome.exit == 0);
    return outcome.out;
  };
  const std::string windowless = tables({"--policy", "2 in flight", "--longest", "3s"});
  CHECK_FALSE(contains(windowless, "worst window"));  // nobody named one
  CHECK_FALSE(contains(windowless, "1m"));
  CHECK(contains(tables({"--policy", "2 in flight", "--longest", "3s", "--policy", "2/1s"}),
                 "worst window"));
  CHECK(tables({"--policy", "2/1s", "--policy", "2/1s"}) == tables({"--policy", "2/1s"}));
  CHECK(tables({"--policy", "2/1s", "--by", "ip"}) == tables({"--policy", "2/1s"}));
}

TEST_CASE("what a real nginx says in a dry run lies within the bounds, client by client") {
  TestNginx nginx("60r/m", "burst=5 nodelay; limit_req_dry_run on");
  for (int round = 0; round < 3; ++round) {
    nginx.get(2, 2, 10);  // far above the limit
    nginx.get(3, 1, 3);   // about as much as the limit allows
    nginx.get(4, 1, 1);
    usleep(700'000);
  }
  nginx.get(5, 1, 6);
  nginx.get(6, 1, 7);  // one more than fits
  const std::map<std::string, std::int64_t> denied = denied_by(nginx.judged_log());
  CHECK(denied.at("127.0.0.2") > 40);
  CHECK(denied.at("127.0.0.6") == 1);
  const std::pair<std::string, std::string> logs[] = {
      {nginx.combined_log(), "nginx"},
      {nginx.timed_log(), TestNginx::kTimedFormat},
      {nginx.appended_log(), TestNginx::kAppendedFormat}};
  for (const auto& [log, format] : logs) {
    CAPTURE(format);
    const json plan = plan_of(log, {"--format", format, "--policy", "bucket 6 + 60/1m"});
    const json& policy = plan["policies"][0];
    std::map<std::string, json> clients;
    for (const json& client : policy["clients"]) clients[client["client"]] = client;
    for (const auto& [client, count] : denied) {
      CAPTURE(client);
      const json figures = clients.contains(client) ? clients.at(client) : json::object();
      CHECK(figures.value("certain", 0) <= count);
      CHECK(count <= figures.value("at_most", 0));
    }
    CHECK(clients.at("127.0.0.2")["certain"] > 40);
    CHECK(clients.at("127.0.0.2")["denied"] == "certain");
    CHECK_FALSE(clients.contains("127.0.0.4"));
  }
  // Stamps in milliseconds leave little open.
  const json sharp = plan_of(nginx.timed_log(), {"--format", TestNginx::kTimedFormat, "--policy",
                                                 "bucket 6 + 60/1m"})["policies"][0];
  std::int64_t all = 0;
  for (const auto& [client, count] : denied) all += count;
  CHECK(sharp["at_most"].get<std::int64_t>() - sharp["certain"].get<std::int64_t>() <= 8);
  CHECK(sharp["as_stamped"].get<std::int64_t>() <= all + 8);
}

TEST_CASE("plan tells clients apart by columns, networks, and several of them") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 6; ++i) text += line("203.0.113." + std::to_string(i % 2), i * 2);
  const std::string log = folder.write("access.log", text);
  const auto certain = [&](const std::string& by) {
    return plan_of(log, {"--policy", "3/1m", "--by", by})["policies"][0]["certain"];
  };
  CHECK(certain("key") == 0);
  CHECK(certain("ip") == 0);
  CHECK(certain("ip/24") == 3);
  CHECK(certain("user_agent") == 3);
  CHECK(certain("ip + user_agent") == 0);
  const Outcome none = run_rlctl({"plan", log, "--policy", "3/1m", "--by", "header x-api-key"});
  CHECK(none.exit == 2);
  CHECK(contains(none.err, "--by: no line of the log has a value of 'http_x_api_key'"));
}

TEST_CASE("plan looks only at the requests that filters name") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 4; ++i) text += line("203.0.113.1", i);
  for (int i = 0; i < 3; ++i) text += line("203.0.113.1", i, "/static/x", "some bot/1", 404);
  const std::string log = folder.write("access.log", text);
  const auto requests = [&](const Arguments& filter) {
    Arguments arguments{"--policy", "3/1m"};
    arguments.insert(arguments.end(), filter.begin(), filter.end());
    const json plan = plan_of(log, arguments);
    CHECK(plan["requests"] == plan["policies"][0]["requests"]);
    return plan["requests"];
  };
  CHECK(requests({}) == 7);
  CHECK(requests({"--only", "path=/api/*"}) == 4);
  CHECK(requests({"--exclude", "user_agent=*bot*"}) == 4);
  CHECK(requests({"--only", "status=4xx"}) == 3);
  CHECK(requests({"--only", "path=/api/*", "--only", "path=/static/*"}) == 7);
  CHECK(requests({"--only", "method=GET", "--exclude", "status=404"}) == 4);
  const auto refusal = [&](const Arguments& filters) {
    Arguments arguments{"plan", log, "--policy", "3/1m"};
    arguments.insert(arguments.end(), filters.begin(), filters.end());
    const Outcome outcome = run_rlctl(arguments);
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK(contains(refusal({"--only", "path=/nomatch*"}), "--only: no request is left of 7"));
  CHECK(contains(refusal({"--exclude", "path=*"}), "--exclude: no request is left of 7"));
  CHECK(contains(refusal({"--only", "path=/api/*", "--exclude", "method=GET"}),
                 "--only and --exclude: no request is left of 7"));
}

TEST_CASE("where stamps leave it open, a worst window is a range, whatever the rules") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 6; ++i) text += line("203.0.113.1", i / 3);
  const std::string log = folder.write("access.log", text);
  for (const char* policy : {"2/1s", "bucket 2 + 1/1s"}) {
    CAPTURE(policy);
    const json planned = plan_of(log, {"--policy", policy})["policies"][0];
    CHECK(planned["worst_windows"]["max"] == 3);
    CHECK(planned["worst_windows_at_most"]["max"] == 6);
    CHECK(planned["clients"][0]["worst"] == 3);
    CHECK(planned["clients"][0]["worst_at_most"] == 6);
  }
  const Outcome outcome = run_rlctl({"plan", log, "--policy", "2/1s", "--csv", folder / "p.csv"});
  CHECK(contains(outcome.out, "  1s      key  3 to 6  3 to 6"));
  CHECK(contains(outcome.out, "3 to 6  2026-11-21 10:00:00"));
  CHECK(contains(folder.read("p.csv"), ",worst_at_most\n"));
  CHECK(contains(folder.read("p.csv"), ",6\n"));
  const Outcome minute = run_rlctl({"plan", log, "--policy", "2/1m"});
  CHECK(contains(minute.out, "  1m      key    6    6"));
}

TEST_CASE("the Markdown of a plan has as many clients as --most says") {
  const Folder folder;
  std::string text;
  for (int client = 1; client <= 12; ++client)
    for (int i = 0; i < 3; ++i) text += line("203.0.113." + std::to_string(client), i);
  const std::string log = folder.write("access.log", text);
  const auto rows = [&](const Arguments& most) {
    Arguments arguments{"plan", log, "--policy", "2/1m", "--markdown", folder / "p.md"};
    arguments.insert(arguments.end(), most.begin(), most.end());
    run_rlctl(arguments);
    const std::string page = folder.read("p.md");
    int found = 0;
    for (std::size_t at = 0; (at = page.find("\n| 203.0.113.", at)) != page.npos; ++at) ++found;
    return found;
  };
  CHECK(rows({}) == 10);
  CHECK(rows({"--most", "11"}) == 11);
  CHECK(rows({"--most", "all"}) == 12);
}

TEST_CASE("the text of a plan cuts a long name, JSON and CSV keep it") {
  const Folder folder;
  const std::string name(3'000, 'a');
  const std::string log = folder.write(
      "access.log", line("203.0.113.1", 0, "/", name) + line("203.0.113.1", 1, "/", name));
  const Arguments arguments{"plan", log,          "--policy", "1/1m",
                            "--by", "user_agent", "--csv",    folder / "p.csv"};
  const Outcome outcome = run_rlctl(arguments);
  CHECK(outcome.exit == 0);
  CHECK_FALSE(contains(outcome.out, std::string(41, '-')));
  CHECK(contains(outcome.out, std::string(26, 'a')));
  CHECK(contains(folder.read("p.csv"), name));
  const json plan = plan_of(log, {"--policy", "1/1m", "--by", "user_agent"});
  CHECK(plan["policies"][0]["clients"][0]["client"] == name);
}

TEST_CASE("the advice is the smallest limit that hurts no more than was allowed") {
  const Folder folder;
  std::string text;
  // Client n asks n times within its own minute, from 1 to 40.
  for (int client = 1; client <= 40; ++client)
    for (int i = 0; i < client; ++i) text += line("203.0.113." + std::to_string(client), i);
  text += line("198.51.100.1", 3'000);
  const std::string log = folder.write("access.log", text);
  const json plan = plan_of(log, {"--advise", "--hurt", "5%"});
  std::map<std::string, json> policies;
  for (const json& policy : plan["policies"]) policies[policy["policy"]] = policy;
  // Two of 41 clients may be hurt: those with 40 and 39 requests.
  REQUIRE(policies.contains("38/1m"));
  CHECK(policies["38/1m"]["clients_certain"] == 2);
  CHECK(policies["38/1m"]["clients_possible"] == 0);
  CHECK(policies["38/1m"]["certain"] == 3);
  CHECK(plan["policies"].size() == 3);  // too coarse for 1s, too short for 1h
  const Outcome outcome = run_rlctl({"plan", log, "--advise"});
  CHECK(contains(outcome.out,
                 "note: --advise has no limit for 1s, because a request's time is known only to "
                 "1.00 s; for 1h, because the log lasts only 50 m"));
  CHECK_FALSE(contains(run_rlctl({"plan", log, "--policy", "3/1m"}).out, "--advise"));
}

TEST_CASE(
    "a plan is written as page, Markdown and CSV, and nothing in a log is a formula or a tag") {
  const Folder folder;
  std::string text = line("<b>|\\x1b", 0, "/", "=cmd");
  for (int i = 0; i < 5; ++i) text += line("203.0.113.1", i, "/", "=cmd", 429);
  const std::string log = folder.write("access.log", text);
  const Outcome outcome =
      run_rlctl({"plan", log, "--policy", "1/1m", "--by", "user_agent", "-o", folder / "p.html",
                 "--markdown", folder / "p.md", "--csv", folder / "p.csv"});
  CHECK(outcome.exit == 0);
  CHECK(contains(outcome.out, "6 requests within"));
  CHECK(contains(folder.read("p.html"), "1/1m"));
  CHECK_FALSE(contains(folder.read("p.html"), "Medians over"));  // as of a bench
  CHECK(contains(folder.read("p.md"), "| 1/1m | user\\_agent |"));
  CHECK(contains(folder.read("p.csv"), "\"1/1m\",\"user_agent\",\"'=cmd\",certain,6,5,5,5,5,"));
}

TEST_CASE("a plan against the policy in force shows who is newly hit and who is freed") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 5; ++i) text += line("203.0.113.5", i * 25);  // slowly
  for (int i = 0; i < 4; ++i) text += line("203.0.113.4", i);       // quickly
  const std::string log = folder.write("access.log", text);
  const std::string current =
      folder.write("current.json", run_rlctl({"plan", log, "--json", "--policy", "4/1h"}).out);
  const json plan = plan_of(log, {"--policy", "3/1m", "--against", current});
  CHECK(plan["in_force"] == "4/1h");
  const json& changes = plan["policies"][0]["changes"];
  REQUIRE(changes.size() == 2);
  CHECK(changes[0]["client"] == "203.0.113.4");
  CHECK(changes[0]["newly"] == true);
  CHECK(changes[1]["client"] == "203.0.113.5");
  CHECK(changes[1]["newly"] == false);
  const Outcome shown = run_rlctl({"plan", log, "--policy", "3/1m", "--against", current});
  CHECK(contains(shown.out, "3/1m by key against 4/1h"));
  CHECK(contains(shown.out, "1 client newly hit, 1 freed"));
  const std::string scenario = folder.write(
      "x.json", R"({"policies": {"api": {"rules": "4/1h"}}} // comments may stand there)");
  CHECK(plan_of(log, {"--policy", "3/1m", "--against", scenario})["in_force"] == "4/1h");
  const Outcome none = run_rlctl({"plan", log, "--policy", "3/1m", "--against", log});
  CHECK(none.exit == 2);
  CHECK(contains(none.err, "has no policy"));
}

TEST_CASE("the worst hour of a log becomes a scenario that proves the policy") {
  const Folder folder;
  std::string text = line("203.0.113.9", 0);
  for (int i = 0; i < 9; ++i) text += line("203.0.113.1", 3'600 + i);
  for (int i = 0; i < 2; ++i) text += line("203.0.113.2", 3'700 + i);
  const std::string log = folder.write("access.log", text);
  for (const char* policy : {"4/1m", "4/1m fixed", "bucket 4 + 4/1m"}) {
    CAPTURE(policy);
    plan_of(log, {"--policy", policy, "--by", "ip", "--scenario", folder / "out.json"});
    const Outcome run = run_rlctl({"run", folder / "out.json", "--json"});
    INFO(run.out, run.err);
    CHECK(run.exit == 0);
    CHECK(json::parse(run.out)["scenarios"][0]["outcome"] == "passed");
    CHECK(contains(folder.read("out.jsonl"), "203.0.113.2"));
    CHECK_FALSE(contains(folder.read("out.jsonl"), R"("key":"203.0.113.9")"));
  }
  const Outcome two = run_rlctl(
      {"plan", log, "--policy", "4/1m", "--policy", "5/1m", "--scenario", folder / "out.json"});
  CHECK(two.exit == 2);
  const Outcome none =
      run_rlctl({"plan", log, "--policy", "4/1m first-hit", "--scenario", folder / "out.json"});
  CHECK(none.exit == 2);
  CHECK(contains(none.err, "no shipped algorithm plays 4/1m first-hit"));
  CHECK(contains(none.err, ": none has windows that begin at a request, as keys expire there; "));
  const Outcome denied =
      run_rlctl({"plan", log, "--policy", "4/1m, denied count", "--scenario", folder / "out.json"});
  CHECK(contains(denied.err, ": none has a rule that counts denied requests; leave --scenario "));
}

TEST_CASE("the log beside a scenario overwrites no input and no other output") {
  const Folder folder;
  const std::string log = folder.write("access.jsonl", small_log());
  const Arguments policy{"--policy", "2/10s"};
  const auto refusal = [&](const Arguments& more) {
    Arguments arguments = policy;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return refusal_of(log, arguments);
  };
  CHECK(
      contains(refusal({"--scenario", folder / "access.json"}), "access.jsonl' is also an input"));
  CHECK(folder.read("access.jsonl") == small_log());
  const std::string twice = refusal({"--scenario", folder / "x.json", "--csv", folder / "x.jsonl"});
  CHECK(contains(twice, "two outputs can't both go to"));
  CHECK(contains(refusal({"--scenario", folder / "x.jsonl"}), "two outputs can't both go to"));
  CHECK(contains(refusal({"--scenario", "-"}), "--scenario: standard output has no place"));
  CHECK_FALSE(std::filesystem::exists(folder / "x.jsonl"));
  const std::string force = folder.write("x.json", R"({"policies": {"a": {"rules": "4/1h"}}})");
  CHECK(contains(refusal({"--against", force, "--csv", force}), "is also an input"));
}

TEST_CASE("the log beside a scenario replaces that of an earlier plan, and nothing else") {
  const Folder folder;
  const std::string log = folder.write("access.log", small_log());
  const Arguments plan{"--policy", "2/10s", "--scenario", folder / "keep.json"};
  const std::string run = run_rlctl({"simulate", "bot", "--log", "-"}).out;
  for (const std::string& other : {std::string("mine\n"), run}) {
    folder.write("keep.jsonl", other);
    CHECK(contains(refusal_of(log, plan), "keep.jsonl', which is not a log of an earlier plan"));
    CHECK(folder.read("keep.jsonl") == other);
    CHECK_FALSE(std::filesystem::exists(folder / "keep.json"));
  }
  std::filesystem::remove(folder / "keep.jsonl");
  plan_of(log, plan);
  folder.write("access.log", small_log() + line("203.0.113.2", 2));
  plan_of(log, plan);
  CHECK(contains(folder.read("keep.jsonl"), "203.0.113.2"));
}

TEST_CASE("a table or a page of a plan on standard output is alone there") {
  const Folder folder;
  const std::string log = folder.write("access.log", small_log());
  for (const char* format : {"--csv", "--html", "--markdown"}) {
    CAPTURE(format);
    const Arguments plan{"plan", log, "--policy", "1/10s", format, "-"};
    const Outcome alone = run_rlctl(plan);
    CHECK(alone.exit == 0);
    CHECK_FALSE(contains(alone.out, "2 requests within 2.00 s\n  from"));
    CHECK(contains(alone.err, "2 requests within 2.00 s\n  from"));
    CHECK(contains(refusal_of(log, {"--policy", "1/10s", "--json", format, "-"}),
                   "two outputs can't both go to standard output"));
  }
}

TEST_CASE("plan refuses the policies that simulate refuses, and for the same reason") {
  const Folder folder;
  const std::string log = folder.write("access.log", small_log());
  for (const char* policy : {"none", "0/1s", "5/10us", "bucket 0 + 1/1s"}) {
    CAPTURE(policy);
    const Outcome simulated = run_rlctl({"simulate", "bot", "--policy", policy});
    CHECK(simulated.exit == 2);
    CHECK(refusal_of(log, {"--policy", policy}) == simulated.err);
  }
}

TEST_CASE("requests in flight are planned only if it is known how long they took") {
  const Folder folder;
  const std::string log = folder.write("access.log", small_log());
  const std::string force = folder.write("x.json", R"({"policies": [{"policy": "1 in flight"}]})");
  for (const Arguments& asked :
       {Arguments{"--policy", "1 in flight"}, {"--policy", "1/1m", "--against", force}}) {
    const std::string refused = refusal_of(log, asked);
    CHECK(contains(refused, "the log has no durations"));
    CHECK(contains(refused, "--longest 5s"));
  }
  const json plan = plan_of(log, {"--policy", "1 in flight", "--longest", "5s"});
  CHECK(plan["policies"][0]["at_most"] == 2);
  const std::string timed = folder.write(
      "t.jsonl", R"({"time": 1795255201, "key": "a", "status": 200, "duration_ms": 2})");
  CHECK(plan_of(timed, {"--policy", "1 in flight"})["policies"][0]["at_most"] == 0);
}

TEST_CASE("plan refuses a share of hurt clients without the advice that it is for") {
  const Folder folder;
  const std::string log = folder.write("access.log", small_log());
  CHECK(contains(refusal_of(log, {"--policy", "2/10s", "--hurt", "1%"}),
                 "--hurt does not apply without --advise"));
}

TEST_CASE("the policy in force is read from a scenario as run reads it") {
  const Folder folder;
  const std::string log = folder.write("access.log", small_log());
  const auto in_force = [&](const std::string& policy) {
    const std::string file = folder.write("s.json", "{\"policies\": {\"api\": " + policy + "}}");
    return plan_of(log, {"--policy", "1/10s", "--against", file})["in_force"];
  };
  CHECK(in_force(R"({"algo": "fixed", "limit": 100, "window": "60s"})") == "100/1m");
  CHECK(in_force(R"({"limit": 2, "window": "10s", "block": "1m"})") == "2/10s, block 1m");
  CHECK(in_force(R"({"rules": "2/10s & 5/1m"})") == "2/10s & 5/1m");
  const std::string wrong = folder.write("w.json", "{\"policies\":\n {\"api\": {\"limit\": 0}}}");
  const std::string refused = refusal_of(log, {"--policy", "1/10s", "--against", wrong});
  CHECK(contains(refused, "w.json:2:"));
  CHECK(contains(refused, "/policies/api/limit"));
  CHECK(contains(refused, "\"window\": \"60s\""));
  for (const char* text : {R"({"policies": {}})", R"({"policies": []})", R"({"policies": 7})"})
    CHECK(
        contains(refusal_of(log, {"--policy", "1/10s", "--against", folder.write("n.json", text)}),
                 "has no policy"));
}

TEST_CASE("formats lists what is recognized, and each name is one for --format") {
  const Outcome list = run_rlctl({"formats"});
  CHECK(list.exit == 0);
  CHECK(contains(list.out, "Kubernetes ingress-nginx"));
  CHECK(contains(list.out, "not said"));
  const json formats = json::parse(run_rlctl({"formats", "--json"}).out);
  std::set<std::string> names;
  for (const json& format : formats["formats"]) names.insert(format["name"]);
  for (const char* name : {"combined", "haproxy", "envoy", "traefik", "caddy", "aws-alb",
                           "cloudfront", "gcp", "cloudflare", "iis", "json", "csv"})
    CHECK(names.contains(name));
  CHECK(formats["wrappers"].size() >= 5);
}

TEST_CASE("verify names the option to type for a log that it does not know, however short") {
  const Folder folder;
  for (const int lines : {1, 20, 30}) {
    CAPTURE(lines);
    std::string text;
    for (int i = 0; i < lines; ++i) text += "2026-11-21T10:00:00Z <203.0.113.7> x\x1b[2J 200\n";
    const Outcome outcome = run_rlctl({"verify", folder.write("x.log", text), "--policy", "1/1s"});
    CHECK(outcome.exit == 2);
    CHECK(contains(outcome.err, "is not in a known log format; its first line has a time"));
    CHECK(contains(outcome.err, "--format '$time_local $v2 $v3 $status'"));
    CHECK_FALSE(contains(outcome.err, "\x1b"));
  }
}

TEST_CASE("a scenario and its log are written both or not at all") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 60; ++i) text += line("203.0.113.1", i / 5);
  const std::string log = folder.write("access.log", text);
  // The scenario fits, its log does not.
  const Outcome full =
      run_program("sh", {"-c", "trap '' XFSZ; ulimit -f 1; '" RLCTL_BINARY "' plan '" + log +
                                   "' --policy 2/10s --scenario '" + (folder / "d.json") + "'"});
  CHECK(full.exit == 5);
  CHECK(contains(full.err, "d.jsonl': File too large"));
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "."))
    left.insert(entry.path().filename());
  CHECK(left == std::set<std::string>{"access.log"});
}

TEST_CASE("a pipe is read once, and never written as the log beside a scenario") {
  const Folder folder;
  const std::string log = folder.write("access.log", small_log());
  const Arguments plan{"--policy", "2/10s", "--scenario", folder / "d.json"};
  const std::string pipe = folder / "d.jsonl";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(contains(refusal_of(log, plan), "d.jsonl', which is not a log of an earlier plan"));
  CHECK(contains(refusal_of(pipe, plan), "d.jsonl' is a pipe that is also an input"));
  CHECK(contains(refusal_of(pipe, {"--policy", "2/10s", "--html", pipe}), "also an input"));
  CHECK_FALSE(std::filesystem::exists(folder / "d.json"));
  const Outcome fed =
      run_program("sh", {"-c", "cat '" + log + "' >'" + pipe + "' & '" RLCTL_BINARY "' plan '" +
                                   pipe + "' --policy 2/10s --by ip --json"});
  CHECK(fed.exit == 0);
  CHECK(json::parse(fed.out)["requests"] == 2);
}
