#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/support/verify_fixture.h"

using nlohmann::json;

namespace {

const char* const kHeader =
    R"({"rlctl_log":2,"algorithm":"fixed",)"
    R"("policy":{"rules":[{"kind":"sliding","limit":3,"window_us":1000000}]},)"
    R"("contract":[{"kind":"fixed","limit":3,"window_us":1000000,"phase_us":0}],"seed":1,"run_id":"r","shard":"1/1","command":""})"
    "\n";

}  // namespace

TEST_CASE("the policy and the contract of the header are both judged") {
  // Three before an edge of the aligned window and three after it: the boundary burst.
  std::string log = kHeader;
  for (const int at : {997, 998, 999, 1000, 1001, 1002}) log += line(at * 1'000, "allowed");
  log += line(1'003'000, "denied");
  const Outcome outcome = verify({"-", "--json"}, {}, log);
  CHECK(outcome.exit == 1);
  const json document = json::parse(outcome.out);
  CHECK(document["schema"] == "rlctl.verify/1");
  CHECK(document["verdict"] == "violated");
  CHECK(document["violations"] == json::array({"over_admission"}));
  CHECK(document["own_contract"]["verdict"] == "holds");
  CHECK(document["own_contract"]["rules"][0]["kind"] == "fixed");
  CHECK(document["totals"]["max_certain"] == 6);
  CHECK(document["totals"]["burst_factor"] == 2.0);
  CHECK(document["totals"]["worst_window"]["records"] == json::array({2, 3, 4, 5, 6, 7}));
  CHECK(document["keys"][0]["key"] == "k");
  CHECK(document["keys"][0]["proof"] == "containment");
}

TEST_CASE("the user's limit and contract override the header") {
  const std::string log = kHeader + burst(4);
  CHECK(verify({"-"}, {}, log).exit == 1);
  CHECK(verify({"-", "--limit", "4", "--contract", "none"}, {}, log).exit == 0);
  const json document =
      json::parse(verify({"-", "--json", "--contract", "bucket 4 + 3/1s"}, {}, log).out);
  CHECK(document["own_contract"]["rules"][0]["capacity"] == 4);
  CHECK(document["own_contract"]["verdict"] == "holds");
}

TEST_CASE("a stated limit is the policy's: the contract of the header stays") {
  const std::string header =
      R"({"rlctl_log":2,"policy":{"rules":[{"kind":"bucket","limit":10,"window_us":1000000,)"
      R"("capacity":21}]},"contract":[{"kind":"bucket","limit":10,"window_us":1000000,)"
      R"("capacity":21}]})"
      "\n";
  const json document = json::parse(
      verify({"-", "--json", "--fresh", "--limit", "30", "--window", "1s"}, {}, header + burst(21))
          .out);
  CHECK(document["policy"]["rules"][0]["kind"] == "sliding");
  CHECK(document["policy"]["rules"][0]["limit"] == 30);
  CHECK(document["own_contract"]["rules"][0]["capacity"] == 21);
  CHECK(document["own_contract"]["rules"][0]["limit"] == 10);
  CHECK(document["own_contract"]["verdict"] == "holds");
}

TEST_CASE("the limiter's two stamps are read from a log, and mistakes in them are named") {
  const auto stamped = [](const std::string& stamps) {
    return R"({"sent_us":1700000000000000,"received_us":1700000000000900,)" + stamps +
           R"("outcome":"allowed","key":"k"})" + "\n";
  };
  const auto told = [&](const std::string& stamps) {
    return verify({"-"}, kThree, burst(3) + stamped(stamps));
  };
  CHECK(contains(told(R"("server_from_us":1700000000000500,"server_us":1700000000000540,)").out,
                 "taken at most 40 µs after the decision"));
  CHECK(contains(told(R"("server_from_us":1700000000000500,"server_us":1700000000000400,)").err,
                 "server_from_us is after server_us"));
  CHECK(contains(told(R"("server_from_us":1700000000000500,)").err,
                 "server_from_us is given without server_us"));
}

TEST_CASE("the worst keys come first, and at most a hundred unless all are requested") {
  std::string log = burst(4, "worst");
  for (int key = 0; key < 150; ++key) log += burst(3, ("k" + std::to_string(key)).c_str());
  const json some = json::parse(verify({"-", "--json"}, kThree, log).out);
  CHECK(some["keys"].size() == 100);
  CHECK(some["keys"][0]["key"] == "worst");
  const json all = json::parse(verify({"-", "--json", "--most", "all"}, kThree, log).out);
  CHECK(all["keys"].size() == 151);
  const auto rows = [&](const Arguments& more) {
    Arguments arguments{"-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const std::string text = verify(arguments, kThree, log).out;
    const std::string table = text.substr(0, text.find("all 151 keys"));
    return std::count(table.begin(), table.end(), '\'');
  };
  CHECK(rows({}) == 2 * 10);
  CHECK(rows({"--most", "3"}) == 2 * 3);
  CHECK(rows({"--most", "15"}) == 2 * 15);
  CHECK(rows({"--most", "all"}) == 2 * 151);
}

TEST_CASE("what is true of every history is noted once, at the end") {
  const Folder folder;
  const std::string log = folder / "runs.jsonl";
  run_rlctl({"bench", "--only", "accuracy", "--algo", "fixed", "--algo", "fixed", "--log", log});
  const std::string text = run_rlctl({"verify", log}).out;
  const std::string note = "\nnote: up to 50 requests were in flight at once\n";
  REQUIRE(contains(text, note));
  CHECK(text.find(note) == text.rfind(note));
}

TEST_CASE("the log of a run with an outage is judged and reported") {
  const Folder folder;
  const std::string failed =
      R"({"sent_us":null,"received_us":null,"server_us":null,"outcome":"failed","key":"k"})";
  const std::string log = folder.write("run.jsonl", burst(3) + failed + "\n");
  const Outcome verdict = verify({log, "--fresh", "--budget-failed", "20%"}, kThree);
  INFO(verdict.err);
  CHECK(verdict.exit == 0);
  CHECK(contains(verdict.out, "1 of 6 requests failed before it was decided"));
  CHECK(verify({log, "--fresh"}, kThree).exit == 4);
  const Outcome page = run_rlctl({"report", log, "--limit", "3", "--window", "1s", "-o",
                                  folder / "r.html", "--csv", folder / "r.csv"});
  INFO(page.err);
  CHECK(page.exit == 0);
}

TEST_CASE("a log that was cut proves nothing, and says so") {
  const Folder folder;
  const std::string header = R"({"rlctl_log":2,"ends":true,"policy":{"rules":[)"
                             R"({"kind":"sliding","limit":3,"window_us":1000000}]}})";
  const std::string log =
      folder.write("run.jsonl", header + "\n" + burst(4) + R"({"sent_us":17000000)");
  const Outcome verdict = verify({log});
  INFO(verdict.out, verdict.err);
  CHECK(verdict.exit == 4);
  CHECK(contains(verdict.out, "the log was cut: it ends after 6 records"));
  CHECK(contains(verdict.out, "1 log ends in the middle of a line, which was ignored"));
}

TEST_CASE("of several logs, the one without a policy is named") {
  const Folder folder;
  const std::string header = R"({"rlctl_log":2,"algorithm":"a","policy":{"rules":[)"
                             R"({"kind":"sliding","limit":3,"window_us":1000000}]}})";
  const std::string with = folder.write("with.jsonl", header + "\n" + burst(4));
  const std::string without = folder.write("without.jsonl", burst(4));
  const Outcome refused = verify({with, without});
  CHECK(refused.exit == 2);
  CHECK(contains(refused.err, "there is no policy to judge by; '" + without +
                                  "' has no header with a policy; add --policy 100/1m"));
}

TEST_CASE("several files, packed or not, are one history") {
  const Folder folder;
  const std::string first = folder.write("a.jsonl", burst(3));
  const std::string second = packed(folder, "b.jsonl.gz", line(500'000, "allowed"));
  CHECK(verify({first}, kThree).exit == 0);
  const Outcome outcome = verify({first, second, "--json"}, kThree);
  CHECK(outcome.exit == 1);
  const json window = json::parse(outcome.out)["totals"]["worst_window"];
  CHECK(window["records"] == json::array({1, 2, 3, 1}));
  CHECK(window["files"][3] == second);
}

TEST_CASE("histories of several algorithms are judged separately, and the worst decides") {
  std::string second = kHeader;
  second.replace(second.find("fixed"), 5, "other");
  const json document =
      json::parse(verify({"-", "--json"}, {}, kHeader + burst(3) + second + burst(4)).out);
  CHECK(document["verdict"] == "violated");
  CHECK(document["algorithm"] == "other");
  REQUIRE(document["histories"].size() == 2);
  CHECK(document["histories"][0]["verdict"] == "holds");
}

TEST_CASE("a packed log that was cut is refused with the reason") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 2'000; ++i) text += line(i * 7'919 % 100'003, "allowed");
  const std::string path = packed(folder, "cut.gz", text);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const Outcome outcome = verify({path}, kThree);
  CHECK(outcome.exit == 2);
  CHECK(contains(outcome.err, "the file was cut"));
}

TEST_CASE("keys of a log can't control the terminal") {
  const Folder folder;
  const std::string path = folder.write("a.jsonl", burst(4, "\\u001b[2J\\u202e"));
  const Outcome shown = run_rlctl_on_terminal({"verify", path, "--limit", "3", "--window", "1s"});
  CHECK(shown.exit == 1);
  CHECK_FALSE(contains(shown.out, "\x1b[2J"));  // its own colours may stand there
  CHECK_FALSE(contains(shown.out, "\u202e"));
  CHECK(contains(shown.out, "\\x1b[2J"));
}

TEST_CASE("decisions that no order explains together are named") {
  const std::string log =
      "key,sent_us,received_us,outcome\nk,1000,7000,denied\nk,5000,11000,allowed\n"
      "k,11000,13000,denied\nk,16000,16000,denied\n";
  const Outcome outcome = run_rlctl({"verify", "-", "--policy", "1/6ms", "--fresh"}, log);
  CHECK(outcome.exit == 1);
  CHECK(contains(outcome.out, "No order of these decisions explains all of them:"));
  CHECK(contains(outcome.out, "line 3  'k'  allowed  1970-01-01 00:00:00.005000  6.00 ms"));
  CHECK(contains(outcome.out, "line 5"));
}

TEST_CASE("an access log with stamps in seconds gives no false proof") {
  // 3 in the last instant of a second and 3 one whole window later, as a sound limiter admits them.
  std::string log;
  for (const char* at : {"22:13:20", "22:13:21"})
    for (int i = 0; i < 3; ++i)
      log += std::string("10.0.0.1 - - [14/Nov/2023:") + at + " +0000] \"GET / HTTP/1.1\" 200 5\n";
  log += "10.0.0.1 - - [14/Nov/2023:22:13:21 +0000] \"GET / HTTP/1.1\" 429 5\n";
  CHECK(verify({"-"}, kThree, log).exit == 4);
  CHECK(verify({"-", "--limit", "3", "--window", "3s"}, {}, log).exit == 4);
  CHECK(verify({"-", "--limit", "3", "--window", "3s", "--longest", "0s"}, {}, log).exit == 1);
}

TEST_CASE("a - in an access log is no client: the requests without one are not counted together") {
  std::string log;
  for (const char* user : {"-", "-", "-", "bob"})
    log += "10.0.0.1 - " + std::string(user) +
           " [14/Nov/2023:22:13:21 +0000] \"GET / HTTP/1.1\" 200 5\n";
  const Arguments arguments{"-", "--key-column", "remote_user", "--policy", "1/10s"};
  const Outcome refused = verify(arguments, {}, log);
  CHECK(refused.exit == 2);
  CHECK(contains(refused.err, "3 of 4 lines cannot be read; --budget-bad-lines allows 1%"));
  CHECK(contains(refused.err, "the key is empty: name another column with --key-column"));
  Arguments without = arguments;
  without.insert(without.end(), {"--budget-bad-lines", "100%"});
  const Outcome judged = verify(without, {}, log);
  CHECK(judged.exit == 4);
  CHECK(contains(judged.out, "3 of 4 lines could not be read and were ignored"));
}

TEST_CASE("without durations, what slow requests may explain is inconclusive, and said first") {
  std::string log;
  for (int i = 0; i < 8; ++i)
    log += "10.0.0.1 - - [14/Nov/2023:22:13:2" + std::to_string(i) + " +0000] \"GET / HTTP/1.1\" " +
           (i < 7 ? "200" : "429") + " 5\n";
  const auto judged = [&](const Arguments& more) {
    Arguments arguments{"-", "--format", "nginx", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = verify(arguments, {}, log);
    INFO(outcome.err);
    return json::parse(outcome.out);
  };
  const json unknown = judged({"--policy", "4/30s"});
  CHECK(unknown["verdict"] == "inconclusive");
  CHECK(unknown["reason"].get<std::string>().starts_with("the log has no durations"));
  CHECK(unknown["notes"][0].get<std::string>().starts_with("the log has no durations"));
  CHECK(unknown["violations"].empty());
  CHECK(judged({"--policy", "4/30s", "--longest", "1s"})["verdict"] == "violated");
  CHECK(judged({"--policy", "4/5m"})["verdict"] == "violated");  // no request takes so long
}

TEST_CASE("a file without durations hides no violation that a file with durations proves") {
  const Folder folder;
  std::string timed = "time,key,status,duration\n", stamps;
  for (int i = 0; i < 5; ++i)
    timed += std::to_string(1'700'000'000'000 + i) + ",10.0.0.1,200,1ms\n";
  for (int i = 0; i < 5; ++i)
    stamps += "10.0.0.2 - - [14/Nov/2023:22:13:2" + std::to_string(i) +
              " +0000] \"GET / HTTP/1.1\" 200 5\n";
  const auto judged = [&] {
    return verify({folder.write("timed.csv", timed), folder.write("stamps.log", stamps), "--policy",
                   "4/10s"});
  };
  CHECK(judged().exit == 1);
  CHECK(contains(judged().out, "some lines of the log have no duration: "));
  timed.erase(timed.rfind("1700000000004"));  // now nothing but stamps speaks for an excess
  CHECK(judged().exit == 4);
  CHECK(contains(judged().out, "some lines of the log have no duration, and slow requests may"));
}

TEST_CASE("without options, verify finds the limit that a log kept") {
  const json document = json::parse(verify({"-", "--infer", "--json"}, kThree, burst(4)).out);
  CHECK(document["inferred"]["tightest_limit"] == 4);
  CHECK(document["inferred"]["bucket_at_rate"]["capacity"] == 4);
  const Outcome alone = verify({"-", "--infer"}, {}, burst(4));
  CHECK(alone.exit == 0);
  CHECK(contains(alone.out, "most admissions"));
}

TEST_CASE("verify says what a result or a scenario is that was given in place of a log") {
  const auto complaint = [](const std::string& text) { return verify({"-"}, kThree, text).err; };
  CHECK(contains(complaint("{\"schema\":\"rlctl.bench/1\",\"version\":\"0.1.0\"}\n"),
                 "is a result of rlctl bench, not a log; "));
  CHECK(contains(complaint("{\n  \"schema\": \"rlctl.run/1\",\n"), "is a result of rlctl run, "));
  CHECK(contains(complaint("{\n  \"name\": \"x\",\n  \"policies\": {}\n}\n"),
                 "is a scenario, not a log; "));
}
