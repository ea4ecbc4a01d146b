// A log that is read in blocks on several threads must give what one thread makes of it.
#include "log/line_blocks.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/text.h"
#include "log/log_encoder.h"
#include "log/log_parser.h"

namespace rlctl {
namespace {

using Random = std::mt19937_64;

constexpr std::int64_t kStartUs = 1'700'000'000'000'000;

// All that can be told of it.
std::string told(ParsedLogs logs) {
  std::string text =
      fmt::format("{} lines, {} bad\n{}\n{}\n{}\n", logs.lines, logs.bad_lines,
                  joined(logs.examples, "\n"), joined(logs.columns, ","), joined(logs.notes, "\n"));
  for (const ParsedHistory& history : logs.histories) {
    LogEncoder encoder(LogFormat::json_lines);
    encoder.append_header(history.log, text);
    for (std::size_t i = 0; i < history.log.records.size(); ++i) {
      encoder.append_record(history.log, i, text);
      const Record& record = history.log.records[i];
      text += fmt::format("{}:{}{}\n", history.lines.line_of(static_cast<std::uint32_t>(i)).line,
                          record.status, record.lacks_duration ? " lacks its duration" : "");
    }
    text += fmt::format("{} {} {} {}\n", history.log.slow_before_us, history.log.slow_after_us,
                        history.log.lacks_durations, history.log.cut);
  }
  return text;
}

std::string read(std::string_view text, std::size_t threads, LogReadOptions options,
                 Random random) {
  options.threads = threads;
  options.bad_lines = 1;
  LogParser parser(options);
  // The second file begins anew.
  for (const char* name : {"first", "second"}) {
    parser.begin_file(name, text.size());
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t some = std::min<std::size_t>(rest.size(), 1 + random() % 200'000);
      parser.feed(rest.substr(0, some));
      rest.remove_prefix(some);
    }
    parser.end_file();
  }
  ParsedLogs logs = parser.finish();
  REQUIRE(logs.bad_lines > 0);
  REQUIRE(2 * logs.bad_lines < logs.lines);
  return told(std::move(logs));
}

void check_same(std::string_view text, const LogReadOptions& options = {}) {
  REQUIRE(text.size() > 600'000);
  const std::string one = read(text, 1, options, Random(1));
  const std::string several = read(text, 3, options, Random(2));
  const auto differ = std::ranges::mismatch(one, several);
  const auto at = std::max<std::ptrdiff_t>(differ.in1 - one.begin() - 100, 0);
  INFO("one thread: " << one.substr(static_cast<std::size_t>(at), 300));
  INFO("three threads: " << several.substr(std::min(static_cast<std::size_t>(at), several.size()),
                                           300));
  CHECK((one == several));
}

// Lines of which most are records, and some what a log may hold besides.
std::string lines(Random& random, const std::function<std::string(std::size_t)>& record,
                  const std::vector<std::string>& others) {
  std::string text;
  for (std::size_t i = 0; text.size() < 1'000'000; ++i) {
    text += random() % 700 == 0 ? others[random() % others.size()] : record(i);
    text += random() % 9 == 0 ? "\r\n" : "\n";
  }
  return text;
}

std::vector<std::string> usual_others() {
  return {"",
          " ",
          "\r",
          "no record",
          "{\"time\":",
          "# a comment",
          std::string("a\0b", 3),
          "{\"rlctl_log_end\":1}"};
}

std::int64_t at_us(std::size_t i) { return kStartUs + static_cast<std::int64_t>(i) * 1'000; }

}  // namespace

TEST_CASE("blocks of a log of rlctl give what one thread reads") {
  Random random(3);
  for (const LogFormat format : {LogFormat::json_lines, LogFormat::csv}) {
    std::vector<Log> logs(2);
    logs[1].algorithm = "other";
    logs[1].names.push_back(
        {.name = "plan", .values = {"", "free", "=paid,\"x\""}, .of_record = {}});
    for (Log& log : logs) {
      log.keys = {"user:1", "a,\"b\"", "=é\n", "c"};
      log.identities = {"", "bot"};
      log.phases = {"all"};
      log.targets = {""};
    }
    std::string text;
    std::vector<LogEncoder> encoders(2, LogEncoder(format));
    for (std::size_t i = 0; i < 2; ++i) encoders[i].append_header(logs[i], text);
    std::size_t turn = 1;
    for (std::size_t i = 0; text.size() < 1'000'000; ++i) {
      if (random() % 900 == 0) {
        turn = 1 - turn;
        encoders[turn].append_turn(turn, text);
      }
      Log& log = logs[turn];
      Record record;
      record.sent_us = at_us(i);
      if (random() % 5 > 0) record.received_us = record.sent_us + 500;
      record.outcome = record.received_us == kNoTime ? Outcome::unknown : Outcome::allowed;
      record.key = static_cast<std::uint32_t>(random() % log.keys.size());
      record.who = random() % 2;
      if (!log.names.empty())
        log.names[0].set(log.records.size(), static_cast<std::uint32_t>(random() % 3));
      log.records.push_back(record);
      encoders[turn].append_record(log, log.records.size() - 1, text);
      if (random() % 2'000 == 0) text += "what another program wrote\n";
    }
    check_same(text);
    for (std::size_t i = 0; i < 2; ++i) {
      encoders[i].append_turn(i, text);
      encoders[i].append_end(logs[i], text);
    }
    check_same(text + "torn");
  }
}

TEST_CASE("blocks of JSON whose columns and units change give what one thread reads") {
  Random random(4);
  for (const bool changes : {false, true}) {
    const auto record = [&](std::size_t i) {
      if (changes && i == 9'000)
        return fmt::format(R"({{"ts_s":{},"user":"a","status":200}})", at_us(i) / 1'000'000);
      const bool late = changes && i > 9'000;
      const std::string time = late ? fmt::format(R"("ts":{})", at_us(i) / 1'000'000)
                                    : fmt::format(R"("time_ms":{})", at_us(i) / 1'000);
      const std::string key = random() % 3 == 0 ? "\\u0041\\n" : std::to_string(random() % 50);
      return fmt::format(R"({{{},"user":"{}","status":{},"took_ms":{}{}}})", time, key,
                         random() % 4 == 0 ? 429 : 200, random() % 30,
                         random() % 50 == 0 ? R"(,"more":{"a":[1,2]})" : "");
    };
    check_same(lines(random, record, usual_others()));
  }
}

TEST_CASE("blocks of CSV, W3C and access logs give what one thread reads") {
  Random random(5);
  SUBCASE("CSV, with cells in quotes, and names that rules count by") {
    const auto record = [&](std::size_t i) {
      return fmt::format("{},\"a \"\"{}\"\"\",{},{}", at_us(i), random() % 99,
                         random() % 3 == 0 ? "denied" : "allowed", random() % 2 == 0 ? "free" : "");
    };
    LogReadOptions options;
    options.columns.want("plan");
    check_same("time_us,key,outcome,plan\n" + lines(random, record, usual_others()), options);
  }
  SUBCASE("W3C, with columns that are named anew in the middle of a block") {
    const auto record = [&](std::size_t i) {
      const std::string names = "#Fields: date time s-ip c-ip sc-status\n";
      return (i == 16'000 ? names : "") +
             fmt::format("2024-01-01 00:{:02}:{:02} 10.0.0.{} 10.0.1.{} {}", i / 60 % 60, i % 60,
                         random() % 200, random() % 200, random() % 5 == 0 ? 429 : 200);
    };
    check_same("#Fields: date time c-ip s-ip sc-status\n" + lines(random, record, usual_others()));
  }
  SUBCASE("an access log without durations, with a line that is too long") {
    const auto record = [&](std::size_t i) {
      return fmt::format(
          R"(10.0.{}.7 - \x41 [01/Jan/2024:10:{:02}:{:02} +0000] "GET /{} HTTP/1.1" {} 5 "-" "\x22agent\x22")",
          random() % 200, i / 60 % 60, i % 60, random() % 9, random() % 5 == 0 ? 429 : 200);
    };
    auto others = usual_others();
    others.emplace_back(LineSplitter::kLongestLine + 2, 'x');
    others.emplace_back(LineSplitter::kLongestLine, 'y');
    check_same(lines(random, record, others) + "10.0.0.1 is cut");
  }
}

TEST_CASE("a line that never ends takes no more memory than one line") {
  std::string text;
  for (std::size_t i = 0; i < 2'000; ++i) text += fmt::format("{},a,allowed\n", at_us(i));
  LogReadOptions options;
  options.threads = 2;
  LogParser parser(options);
  parser.begin_file("log", 0);
  parser.feed("time_us,key,outcome\n");
  parser.feed(text);
  const std::string piece(100'000, 'x');
  for (int i = 0; i < 100; ++i) parser.feed(piece);
  parser.feed("\n" + text);
  parser.end_file();
  const ParsedLogs logs = parser.finish();
  CHECK(logs.lines == 4'001);
  CHECK(logs.examples == std::vector<std::string>{"log:2002: the line is longer than 1 MiB"});
}

}  // namespace rlctl
