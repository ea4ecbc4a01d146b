// Facts that the user adds because the log does not contain them: each option changes a verdict.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/verify_fixture.h"
#include "tools/folder.h"

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

TEST_CASE("a header that says that no key was used before counts as --fresh") {
  const auto with = [](const std::string& member) {
    return R"({"rlctl_log":2)" + member + "}\n" + line(0, "allowed") + line(500'000, "denied");
  };
  const std::string assumed = "assumed: the limiter had not counted these keys before (fresh)";
  CHECK(exit_of({}, with("")) == 4);
  const std::string own = with(R"(,"fresh":true)");
  CHECK(exit_of({}, own) == 1);
  CHECK_FALSE(contains(verdict_with({}, own)["notes"].dump(), assumed));
  const std::string promised = with(R"(,"fresh":true,"fresh_is_promised":true)");
  CHECK(exit_of({}, promised) == 1);
  CHECK(contains(verdict_with({}, promised)["notes"].dump(), assumed));
  // The user knows that requests before that time are missing.
  CHECK(exit_of({"--history-from", "1700000000"}, own) == 4);
}

TEST_CASE("budgets and allowances in a header count as options, which go before them") {
  const auto with = [](const std::string& members, const std::string& records) {
    return R"({"rlctl_log":2)" + members + "}\n" + records;
  };
  const std::string full = line(0, "allowed") + line(1'000, "allowed") + line(2'000, "allowed");
  const std::string unknown = full + line(3'000, "unknown") + line(4'000, "denied");
  CHECK(exit_of({}, with("", unknown)) == 4);
  const std::string bears = with(R"(,"budgets":{"unknown":1})", unknown);
  CHECK(exit_of({}, bears) == 0);
  CHECK(exit_of({"--budget-unknown", "1%"}, bears) == 4);

  const std::string wrong = with(R"(,"fresh":true,"false_denials":0.5)",
                                 line(0, "denied") + full + line(4'000, "denied"));
  CHECK(exit_of({}, wrong) == 0);
  CHECK(exit_of({"--budget-false-denials", "0%"}, wrong) == 1);

  const std::string late = line(0, "unknown") + line(1'000, "allowed") +
                           line(4'000'000, "allowed") + line(4'000'100, "allowed") +
                           line(4'000'200, "denied");
  CHECK(exit_of({}, with(R"(,"max_inflight_us":1000000,"budgets":{})", late)) == 1);
  CHECK(exit_of({}, with(R"(,"max_inflight_us":4000000,"budgets":{})", late)) == 0);
  CHECK(exit_of({}, with(R"(,"budgets":{"unknown":"all"})", late)) == 2);

  // No log of several excuses another one, whichever comes first.
  const rlctl::test::Folder folder;
  const std::string lenient = folder.write("lenient.jsonl", bears);
  const std::string strict = folder.write("strict.jsonl", with("", line(9'000'000, "allowed")));
  for (const Arguments& logs : {Arguments{lenient, strict}, {strict, lenient}}) {
    Arguments arguments = logs;
    arguments.insert(arguments.end(), kThree.begin(), kThree.end());
    CHECK(verify(arguments, {}, "").exit == 4);
  }
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

TEST_CASE("--allowed and --denied go before the outcomes of rlctl's own logs") {
  const auto with_status = [](long long at_us, const char* outcome, int status) {
    std::string text = line(at_us, outcome);
    return text.replace(text.size() - 2, 2, ",\"status\":" + std::to_string(status) + "}\n");
  };
  std::string log = three_at(0) + line(400, "failed");
  for (int i = 5; i < 8; ++i) log += with_status(i * 100, "unknown", 503);
  const Arguments bears{"--budget-unknown", "100%", "--budget-failed", "100%"};
  const auto totals = [&](Arguments more) {
    more.insert(more.end(), bears.begin(), bears.end());
    return verdict_with(more, log);
  };
  const json silent = totals({});
  CHECK(silent["totals"]["denied"] == 0);
  CHECK(contains(silent["notes"].dump(), "add --denied 503"));
  for (const Arguments& said :
       {Arguments{"--denied", "503"}, {"--allowed", "200", "--denied", "429,503"}}) {
    const json judged = totals(said);
    CHECK(judged["totals"]["denied"] == 3);
    CHECK(judged["totals"]["failed"] == 1);
    CHECK_FALSE(contains(judged["notes"].dump(), "add --denied"));
  }
  CHECK(totals({"--allowed", "503"})["totals"]["allowed"] == 6);
  // What the run admitted by a status that is not named stays admitted.
  log += with_status(900'000, "allowed", 404);
  CHECK(totals({"--denied", "503"})["totals"]["allowed"] == 4);
  CHECK(totals({"--allowed", "200"})["totals"]["allowed"] == 3);
}

TEST_CASE("an option of foreign logs is refused where it changes nothing") {
  const std::string own = "{\"rlctl_log\":2}\n" + three_at(0);
  const auto refused = [](const Arguments& more, const std::string& log) {
    const Outcome outcome = verify({"-", "--policy", "3/1s"}, more, log);
    CHECK(outcome.exit == 2);
    return outcome.err;
  };
  for (const std::string& log : {own, three_at(0)}) {
    CHECK(contains(refused({"--stamp", "start"}, log), "--stamp has no effect on a log with "));
    CHECK(contains(refused({"--longest", "5s"}, log), "leave out --longest"));
    CHECK(contains(refused({"--duration-column", "took"}, log), "leave out --duration-column"));
    CHECK(contains(refused({"--name-column", "user=x"}, log),
                   "--name-column user=x: no line has a column 'x'; the columns are sent_us, "));
  }
  CHECK(contains(refused({"--format", "nginx"}, own), "--format nginx has no effect on a log of "));
  CHECK(contains(refused({"--format", "csv"}, own), "leave out --format"));
  CHECK(verify({"-", "--policy", "3/1s", "--format", "json"}, {}, own).exit == 4);
}

TEST_CASE("one unreadable line was ignored, two were") {
  const auto said = [](int bad) {
    std::string log = burst(3);
    for (int i = 0; i < bad; ++i) log += "noise\n";
    return verify({"-", "--policy", "3/1s", "--budget-bad-lines", "50%"}, {}, log).out;
  };
  CHECK(contains(said(1), "1 of 6 lines could not be read and was ignored"));
  CHECK(contains(said(2), "2 of 7 lines could not be read and were ignored"));
}

TEST_CASE("the parts of a run that are here, and those that are missing, are named") {
  const Folder folder;
  const auto part = [&](const std::string& shard) {
    return folder.write(shard.substr(0, 1),
                        R"({"rlctl_log":2,"run_id":"r","shard":")" + shard + "\"}\n" + burst(3));
  };
  const auto reason = [](const Arguments& logs) {
    return json::parse(verify(logs, {"--policy", "3/1s", "--json"}).out)["reason"];
  };
  CHECK(reason({part("1/3")}) == "this log is only part 1/3 of a run; missing: 2/3, 3/3");
  CHECK(reason({part("1/3"), part("3/3")}) ==
        "this log has only the parts 1/3, 3/3 of a run; missing: 2/3");
}
