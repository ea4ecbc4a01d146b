// Invalid scenario files: each mistake is reported with its place and a suggestion.
#include <doctest/doctest.h>

#include "base/escape.h"
#include "unit/scenario/scenario_fixture.h"

using namespace rlctl;

namespace {

// Whether exactly one mistake is found in small_scenario() with `from` replaced, and it says so.
void check_one(const std::string& from, const std::string& to, const std::string& says) {
  const ParsedScenario result = parsed(replaced(small_scenario(), from, to));
  CAPTURE(to);
  CAPTURE(result.mistakes);
  CHECK(result.mistake_count == 1);
  CHECK(!result.scenario);
  CHECK(result.mistakes.find(says) != std::string::npos);
}

void check_whole(const std::string& from, const std::string& to, const std::string& says) {
  const ParsedScenario result = parsed(replaced(whole_scenario(), from, to));
  CAPTURE(to);
  CAPTURE(result.mistakes);
  CHECK(result.mistake_count == 1);
  CHECK(result.mistakes.find(says) != std::string::npos);
}

const std::string kRate = R"("rate": "30/1m", "for": "5m")";

}  // namespace

TEST_CASE("a mistake is shown under its line, with its pointer and a suggestion") {
  const std::string line = R"(  "phases": [{"name": "bot", "policy": "apy", )";
  const std::string wrong =
      mistakes_in(replaced(small_scenario(), R"("api", "who")", R"("apy", "who")"));
  CHECK(
      wrong.starts_with("scenarios/test.json:6:40: /phases/0/policy: there is no policy 'apy'\n"
                        "  6 | " +
                        line));
  CHECK(wrong.ends_with("\n    | " + std::string(line.find("\"apy\""), ' ') +
                        "^^^^^\n  did you mean 'api'?\n"));
}

TEST_CASE("all mistakes are reported at once, in the order of the file") {
  std::string text = replaced(small_scenario(), "\"virtual\"", "\"virtaul\"");
  text = replaced(text, "\"limit\": 20", "\"limt\": 20, \"limit\": 0");
  text = replaced(text, "\"5m\"", "\"5\"");
  text = replaced(text, "over_admitted", "over_admited");
  const ParsedScenario result = parsed(text);
  CHECK(result.mistake_count == 5);
  std::size_t at = 0;
  for (const char* place : {":2:12: /clock", ":4:43: /policies/api/limt",
                            ":4:64: /policies/api/limit", "/phases/0/for", ":7:15: /expect/0"}) {
    CAPTURE(result.mistakes);
    at = result.mistakes.find(place, at);
    CHECK_MESSAGE(at != std::string::npos, place);
  }
}

TEST_CASE("unknown keys are mistakes, with the likely key") {
  check_one("\"key\"", "\"algoo\": \"x\", \"key\"", "did you mean 'algo'?");
  check_one("\"expect\"", "\"exspect\"", "did you mean 'expect'?");
  check_one(kRate, kRate + ", \"thnik\": \"1s\"", "did you mean 'think'?");
  check_one("\"ip\": \"203", "\"cuont\": 5, \"ip\": \"203", "did you mean 'count'?");
}

TEST_CASE("duplicate keys are mistakes") {
  check_one("\"limit\": 20", "\"limit\": 20, \"limit\": 30", "'limit' comes twice");
  check_one("\"clock\"", "\"verdict\": \"violated\", \"clock\"", "/verdict: 'verdict' comes twice");
}

TEST_CASE("numbers are taken exactly as written or refused") {
  check_one("\"limit\": 20", "\"limit\": 18446744073709551616", "is too large");
  check_one("\"limit\": 20", "\"limit\": 9223372036854775808", "is too large");
  check_one("\"limit\": 20", "\"limit\": -1", "is not a whole number");
  check_one("\"limit\": 20", "\"limit\": 20.0", "is not a whole number");
  check_one("\"limit\": 20", "\"limit\": 1e3", "is not a whole number");
  check_one("\"limit\": 20", "\"limit\": 0", "is too small");
  check_one("\"limit\": 20", "\"limit\": \"20\"", "expected a whole number, not a text");
  check_one("\"limit\": 20", "\"limit\": true", "expected a whole number");
  check_one("\"limit\": 20", "\"limit\": null", "expected a whole number, not null");
  check_one("\"limit\": 20", "\"limit\": 9007199254740993", "too large for Lua");
  check_one("\"limit\": 20", "\"limit\": 020", "is not a number");
}

TEST_CASE("times and rates need their unit") {
  check_one("\"60s\"", "60", "the duration has no unit");
  check_one("\"60s\"", "\"60\"", "has no unit");
  check_one("\"60s\"", "60s", "goes in double quotes: \"60s\"");
  check_one("\"60s\"", "\"0s\"", "must be more than 0");
  check_one("\"60s\"", "\"-1s\"", "has a sign");
  check_one("\"60s\"", "\"1.5.2s\"", "has a number without a unit");
  check_one("\"60s\"", "\"99999999999d\"", "is too long");
  check_one("\"60s\"", "\"999us\"", "the shortest window is 1ms");
  check_one("\"30/1m\"", "30", "the rate has no unit");
  check_one("\"30/1m\"", "\"30\"", "is not a rate");
  check_one("\"30/1m\"", "\"0/1m\"", "is too small");
}

TEST_CASE("a name must refer to an existing part") {
  check_one("\"who\": \"bot\"", "\"who\": \"bott\"", "did you mean 'bot'?");
  check_whole("mixed+10s", "mixd+10s", "did you mean 'mixed'?");
  check_whole("mixed+10s", "mixed+10", "has no unit");
  check_whole("{phase=bot} <=", "{phase=bod} <=", "did you mean 'bot'?");
  check_whole("who=humans", "who=human", "did you mean 'humans'?");
  check_whole("fault=redis_restart", "fault=redis_restar", "did you mean 'redis_restart'?");
  check_whole("fault=redis_restart", "fault=redis_pause", "the scenario has no such fault");
  check_whole("{phase=bot} <=", "{phas=bot} <=", "did you mean 'phase'?");
  check_whole("mine.lua", "yours.lua", "there is no file 'yours.lua'");
}

TEST_CASE("a phase says exactly once what it sends, when it ends and who sends it") {
  check_one(kRate, kRate + ", \"users\": 3", "\"rate\" already defines the traffic");
  check_one(kRate, "\"cost\": 1", "the phase has no traffic");
  check_one(kRate, "\"users\": 3", "the phase has no end");
  check_one("\"who\": \"bot\", ", "", "the phase has no clients");
  check_one("\"who\": \"bot\"", "\"who\": \"bot\", \"mix\": []",
            "use \"who\" or \"mix\", not both");
  check_one(kRate, kRate + ", \"items\": 3",
            "/phases/0/items: this key does not apply to \"rate\"");
  check_one(kRate, "\"consumers\": 3", "'items' is missing");
  check_one(kRate, "\"bursts\": []", "add a burst");
  check_one(kRate, "\"stages\": [{\"to\": \"3/s\", \"for\": \"1s\"}]", "'rate' is missing");
  check_one(kRate, R"("stages": [{"rate": "0/s", "for": "1s"}])", "every rate is 0");
  check_one("\"30/1m\"", "\"0/1m\"", "is too small");
  check_one("\"5m\"", "\"36500d\"", "plans more than 100,000,000 requests");
}

TEST_CASE("phases have unique names") {
  check_one(kRate + "}",
            kRate + R"(}, {"name": "bot", "policy": "api", "who": "bot", )" + kRate + "}",
            "/phases/1/name: another phase has this name");
  check_one("{\"name\": \"bot\"", "{\"name\": \"b o t\"", "is not a valid name");
}

TEST_CASE("parts that exclude each other are refused") {
  check_one("\"expect\": [",
            "\"faults\": [{\"at\": \"1s\", \"do\": \"script_flush\"}], \"expect\": [",
            "faults need real time");
  check_one("over_admitted == 0", "latency.p99 < 20ms", "latency needs real time");
  check_one("\"expect\"", "\"speed\": 60, \"expect\"", "the virtual clock does not need speed");
  check_whole("{\"kind\": \"embedded\"}", "{\"kind\": \"redis\", \"url\": \"redis://127.0.0.1\"}",
              "never yours");
  check_one("\"algo\": \"sliding\", ", "", "the policy has no limiter");
  check_one("\"algo\": \"sliding\"", "\"algo\": \"../mine.lua\"", "is a file, not an algorithm");
  check_one("\"algo\": \"sliding\"", "\"algo\": \"sliding\", \"script\": \"mine.lua\"",
            "use \"algo\" or \"script\", not both");
  check_one("\"algo\": \"sliding\"", "\"algo\": \"sliding\", \"contract\": \"fixed\"",
            "the script's manifest defines this");
  check_one(kRate, kRate + ", \"lockstep\": true", "does not apply to \"rate\"");
  check_one("over_admitted == 0", "completed == 5", "there are none");
}

TEST_CASE("an HTTP target needs its own kind of address, and distinct statuses") {
  std::string text = replaced(small_scenario(), R"("algo": "sliding", )", "");
  text = replaced(text, "virtual", "wall");
  const auto with = [&](const std::string& target) {
    return mistakes_in(
        replaced(text, "\"identities\"", "\"target\": " + target + ", \"identities\""));
  };
  const auto says = [&](const std::string& target, const char* what) {
    return with(target).find(what) != std::string::npos;
  };
  CHECK(with(R"({"kind": "http", "url": "http://h/<user>"})") == "");
  CHECK(says(R"({"kind": "http"})", "'url' is missing"));
  CHECK(says(R"({"kind": "http", "url": "redis://h"})", "begin it with http://"));
  CHECK(says(R"({"kind": "http", "url": "http://h/<usr>"})", "<usr> is not known"));
  CHECK(
      says(R"({"kind": "http", "url": "http://h", "denied": ["2xx"]})", "is also in \"allowed\""));
  CHECK(says(R"({"kind": "http", "url": "http://h", "denied": [4290]})", "is not an HTTP status"));
  CHECK(says(R"({"kind": "http", "url": "http://h", "headers": {"A B": "x"}})",
             "is not a header name"));
  CHECK(says(R"({"kind": "http", "url": "http://h", "headers": {"A": "x\r\nB: y"}})",
             "must be one line"));
  CHECK(says(R"({"kind": "http", "url": "http://h", "source_ip": "10.0.0.7/8"})",
             "is not an address"));
  CHECK(says(R"({"kind": "serve", "url": "http://h"})", "does not apply to a target of kind"));
}

TEST_CASE("there must be enough addresses for the clients") {
  const auto says = [](const std::string& identity, const char* what) {
    const std::string found =
        mistakes_in(replaced(small_scenario(), R"({"ip": "203.0.113.7"})", identity));
    CAPTURE(found);
    CHECK(found.find(what) != std::string::npos);
  };
  says(R"({"ip": "10.0.0.0/30", "count": 3})", "has only 2 addresses");
  says(R"({"ip": "10.0.0.0/16"})", "does not say how many");
  says(R"({"ip": "10.0.0.300"})", "neither an address nor a network");
  says(R"({"ip": "10.0.0.0/33", "count": 2})", "neither an address nor a network");
  says(R"({"user": "<usr>"})", "<usr> is not known");
  says(R"({"skew": 2})", "has no effect without");
  says(R"({"pick": "zipf", "skew": 1e400})", "is out of range");
  says(R"({"file": "people.csv", "count": 3})", "can't be combined with \"file\"");
  says(R"({"count": 1000001})", "is too large");
  CHECK(mistakes_in(replaced(small_scenario(), R"({"ip": "203.0.113.7"})",
                             R"({"ip": "10.0.0.0/30", "count": 3, "user": "u<n>"})")) == "");
}

TEST_CASE("expectations are checked word by word") {
  const auto says = [](const std::string& claim, const char* what) {
    const std::string found = mistakes_in(replaced(small_scenario(), "over_admitted == 0", claim));
    CAPTURE(claim);
    CAPTURE(found);
    CHECK(found.find(what) != std::string::npos);
  };
  says("", "the metric is missing");
  says("peek <= 1", "did you mean 'peak'?");
  says("latency < 1ms", "'latency' has no statistic");
  says("latency.p98 < 1ms", "did you mean 'latency.p95'?");
  says("peak.p99 < 1", "there is no metric");
  says("peak 5", "expected a comparison");
  says("peak = 5", "write ==");
  says("peak =< 5", "is not a comparison");
  says("peak <=", "the value is missing");
  says("peak <= many", "is not a duration");
  says("peak <= 5ms", "it takes a number");
  says("peak <= 5%", "it takes a number");
  says("accuracy >= 99", "a share such as 99.9%");
  says("slack < 5", "a duration such as 20ms");
  says("peak <= 1.2345678", "too many decimals");
  says("peak <= 99999999999999999999", "is too large");
  says("peak{phase=bot <= 5", "never closed");
  says("peak{phase} <= 5", "has no value");
  says("peak{phase=bot,phase=bot} <= 5", "comes twice");
  says("peak{key='a} <= 5", "a quote in the selectors is never closed");
  says("peak{fault=script_flush} <= 5", "can't be measured by fault");
  says("completed{key=a} == 5", "can't be measured by key");
}

TEST_CASE("a mistake in an expectation is underlined at its place, not as a whole") {
  const std::string found =
      mistakes_in(replaced(small_scenario(), "over_admitted == 0", "peak{phase=bod} <= 5"));
  CHECK(found.find(":7:26: /expect/0: there is no phase 'bod'") != std::string::npos);
  CHECK(found.find(std::string(25, ' ') + "^^^\n") != std::string::npos);
}

TEST_CASE("the content of a file can't control the terminal that shows it") {
  const std::string found = mistakes_in(replaced(small_scenario(), "\"policy\": \"api\"",
                                                 "\"policy\": \"\\u001b[2J\\u202e\xC2\x9B\""));
  CHECK(found.find('\x1b') == std::string::npos);
  CHECK(found.find("\xC2\x9B") == std::string::npos);
  CHECK(found.find("\xE2\x80\xAE") == std::string::npos);
  CHECK(found.find("\\x1b[2J") != std::string::npos);
}

TEST_CASE("a line with a password is not shown") {
  std::string text = replaced(small_scenario(), "\"identities\"",
                              "\"target\": {\"kind\": \"redis\", \"url\": \"redis://u:hunter2@h\", "
                              "\"bogus\": 1},\n \"identities\"");
  const std::string found = mistakes_in(text);
  CHECK(found.find("'bogus'") != std::string::npos);
  CHECK(found.find("hunter2") == std::string::npos);
}

TEST_CASE("a file that is not an object is one mistake") {
  CHECK(parsed("[]").mistake_count == 1);
  CHECK(parsed("42").mistake_count == 1);
  CHECK(parsed("").mistake_count == 1);
  CHECK(mistakes_in("{}").find("'policies' is missing") != std::string::npos);
}

TEST_CASE("a list in place of an object is one mistake") {
  const std::string policy =
      R"({"algo": "sliding", "limit": 20, "window": "60s", "key": "rl:<ip>"})";
  CHECK(mistakes_in(replaced(small_scenario(), policy, "[1, 2]")).find("expected an object") !=
        std::string::npos);
  check_one("{\"bot\": {\"ip\": \"203.0.113.7\"}}", "{\"bot\": []}",
            "expected an object, not a list");
  check_one("\"expect\"", "\"target\": [], \"expect\"", "expected an object, not a list");
  check_one("\"expect\"", "\"budget\": [], \"expect\"", "expected an object, not a list");
  check_one("[\"over_admitted == 0\"]", "{}", "expected a list, not an object");
}

TEST_CASE("a long list of mistakes is cut") {
  std::string keys;
  for (int i = 0; i < 200; ++i) keys += "\"key" + std::to_string(i) + "\": 1,\n";
  const ParsedScenario result = parsed(replaced(small_scenario(), "\"clock\"", keys + "\"clock\""));
  CHECK(result.mistake_count == 200);
  CHECK(result.mistakes.find("and 150 more mistakes") != std::string::npos);
}
