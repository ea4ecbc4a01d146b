// Logs that are cut, mangled or malicious must give a clear message in bounded memory, without a
// crash.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/support/verify_fixture.h"

using nlohmann::json;

namespace {

// A sanitizer keeps freed memory for a while. The input is a multiple of this.
constexpr long kBoundKib = 512 * 1024;
constexpr std::size_t kGigabyte = std::size_t{1} << 30U;

Arguments judged(const std::string& log, const Arguments& more = {}) {
  Arguments arguments{"verify", log};
  arguments.insert(arguments.end(), kThree.begin(), kThree.end());
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

json verified(const std::string& log) {
  const Outcome outcome = run_rlctl(judged("-", {"--json"}), log);
  INFO(outcome.err);
  REQUIRE(!outcome.out.empty());
  return json::parse(outcome.out);
}

// A correct history of many lines: three in each second, then a denial.
std::string sound_log(int seconds) {
  std::string text;
  for (int second = 0; second < seconds; ++second) {
    for (int i = 0; i < 3; ++i) text += line(second * 1'100'000 + i, "allowed");
    text += line(second * 1'100'000 + 3, "denied");
  }
  return text;
}

std::vector<std::string> ended_lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

void send_gigabyte(const Send& send) {
  const std::string chunk(std::size_t{1} << 20U, 'a');
  for (std::size_t sent = 0; sent < kGigabyte; sent += chunk.size()) send(chunk);
}

bool is_clean(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '\n' || (c >= ' ' && c != '\x7f') || c < 0; });
}

}  // namespace

TEST_CASE("a line of a gigabyte is reported, in bounded memory") {
  const Outcome outcome = run_rlctl_fed(judged("-"), send_gigabyte);
  CHECK(outcome.exit == 2);
  CHECK(contains(outcome.err, "-:1: the line is longer than 1 MiB"));
  CHECK(outcome.peak_kib < kBoundKib);
}

TEST_CASE("a line of a gigabyte among good ones is skipped and named") {
  const std::string before = sound_log(100);
  const Outcome outcome = run_rlctl_fed(judged("-"), [&](const Send& send) {
    send(before);
    send_gigabyte(send);
    send("\n" + line(200'000'000, "allowed"));
  });
  CHECK(outcome.exit == 0);
  CHECK(contains(outcome.out, "1 of 402 lines could not be read"));
  CHECK(contains(outcome.out, "-:401: the line is longer than 1 MiB"));
  CHECK(outcome.peak_kib < kBoundKib);
}

TEST_CASE("a gzip bomb is unpacked piece by piece") {
  const Folder folder;
  // A gigabyte as one line: several gzip members in a row are one text.
  packed(folder, "member.gz", std::string(std::size_t{1} << 24U, 'a'));
  const std::string member = folder.read("member.gz");
  std::string bomb;
  for (int i = 0; i < 64; ++i) bomb += member;
  CHECK(bomb.size() < std::size_t{1} << 21U);
  const Outcome outcome = run_rlctl(judged(folder.write("bomb.gz", bomb)));
  CHECK(outcome.exit == 2);
  CHECK(contains(outcome.err, "longer than 1 MiB"));
  CHECK(outcome.peak_kib < kBoundKib);
}

TEST_CASE("a CSV with very many columns is read at once") {
  const Outcome outcome = run_rlctl(judged("-"), std::string(400'000, ',') + "\n");
  CHECK(outcome.exit == 2);
  CHECK(contains(outcome.err, "no column has the time of a decision"));
}

TEST_CASE("a packed log that was cut at any place is refused") {
  const Folder folder;
  packed(folder, "whole.gz", sound_log(200));
  const std::string whole = folder.read("whole.gz");
  for (const std::size_t size : {std::size_t{11}, whole.size() / 2, whole.size() - 5}) {
    CAPTURE(size);
    const Outcome outcome = run_rlctl(judged(folder.write("cut.gz", whole.substr(0, size))));
    CHECK(outcome.exit == 2);
    CHECK(contains(outcome.err, "cut.gz"));
  }
  std::string broken = whole;
  broken[whole.size() / 2] ^= 0x55;
  CHECK(run_rlctl(judged(folder.write("broken.gz", broken))).exit == 2);
}

TEST_CASE("a NUL byte spoils only its own line") {
  std::string nul = line(0, "allowed");
  nul.insert(5, 1, '\0');
  const Outcome outcome = run_rlctl(judged("-"), sound_log(100) + nul);
  CHECK(outcome.exit == 0);
  CHECK(contains(outcome.out, "-:401: the line contains a NUL byte"));
  const Outcome all = run_rlctl(judged("-"), std::string(5'000, '\0') + "\n");
  CHECK(all.exit == 2);
  CHECK(contains(all.err, "NUL"));
}

TEST_CASE("a key that is not UTF-8 stays one key, is escaped, and is complete in JSON") {
  std::string csv = "ts,user,code\n";
  for (const char* key : {"a\xff", "a\xfe"})
    for (int i = 0; i < 4; ++i)
      csv += "170000000000000" + std::to_string(i) + "," + key + (i < 3 ? ",200\n" : ",429\n");
  const Arguments columns{"--time-column", "ts:us",           "--key-column",
                          "user",          "--status-column", "code"};
  const Outcome text = run_rlctl(judged("-", columns), csv);
  CHECK(text.exit == 0);
  CHECK(contains(text.out, "'a\\xff'"));
  CHECK(is_clean(text.out));
  Arguments as_json = columns;
  as_json.push_back("--json");
  const json keys = json::parse(run_rlctl(judged("-", as_json), csv).out)["keys"];
  REQUIRE(keys.size() == 2);
  CHECK(keys[0]["key_b64"] == "Yf8=");
  CHECK(keys[1]["key_b64"] == "Yf4=");
}

TEST_CASE("times that go backwards are sorted") {
  const std::string log = sound_log(50) + line(60'000'000, "denied");  // the last one is false
  std::vector<std::string> lines = ended_lines_of(log);
  const json sorted = verified(log);
  std::shuffle(lines.begin(), lines.end(), std::mt19937(7));
  std::string shuffled;
  for (const std::string& one : lines) shuffled += one;
  const json other = verified(shuffled);
  for (const char* figure : {"verdict", "violations", "reason"})
    CHECK(sorted[figure] == other[figure]);
  for (const char* figure : {"max_certain", "max_possible", "certain_false_denials", "peak",
                             "accuracy_low", "accuracy_high", "slack_us"})
    CHECK(sorted["totals"][figure] == other["totals"][figure]);
  CHECK(sorted["violations"] == json::array({"false_denial"}));
}

TEST_CASE("impossible times are reported, in each format") {
  const auto refused = [](const std::string& log, const Arguments& more = {}) {
    CAPTURE(log);
    const Outcome outcome = run_rlctl(judged("-", more), log);
    CHECK(outcome.exit == 2);
    CHECK(contains(outcome.err, "-:"));
    CHECK(is_clean(outcome.err));
  };
  const std::string head = "10.0.0.1 - - [14/Nov/";
  const std::string tail = ":22:13:20 +0000] \"GET / HTTP/1.1\" 200 5\n";
  for (const char* year : {"292277", "0000", "1969", "10000", "-2023"})
    refused(head + year + tail, {"--format", "nginx"});
  for (const char* time : {"9223372036854775807", "9223372036854775808", "99999999999999999999",
                           "-1", "1e300", "1.5", "253402300800000001"})
    refused(std::string(R"({"sent_us":)") + time + R"(,"outcome":"allowed","key":"k"})" + "\n");
  for (const char* time :
       {"+292277-01-09T04:00:54Z", "2023-02-30T00:00:00Z", "2023-11-14T25:00:00Z"})
    refused(std::string("time,user,code\n") + time + ",k,200\n");
}

TEST_CASE("the last valid instants do not overflow") {
  std::string log;
  for (const char* time : {"253402300799999990", "253402300799999995", "253402300799999999"})
    log += std::string(R"({"sent_us":)") + time + R"(,"received_us":253402300799999999,)" +
           R"("outcome":"allowed","key":"k"})" + "\n";
  const Outcome outcome =
      run_rlctl({"verify", "-", "--limit", "2", "--window", "1s", "--infer"}, log);
  CHECK(outcome.exit == 1);
  CHECK(contains(outcome.out, "3 admissions within"));
}

TEST_CASE("repeated lines are counted, and this is reported") {
  const std::string twice = line(0, "allowed") + line(0, "allowed");
  const Outcome outcome = run_rlctl(judged("-"), twice + line(10, "denied"));
  CHECK(contains(outcome.out, "1 line repeats the line before;"));
}

TEST_CASE("lines may end as on Windows, and the last line may have no end") {
  std::string log = sound_log(20);
  const json plain = verified(log);
  for (std::size_t at = log.find('\n'); at != std::string::npos; at = log.find('\n', at + 2))
    log.insert(at, 1, '\r');
  const json windows = verified("\xEF\xBB\xBF" + log.substr(0, log.size() - 2));
  CHECK(plain["totals"] == windows["totals"]);
  CHECK(windows["bad_lines"] == 0);
}

TEST_CASE("noise is not a log and is escaped on the terminal") {
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    std::string noise;
    for (int i = 0; i < 20'000; ++i) noise += static_cast<char>(random());
    const Outcome outcome = run_rlctl(judged("-"), noise);
    CHECK(outcome.exit == 2);
    CHECK(is_clean(outcome.err));
  }
}

TEST_CASE("columns without a name are shown as such") {
  const Outcome outcome = run_rlctl({"verify", "-", "--limit", "1", "--window", "1s"},
                                    std::string(400'000, ',') + "\n,\n");
  CHECK(outcome.exit == 2);
  CHECK(contains(outcome.err, "the columns are '', '', "));
}
