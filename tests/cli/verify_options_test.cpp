// Facts that the user adds because the log does not contain them: each option changes a verdict.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/support/verify_fixture.h"

using nlohmann::json;

namespace {

// Decided at one instant, as reported by a limiter with its own time stamps.
std::string at(long long at_us, const char* outcome) {
  const std::string time = std::to_string(kStart + at_us);
  return R"({"sent_us":)" + time + R"(,"received_us":)" + time + R"(,"server_us":)" + time +
         R"(,"outcome":")" + outcome + "\",\"key\":\"k\"}\n";
}

std::string three_at(long long at_us) {
  return line(at_us, "allowed") + line(at_us + 100, "allowed") + line(at_us + 200, "allowed");
}

json verdict_with(const Arguments& more, const std::string& log) {
  Arguments arguments{"-", "--json"};
  arguments.insert(arguments.end(), kThree.begin(), kThree.end());
  const Outcome outcome = verify(arguments, more, log);
  INFO(outcome.err);
  REQUIRE(!outcome.out.empty());
  return json::parse(outcome.out);
}

std::string own_verdict(const Arguments& more, const std::string& log) {
  return verdict_with(more, log)["own_contract"]["verdict"];
}

int exit_of(const Arguments& more, const std::string& log) {
  Arguments arguments{"-"};
  arguments.insert(arguments.end(), kThree.begin(), kThree.end());
  return verify(arguments, more, log).exit;
}

// Wrong for some keys, by too many admissions and by false denials. Of 400 keys one has half of
// all.
std::string mixed_log(int records) {
  std::string text;
  for (int i = 0; i < records; ++i) {
    const int draw = static_cast<int>((i * 7919LL) % 1'000);
    const std::string key = "user:" + std::to_string(i % 2 == 0 ? 0 : draw % 400);
    text += line(i * 977LL,
                 draw % 5 < 3  ? "allowed"
                 : draw == 999 ? "unknown"
                               : "denied",
                 key.c_str());
  }
  return text;
}

std::string access_log(int records) {
  std::string text;
  for (int i = 0; i < records; ++i)
    text += "10.0.0." + std::to_string(i % 50) +
            " - - [14/Nov/2023:22:" + std::to_string(10 + i / 600 % 50) + ":" +
            std::to_string(10 + i / 12 % 50) + " +0000] \"GET / HTTP/1.1\" " +
            (i % 3 == 0 ? "429" : "200") + " 5 \"-\" \"x\"\n";
  return text;
}

void same_answer(const std::string& log, const Arguments& options) {
  for (const Arguments& output : {Arguments{}, Arguments{"--json"}, Arguments{"--most", "all"},
                                  Arguments{"--json", "--most", "all"}}) {
    Arguments arguments{log};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), output.begin(), output.end());
    const Outcome whole = verify(arguments);
    const Outcome spilled = verify(arguments, {"--memory", "64K"});
    CAPTURE(options.front());
    CHECK(!whole.out.empty());
    CHECK(spilled.out == whole.out);
    CHECK(spilled.exit == whole.exit);
    CHECK(contains(spilled.err, "--memory: "));  // one key has half of all
  }
}

}  // namespace

TEST_CASE("--closed: an admission exactly one window old still counts") {
  const std::string log = at(0, "allowed") + at(1, "allowed") + at(2, "allowed") + at(3, "denied") +
                          at(1'000'000, "allowed");
  CHECK(exit_of({}, log) == 0);
  CHECK(exit_of({"--closed"}, log) == 1);
}

TEST_CASE("--tolerance: a limiter with a coarse clock may be early by that much") {
  const std::string log = at(0, "allowed") + at(1, "allowed") + at(2, "allowed") + at(3, "denied") +
                          at(999'400, "allowed");
  CHECK(exit_of({}, log) == 1);
  CHECK(exit_of({"--tolerance", "1ms"}, log) == 0);
}

TEST_CASE("--max-inflight: an unknown can't explain a denial long after it") {
  const std::string log = line(0, "unknown") + line(1'000, "allowed") + line(4'000'000, "allowed") +
                          line(4'000'100, "allowed") + line(4'000'200, "denied");
  const Arguments bears{"--budget-unknown", "100%"};
  CHECK(exit_of(bears, log) == 0);
  CHECK(exit_of({"--budget-unknown", "100%", "--max-inflight", "1s"}, log) == 1);
  CHECK(exit_of({"--budget-unknown", "100%", "--max-inflight", "4s"}, log) == 0);
}

TEST_CASE("--history-from and --fresh: there were no admissions before the log") {
  const std::string log = line(0, "allowed") + line(500'000, "denied");
  CHECK(verdict_with({}, log)["totals"]["unverifiable_denials"] == 1);
  CHECK(exit_of({}, log) == 4);
  CHECK(exit_of({"--fresh"}, log) == 1);
  const std::string notes = verdict_with({"--fresh"}, log)["notes"].dump();
  CHECK(contains(notes, "assumed: the limiter had not counted these keys before (fresh)"));
  CHECK(exit_of({"--history-from", "2023-11-14T22:13:18Z"}, log) == 1);
  CHECK(exit_of({"--history-from", "1700000000"}, log) == 4);
}

TEST_CASE("--counts-denied: a denied request explains the next denial") {
  const std::string log = at(0, "allowed") + at(500'000, "denied") + at(1'200'000, "denied");
  CHECK(verify({"-", "--limit", "1", "--window", "1s"}, {}, log).exit == 1);
  CHECK(verify({"-", "--limit", "1", "--window", "1s"}, {"--counts-denied"}, log).exit == 0);
}

TEST_CASE("--block: after a denial everything is denied for that long") {
  const std::string log = burst(3) + line(2'500'000, "denied");
  CHECK(exit_of({}, log) == 1);
  CHECK(exit_of({"--block", "3s"}, log) == 0);
}

TEST_CASE("the phase of a fixed window says where its windows start") {
  const std::string log = three_at(900'000) + three_at(1'100'000) + line(1'150'000, "denied");
  CHECK(own_verdict({"--contract", "limit/window fixed"}, log) == "holds");
  CHECK(own_verdict({"--contract", "limit/window fixed+500ms"}, log) == "violated");
  CHECK(own_verdict({"--contract", "limit/window fixed+?"}, log) == "holds");
}

TEST_CASE("--offset: windows are aligned to the limiter's clock, not to ours") {
  const Arguments fixed{"--contract", "limit/window fixed"};
  const auto with_offset = [&](const char* offset) {
    Arguments arguments = fixed;
    arguments.insert(arguments.end(), {"--offset", offset});
    return arguments;
  };
  // Three long before the edge and three 1 ms after it, by our clock.
  const std::string log = three_at(500'000) + three_at(1'001'000) + line(1'010'000, "denied");
  CHECK(own_verdict(fixed, log) == "holds");
  CHECK(own_verdict(with_offset("-5ms..-4ms"), log) == "violated");
  CHECK(own_verdict(with_offset("-5ms..5ms"), log) == "holds");
  // And three 1 ms before it.
  const std::string early = three_at(500'000) + three_at(998'000) + line(1'010'000, "denied");
  CHECK(own_verdict(fixed, early) == "violated");
  CHECK(own_verdict(with_offset("4ms..5ms"), early) == "holds");
}

TEST_CASE("--budget-unknown: too many unknowns give no verdict, and the report says which") {
  std::string log = burst(3);
  for (int i = 0; i < 95; ++i) log += line(5'000 + i, "denied");
  const std::string unknown = line(6'000, "unknown");
  CHECK(exit_of({}, log + unknown) == 0);  // 1 of 101
  const json over = verdict_with({}, log + unknown + unknown);
  CHECK(over["verdict"] == "inconclusive");
  CHECK(over["reason"].get<std::string>().starts_with(
      "2 of 102 requests have an unknown outcome: the budget is 1 %"));
  CHECK(contains(over["remedy"], "--budget-unknown"));
  CHECK(exit_of({}, log + unknown + unknown) == 4);
  CHECK(exit_of({"--budget-unknown", "2%"}, log + unknown + unknown) == 0);
}

TEST_CASE("--budget-unknown: statuses in neither set are named") {
  std::string log;
  const auto access = [&](int status) {
    log += "10.0.0.1 - - [14/Nov/2023:22:13:20 +0000] \"GET / HTTP/1.1\" " +
           std::to_string(status) + " 5\n";
  };
  for (const int status : {200, 200, 200, 429, 404, 404, 502}) access(status);
  const json over = verdict_with({}, log);
  CHECK(over["verdict"] == "inconclusive");
  CHECK(contains(over["reason"], "(status 404: 2, status 502: 1)"));
  CHECK(contains(over["remedy"], "--allowed"));
  CHECK(exit_of({"--allowed", "100-399", "--denied", "404,429,502"}, log) == 0);
}

TEST_CASE("--budget-late: a late load generator did not play the attack") {
  std::string log = burst(3);
  log += R"({"intended_us":)" + std::to_string(kStart - 20'000) +
         line(5'000, "denied").replace(0, 1, ",");
  const json late = verdict_with({}, log);
  CHECK(late["verdict"] == "inconclusive");
  CHECK(late["reason"] == "1 of 6 requests was sent more than 10ms late: the budget is 1 %");
  CHECK(contains(late["remedy"], "--budget-late"));
  CHECK(exit_of({"--budget-late", "20%"}, log) == 0);
}

TEST_CASE("a contract by the policy's names needs a policy") {
  const Outcome outcome =
      run_rlctl({"verify", "-", "--contract", "limit/window"}, at(0, "allowed") + at(9, "denied"));
  CHECK(outcome.exit == 2);
  CHECK(contains(outcome.err, "--contract: the limit is not a whole number"));
}

TEST_CASE("verify --memory gives the same answer, whatever the policy") {
  const Folder folder;
  const std::string log = folder.write("log.jsonl", mixed_log(20'000));
  for (const char* policy : {"3/1s", "500/1s fixed", "5/1s & 20/1m", "bucket 9 + 10/1s",
                             "4/1s first-hit", "3/1s, block 5s", "50 in flight"})
    same_answer(log, {"--policy", policy, "--fresh"});
}

TEST_CASE("verify --memory gives the same answer for an access log without durations") {
  const Folder folder;
  same_answer(folder.write("access.log", access_log(30'000)), {"--limit", "5", "--window", "1s"});
}

TEST_CASE("verify --memory leaves nothing behind, and needs a folder for it") {
  const Folder folder;
  const std::string log = folder.write("log.jsonl", mixed_log(20'000));
  const std::filesystem::path temporary = folder / "temporary";
  std::filesystem::create_directory(temporary);
  const Arguments all{"verify", log, "--policy", "3/1s", "--memory", "64K"};
  CHECK(run_rlctl(all, {}, {"TMPDIR=" + temporary.string()}).exit == 1);
  CHECK(std::filesystem::is_empty(temporary));
  const Outcome refused = run_rlctl(all, {}, {"TMPDIR=" + (folder / "none")});
  CHECK(refused.exit == 3);
  CHECK(contains(refused.err, "can't make a temporary file in '"));
  CHECK(contains(refused.err, "set TMPDIR"));
}

TEST_CASE("verify --memory refuses what needs all records at once") {
  const Folder folder;
  const std::string log = folder.write("log.jsonl", mixed_log(100));
  for (const Arguments& options :
       {Arguments{"--policy", "3/1s", "--infer"}, Arguments{"--policy", "3/1s, per user"},
        Arguments{"--policy", "3 in flight", "--held-at-least", "1ms"}}) {
    Arguments arguments{log, "--memory", "1M"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome refused = verify(arguments);
    CHECK(refused.exit == 2);
    CHECK(contains(refused.err, "need all records at once"));
  }
  CHECK(contains(verify({log, "--policy", "3/1s", "--memory", "2"}).err, "512M or 2G"));
}
