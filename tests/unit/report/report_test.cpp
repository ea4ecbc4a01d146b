// The content of all report formats, for one judged log and for result files.
#include "report/page/report.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.h"
#include "report/page/formats.h"
#include "report/page/html_parts.h"
#include "report/page/of_logs.h"
#include "report/page/of_results.h"
#include "tools/contains.h"

using namespace rlctl;
using rlctl::test::contains;

namespace {

constexpr std::int64_t kStart = 1'700'000'000'000'000;
constexpr const char* kHostile = "</script><b>|`x`|=1+1,\"\x1b[2J https://evil.test www.evil.test";

Log burst(std::int64_t allowed, const std::string& name) {
  Log log;
  log.algorithm = name;
  log.policy = policy_of({Rule{.limit = 3, .window_us = 1'000'000}});
  log.contract = log.policy.rules;
  log.command = "rlctl bench --algo " + name;
  log.keys = {kHostile};
  log.phases = {"edge"};
  for (std::int64_t i = 0; i < allowed + 2; ++i) {
    Record record;
    record.intended_us = kStart + i * 1'000;
    record.sent_us = record.intended_us + 5;
    record.received_us = record.sent_us + 300;
    record.server_us = record.sent_us + 100;
    record.outcome = i < allowed ? Outcome::allowed : Outcome::denied;
    log.records.push_back(record);
  }
  return log;
}

Report report_of(std::initializer_list<Log> logs) {
  VerifyResult result;
  for (const Log& log : logs) {
    JudgedHistory history;
    history.parsed.log = log;
    history.verdict = judge(log);
    result.histories.push_back(std::move(history));
  }
  return report_of_logs(result, [](const Log&) { return JudgeOptions(); });
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

const std::string kBench = R"({"schema": "rlctl.bench/1", "version": "0.1.0", "run_id": "r",
  "policy": {"rules": [{"text": "100/1s", "kind": "sliding", "limit": 100}]}, "server": "redis 7.0.15", "connections": 50,
  "command": "rlctl bench", "algorithms": [
  {"name": "fixed", "decisions_per_second": 105029, "latency_us": {"p50": 475, "p99": 729},
   "server_cpu_us_per_decision": 9.42, "bytes_per_key": 88, "policy_verdict": "violated",
   "own_contract": "holds", "peak": 200, "burst_factor": 2, "accuracy_low": 50,
   "accuracy_high": 50,
   "attacks": [{"name": "aligned", "peak": 200, "worst_span_us": 123000}]},
  {"name": "sliding", "decisions_per_second": 66691, "policy_verdict": "holds", "peak": 100,
   "burst_factor": 1, "attacks": [{"name": "aligned", "peak": 100}]}]})";

}  // namespace

TEST_CASE("a run that found what it expected is not red") {
  Log log = burst(6, "mine");
  log.expected = "violated";
  const Report passed = report_of({log});
  CHECK(passed.mood == Mood::good);
  CHECK(passed.verdict == "passed");
  CHECK(passed.sentence ==
        "violated, as expected: 6 admissions within 5.00 ms, but the limit is 3 per 1s");
  log.expected = "holds";
  const Report failed = report_of({log});
  CHECK(failed.mood == Mood::bad);
  CHECK(failed.verdict == "failed");
  CHECK(failed.sentence.starts_with("expected holds, found violated: 6 admissions within"));
  log.expected = "violated";
  log.expected_own = "holds";  // its contract is the same, and broken too
  const Report own = report_of({log});
  CHECK(own.mood == Mood::bad);
  CHECK(own.sentence.starts_with("the limiter's own promise: expected holds, found violated: "));
  CHECK(own.runs[0].checks[0].mood == Mood::good);
  CHECK(own.runs[0].checks[1].mood == Mood::bad);
}

TEST_CASE("an expectation of the run that failed is the headline of its log") {
  Log log = burst(6, "mine");
  log.expected = "violated";
  log.expectations = {{"denied > 0", "held", "7"}, {"peak <= 3", "broken", "6"}};
  const Report report = report_of({log});
  CHECK(report.mood == Mood::bad);
  CHECK(report.verdict == "failed");
  CHECK(report.sentence == "peak <= 3: measured 6");
  CHECK(contains(report_markdown(report), "## ❌ failed: peak &lt;= 3: measured 6"));
  CHECK(contains(report_junit(report), "<failure type=\"violated\" message=\"measured 6\">"));
  log.expectations[1].result = "could_not_tell";
  CHECK(report_of({log}).verdict == "could not tell");
}

TEST_CASE("of several rules each has its line in the envelope and its own worst window") {
  Log log = burst(6, "mine");
  log.contract.clear();
  log.policy = policy_of(
      {Rule{.limit = 3, .window_us = 1'000'000}, Rule{.limit = 100, .window_us = 60'000'000}});
  const Report report = report_of({log});
  const RunPicture& picture = *report.runs[0].picture;
  CHECK(picture.rules.size() == 2);
  CHECK(picture.envelope.back().by_rule.size() == 2);
  const auto& rules = report.runs[0].tables.front();
  CHECK(rules.title == "Rules");
  CHECK(rules.rows[0][1].text == "broken");
  CHECK(rules.rows[1][1].text == "not broken");
  CHECK(contains(html_page(report, "1"), "3 per 1s in any window"));
}

TEST_CASE("the verdict that a run expects is that of its worst policy") {
  Log broken = burst(6, "mine");
  Log sound = burst(3, "other");
  broken.run_id = sound.run_id = "r";
  broken.expected = sound.expected = "violated";
  CHECK(report_of({sound, broken}).mood == Mood::good);
  CHECK(report_of({sound}).verdict == "failed");
  broken.run_id = "another";
  CHECK(report_of({sound, broken}).verdict == "failed");
  broken.run_id = "r";
  broken.expected = sound.expected = "holds";
  CHECK(report_of({sound, broken}).verdict == "failed");
  const Report two = report_of({sound, broken});
  CHECK(std::ranges::count(two.facts, "Run", &ReportFact::name) == 1);
}

TEST_CASE("one run: the headline is its verdict and its reason") {
  const Report report = report_of({burst(6, "mine")});
  CHECK(report.verdict == "violated");
  CHECK(report.mood == Mood::bad);
  CHECK(report.sentence == "6 admissions within 5.00 ms, but the limit is 3 per 1s");
}

TEST_CASE("several runs: the headline is the worst one's, with a count of the others") {
  const Report report = report_of({burst(3, "sound"), burst(6, "mine")});
  CHECK(report.verdict == "violated");
  CHECK(report.sentence.starts_with("mine: 6 admissions"));
  CHECK(report.sentence.ends_with("; sound holds"));
  REQUIRE(report.tables.size() == 1);
  CHECK(report.tables[0].rows.size() == 2);
  CHECK(report.commands.size() == 2);
}

TEST_CASE("the evidence is every record of a small worst window, the excess marked") {
  const Report report = report_of({burst(6, "mine")});
  REQUIRE(report.runs[0].evidence);
  const Evidence& evidence = *report.runs[0].evidence;
  CHECK(evidence.records == 6);
  REQUIRE(evidence.rows.size() == 6);
  CHECK(std::ranges::count_if(evidence.rows, &EvidenceRow::too_many) == 3);
  CHECK(evidence.rows[0].received_us - evidence.rows[0].sent_us == 300);
  CHECK(evidence.rows[0].decided_from_us == evidence.rows[0].decided_to_us);
}

TEST_CASE("of a large worst window both ends and the crossing are shown, with the total") {
  const Report report = report_of({burst(5'000, "mine")});
  const Evidence& evidence = *report.runs[0].evidence;
  CHECK(evidence.records > 900);
  CHECK(evidence.rows.size() < 250);
  CHECK(evidence.rows.front().number == 1);
  CHECK(evidence.rows.back().number == evidence.records);
}

TEST_CASE("a key can't end a script, open a tag or move a cursor") {
  const Report report = report_of({burst(6, "mine")});
  const std::string page = html_page(report, "1.0");
  CHECK_FALSE(holds(page, "<b>"));
  CHECK_FALSE(holds(page, "\x1b"));
  CHECK(count(page, "</script>") == 3);
  CHECK_FALSE(holds(html_data(report), "<"));
  for (const auto& text :
       {report_markdown(report), report_csv(report), report_junit(report), svg_picture(report)}) {
    CHECK_FALSE(holds(text, "\x1b"));
    CHECK_FALSE(holds(text, "<b>"));
  }
}

TEST_CASE("the page's security policy allows only scripts with the listed hashes") {
  const std::string page = html_page(report_of({burst(6, "mine")}), "1.0");
  CHECK(holds(page, "default-src 'none'; script-src 'sha256-"));
  CHECK(count(page, "'sha256-") == 3);
  CHECK_FALSE(holds(page, "unsafe-inline"));
  CHECK_FALSE(holds(page, " style=\""));
  CHECK_FALSE(holds(page, " onclick="));
}

TEST_CASE("the licence of the charts is in the page") {
  CHECK(holds(html_page(report_of({burst(6, "mine")}), "1.0"),
              "Permission is hereby granted, free of charge"));
}

TEST_CASE("on the virtual clock there is no latency") {
  Log log = burst(6, "mine");
  const auto told = [](const Report& report) {
    return std::ranges::any_of(report.runs[0].figures, [](const NamedFigure& figure) {
      return figure.name == "latency_sent_p50_us";
    });
  };
  CHECK(told(report_of({log})));
  log.clock = "virtual";
  CHECK_FALSE(told(report_of({log})));
  CHECK_FALSE(holds(html_page(report_of({log}), "1.0"), "data-chart=\"latency\""));
}

TEST_CASE("Markdown keeps a hostile value inside its cell") {
  const std::string text = report_markdown(report_of({burst(6, "mine")}));
  CHECK(holds(text, "## ❌ violated: 6 admissions within"));
  CHECK(holds(text, "\\|\\`x\\`\\|"));
  CHECK(holds(text, "https\\://evil.test www\\.evil.test"));  // else GitHub makes links of them
  CHECK(holds(text, "```\nrlctl bench --algo mine\n```"));
}

TEST_CASE("Markdown has the notes of every run, escaped") {
  Report report = report_of({burst(3, "mine")});
  report.runs[0].notes = {"counts only if `$request_time` is up to 1m"};
  CHECK(
      holds(report_markdown(report), "\n\n- counts only if \\`\\$request\\_time\\` is up to 1m\n"));
  append_report(report_of({burst(6, "other")}), report);  // then the good run has no tables
  CHECK(holds(report_markdown(report), "\n- counts only if"));
}

TEST_CASE("a fence is longer than any run of backticks in its content") {
  Log log = burst(6, "mine");
  log.command = "echo ````";
  CHECK(holds(report_markdown(report_of({log})), "`````\necho ````\n`````"));
}

TEST_CASE("a command keeps its backslashes, and hides only what a terminal must not get") {
  Log log = burst(6, "mine");
  log.command = "rlctl x 'it'\\''s' $'\\x1b' \x1b[2J";
  const std::string shown = "rlctl x 'it'\\''s' $'\\x1b' \\x1b[2J";
  CHECK(report_of({log}).commands.front() == shown);
  for (const char* schema : {"simulate", "bench"})
    CHECK(report_of_result(R"({"schema": "rlctl.)" + std::string(schema) +
                               R"(/1", "verdict": "holds", "algorithms": [{"peak": 1}],
                              "command": "rlctl x 'it'\\''s' $'\\x1b' \u001b[2J"})",
                           "x")
              .commands.front() == shown);
}

TEST_CASE("CSV has one row per run and no formulas") {
  Log formula = burst(6, "=cmd");
  const std::string text = report_csv(report_of({formula, burst(3, "sound")}));
  CHECK(count(text, "\r\n") == 3);
  CHECK(text.starts_with("run,verdict,outcome,reason,policy_verdict,own_contract_verdict,"));
  CHECK(holds(text, "\r\n'=cmd,violated,,"));
  CHECK(holds(text, "\r\nsound,holds,,"));
}

TEST_CASE("CSV: the columns are the same whatever was read, and every figure has one") {
  Log asked = burst(6, "asked");
  asked.expected = "violated";
  const auto head_of = [](const Report& report) {
    const std::string text = report_csv(report);
    const std::string head = text.substr(0, text.find('\r'));
    for (const ReportRun& run : report.runs)
      for (const NamedFigure& figure : run.figures)
        CHECK_MESSAGE(holds(head + ",", "," + figure.name + ","), figure.name);
    return head;
  };
  const Report result = report_of_result(
      R"({"schema": "rlctl.simulate/1", "algorithm": "fixed", "outcome": "passed",
          "verdict": "holds", "policy": {"verdict": "holds"}, "totals": {"allowed": 2}})",
      "simulate.json");
  const Report played = report_of_result(
      R"({"schema": "rlctl.run/1", "scenarios": [{"name": "s", "outcome": "could_not_run",
          "found": null, "policies": []}, {"name": "t", "outcome": "failed",
          "found": {"verdict": "violated"},
          "policies": [{"policy": {"verdict": "holds"}}, {"policy": {"verdict": "violated"}}]}]})",
      "run.json");
  const std::string head = head_of(report_of({asked}));
  for (const Report& other : {report_of_result(kBench, "bench.json"), result, played})
    CHECK(head_of(other) == head);
  CHECK(holds(report_csv(report_of({asked})), "\r\nasked,violated,passed,"));
  CHECK(holds(report_csv(result), "\r\nfixed,holds,passed,,holds,,"));
  CHECK(holds(report_csv(played), "\r\ns,,could_not_run,,,,"));
  CHECK(holds(report_csv(played), "\r\nt,violated,failed,,violated,,"));
}

TEST_CASE("JUnit: a violated policy is one failure, counted once") {
  const std::string text = report_junit(report_of({burst(6, "mine"), burst(3, "sound")}));
  CHECK(holds(text, "<testsuites name=\"rlctl report\" tests=\"4\" failures=\"2\" errors=\"0\">"));
  CHECK(count(text, "<failure type=\"violated\"") == 2);
}

TEST_CASE("an SVG is small, has no script, and needs an admission") {
  const std::string text = svg_picture(report_of({burst(6, "mine"), burst(3, "sound")}));
  CHECK(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(text.size() < 30'000);
  CHECK_FALSE(holds(text, "<script"));
  Log denied = burst(0, "mine");
  CHECK_THROWS_AS(svg_picture(report_of({denied})), Error);
}

TEST_CASE("an SVG of a result is refused with the log that is missing") {
  const auto refused = [](const Report& report) {
    try {
      svg_picture(report);
    } catch (const Error& error) {
      return std::string(error.what()) + "; " + error.hint();
    }
    return std::string();
  };
  CHECK(refused(report_of_result(kBench, "bench.json")) ==
        "--svg: a result has no records, from which the picture is drawn; give the log that --log "
        "of the same run wrote");
  CHECK(holds(refused(report_of({burst(0, "mine")})), "at least one admission"));
}

TEST_CASE("the result of a bench has one run per algorithm, a table and bars") {
  CHECK(looks_like_result(kBench));
  const Report report = report_of_result(kBench, "bench.json");
  REQUIRE(report.runs.size() == 2);
  CHECK(report.sentence ==
        "fixed: 200 admissions (limit 100) within 123 ms (aligned attack); sliding holds");
  REQUIRE(report.tables.size() == 1);
  CHECK(report.tables[0].rows[0][3].value == 105'029);
  REQUIRE_FALSE(report.bars.empty());
  CHECK(report.bars[0].limit == 100);
  CHECK(report.commands == std::vector<std::string>{"rlctl bench"});
}

TEST_CASE("a bench's result and its log become one run per algorithm") {
  Report report = report_of_result(kBench, "bench.json");
  Log log = burst(6, "fixed");
  log.run_id = "r";
  append_report(report_of({log}), report);
  REQUIRE(report.runs.size() == 2);
  CHECK(report.runs[0].picture);
  const auto& figures = report.runs[0].figures;
  CHECK(std::ranges::find(figures, "bytes_per_key", &NamedFigure::name) != figures.end());
  CHECK(std::ranges::count(figures, "peak", &NamedFigure::name) == 1);
}

TEST_CASE("the accuracy in the worst attack is not named as that over all requests") {
  Report report = report_of_result(kBench, "bench.json");
  append_report(report_of({burst(6, "fixed"), burst(3, "sliding")}), report);
  const std::string text = report_markdown(report);
  CHECK(count(text, "| accuracy in the worst attack, % |") == 1);
  CHECK(count(text, "| accuracy over all requests, % |") == 1);
}

TEST_CASE("a contract that a bench found broken is shown with the reason") {
  std::string result = kBench;
  const std::string_view held = R"("own_contract": "holds")";
  result.replace(result.find(held), held.size(),
                 R"("own_contract": "violated", "own_contract_reason": "201 within 1s")");
  CHECK(holds(report_junit(report_of_result(result, "bench.json")), "violated: 201 within 1s"));
}

TEST_CASE("the result of a run: a scenario that passed is good, whatever it found") {
  const Report report = report_of_result(
      R"({"schema": "rlctl.run/1", "passed": 1, "failed": 1, "scenarios": [
        {"name": "boundary", "outcome": "passed",
         "sentence": "violated, as expected: 200 within 100 ms", "expected": {"verdict": "violated"},
         "found": {"verdict": "violated", "reason": "200 within 100 ms"}, "problem": null,
         "expectations": [{"that": "peak == 200", "result": "held", "measured": "200"}]},
        {"name": "other", "outcome": "failed",
         "sentence": "expected holds, found violated: 7 within 1 ms", "expected": {"verdict": "holds"},
         "found": {"verdict": "violated", "reason": "7 within 1 ms"}, "problem": null,
         "command": "rlctl run other.json",
         "expectations": [{"that": "denied == 0", "result": "broken", "measured": "3"}]}]})",
      "run.json");
  CHECK(report.sentence == "other: expected holds, found violated: 7 within 1 ms; boundary passed");
  CHECK(report.runs[0].mood == Mood::good);
  CHECK(report.runs[0].sentence == "violated, as expected: 200 within 100 ms");
  CHECK(report.runs[1].checks[0].mood == Mood::bad);
  CHECK(report.runs[1].checks[1].mood == Mood::bad);
  CHECK(report.commands == std::vector<std::string>{"rlctl run other.json"});
}

TEST_CASE("scenarios are counted once, although their policies have logs of their own") {
  std::string scenarios;
  for (int i = 0; i < 5; ++i)
    scenarios += (i == 0 ? "" : ", ") + std::string(R"({"name": "s)") + std::to_string(i) +
                 R"(", "run_id": "r)" + std::to_string(i) +
                 R"(", "outcome": "passed", "sentence": "holds, as expected"})";
  Report report = report_of_result(
      R"({"schema": "rlctl.run/1", "passed": 5, "scenarios": [)" + scenarios + "]}", "run.json");
  const auto add = [&](const std::string& run_id, std::int64_t allowed) {
    Log log = burst(allowed, "mine");
    log.run_id = run_id;
    append_report(report_of({log}), report);
  };
  add("r0", 3);
  add("r0", 3);
  CHECK(report.runs.size() == 7);
  CHECK(report.sentence == "all 5 scenarios passed");
  const auto told = [&] {
    return std::ranges::find(report.facts, "Scenarios", &ReportFact::name)->value;
  };
  CHECK(told() == "5 passed");
  add("another", 3);
  CHECK(report.sentence == "all 5 scenarios passed, 1 log holds");
  add("one more", 6);
  CHECK(report.mood == Mood::bad);
  CHECK(report.sentence.starts_with("mine: 6 admissions within"));
  CHECK(report.sentence.ends_with("; 1 of 2 logs violated"));
  append_report(report_of_result(R"({"schema": "rlctl.run/1", "passed": 0, "scenarios": [
                  {"name": "t", "outcome": "failed"}, {"name": "u", "outcome": "passed"}]})",
                                 "other.json"),
                report);
  CHECK(told() == "6 passed, 1 failed");
}

TEST_CASE("a fact of a bench's result and its log is told once") {
  Report report = report_of_result(kBench, "bench.json");
  Log log = burst(6, "fixed");
  log.policy = policy_of({Rule{.limit = 100, .window_us = 1'000'000}});
  log.run_id = "r";
  log.server = "redis 7.0.15";
  log.version = "0.1.0";
  append_report(report_of({log}), report);
  for (const char* name : {"Policy", "Server", "Run", "Played by"})
    CHECK(std::ranges::count(report.facts, name, &ReportFact::name) == 1);
  CHECK(count(html_page(report, "0.1.0"), "rlctl 0.1.0") == 2);  // played by; the footer
}

TEST_CASE("what is only possible is not shown as proven") {
  Log log = burst(6, "mine");
  log.contract.clear();
  for (Record& record : log.records) {
    record.server_us = kNoTime;
    record.sent_us -= 600'000;
    record.received_us += 600'000;
  }
  const Report report = report_of({log});
  REQUIRE(report.verdict == "inconclusive");
  REQUIRE(report.runs[0].evidence);
  const Evidence& evidence = *report.runs[0].evidence;
  CHECK_FALSE(evidence.is_proof);
  CHECK(evidence.rows.size() == 6);
  CHECK(
      holds(evidence.title, "6 admissions possible within 1s, which is no proof; limit: 3 per 1s"));
  const std::string data = html_data(report);
  CHECK(holds(data, "\"over\":\"possible\""));
  CHECK(holds(data, "\"proof\":false"));
  const std::string picture = svg_picture(report);
  CHECK_FALSE(holds(picture, "class=\"o\""));
  CHECK_FALSE(holds(picture, "class=\"w\""));
  CHECK(holds(picture, "possibly 6"));
  CHECK(holds(svg_picture(report_of({burst(6, "mine")})), "class=\"o\""));
}

TEST_CASE("the report of a run's result is never better than the run") {
  const auto checked = [](const std::string& scenario) {
    const Report report = report_of_result(
        R"({"schema": "rlctl.run/1", "scenarios": [{"name": "s", )" + scenario + "}]}", "run.json");
    return report_junit(report);
  };
  const std::string own = checked(
      R"("outcome": "failed", "expected": {"verdict": "violated", "own_contract": "holds"},
         "found": {"verdict": "violated", "own_contract": "violated"})");
  CHECK(holds(own, "failures=\"1\""));
  CHECK(holds(own, "its own contract: holds"));
  const std::string lost = checked(
      R"("outcome": "could_not_run", "expected": {"verdict": null}, "problem": "no Redis",
         "found": {"verdict": "inconclusive"})");
  CHECK(holds(lost, "failures=\"0\" errors=\"1\""));
  const std::string cut = checked(
      R"("outcome": "inconclusive", "expected": {"verdict": "holds"},
         "found": {"verdict": "holds"})");
  CHECK(holds(cut, "failures=\"0\" errors=\"1\""));
}

TEST_CASE("results and logs of different runs are kept apart, whatever their names") {
  Report report = report_of_result(
      R"({"schema": "rlctl.verify/1", "algorithm": "fixed", "verdict": "violated",
          "reason": "monday", "histories": []})",
      "monday.json");
  Log tuesday = burst(3, "fixed");
  tuesday.run_id = "t";
  append_report(report_of({tuesday}), report);
  CHECK(report.runs.size() == 2);
  CHECK(report.mood == Mood::bad);
}

TEST_CASE("escapes in a result file stay, anything else in it is escaped") {
  const Report report = report_of_result(
      R"({"schema": "rlctl.simulate/1", "algorithm": "caf\\xe9", "algorithm_b64": "Y2Fm6Q==",
          "verdict": "holds", "reason": "\u001b]0;x\u0007", "reason_b64": "",
          "seed": 18446744073709551615})",
      "mean.json");
  CHECK(report.runs[0].name == "caf\\xe9");
  CHECK(report.runs[0].sentence == "\\x1b]0;x\\x07");
  CHECK(holds(report_markdown(report), "18446744073709551615"));
}

TEST_CASE("the result of verify keeps its verdict, its notes and its keys") {
  const Report report = report_of_result(
      R"({"schema": "rlctl.verify/1", "verdict": "inconclusive", "reason": "nothing was denied",
        "remedy": "send more", "notes": ["one"], "policy": {"limit": 3, "window_us": 1000000,
        "verdict": "inconclusive"}, "own_contract": null, "totals": {"allowed": 2},
        "keys": [{"key": "k", "allowed": 2}]})",
      "verify.json");
  CHECK(report.mood == Mood::doubtful);
  CHECK(report.runs[0].remedy == "send more");
  CHECK(report.runs[0].tables[0].rows.size() == 1);
  CHECK(report.runs[0].notes == std::vector<std::string>{"one"});
}

TEST_CASE("invalid result files are reported or accepted, and never crash") {
  CHECK_FALSE(looks_like_result(R"({"rlctl_log":1})"));
  CHECK_FALSE(looks_like_result(""));
  CHECK_THROWS_AS(report_of_result(R"({"schema": "rlctl.bench/1", "algori)", "x"), Error);
  CHECK_THROWS_AS(report_of_result(R"({"schema": "rlctl.bench/2"})", "x"), Error);
  const Report odd = report_of_result(
      R"({"schema": "rlctl.bench/1", "policy": 7, "algorithms": [3, null, {"name": 1,
        "attacks": {}, "latency_us": [], "peak": 1e308, "decisions_per_second": "many"}]})",
      "x");
  CHECK(odd.runs.size() == 3);
  CHECK(html_page(odd, "1.0").size() > 1'000);
}

TEST_CASE("a result without runs or verdicts is refused, as an empty page looks like no fault") {
  for (const std::string verb : {"bench", "run", "verify", "simulate"}) {
    CAPTURE(verb);
    for (const char* rest : {"", R"(, "scenarios": 4, "algorithms": [{}])"}) {
      try {
        report_of_result(R"({"schema": "rlctl.)" + verb + R"(/1")" + rest + "}", "b.json");
        FAIL("it was accepted");
      } catch (const Error& error) {
        CHECK(error.exit() == Exit::usage);
        CHECK(std::string(error.what()) == "'b.json' has no result");
        CHECK(error.hint() == "let rlctl " + verb + " --json run to its end");
      }
    }
  }
}
