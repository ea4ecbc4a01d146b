#include "log/log_parser.h"

#include <doctest/doctest.h>

#include <tuple>

#include "base/error.h"

namespace rlctl {
namespace {

ParsedLogs parsed(std::string_view text, const LogReadOptions& options = {}) {
  LogParser parser(options);
  parser.begin_file("test.log", 0);
  parser.feed(text);
  parser.end_file();
  return parser.finish();
}

std::string problem_of(std::string_view text, const LogReadOptions& options = {}) {
  try {
    parsed(text, options);
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    return std::string(error.what()) + "\n" + error.hint();
  }
  return "none";
}

const Record& only_record(const ParsedLogs& logs) {
  REQUIRE(logs.histories.size() == 1);
  REQUIRE(logs.histories[0].log.records.size() == 1);
  return logs.histories[0].log.records[0];
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

LogReadOptions with_format(const std::string& format) {
  LogReadOptions options;
  options.format = format;
  return options;
}

constexpr std::int64_t kStamp = 1'700'000'000'000'000;  // 14/Nov/2023:22:13:20 +0000

TEST_CASE("a decision in a combined log lies in the second of its stamp") {
  const ParsedLogs logs =
      parsed(R"(10.0.0.1 - bob [14/Nov/2023:23:13:20 +0100] "GET /a\"b HTTP/1.1" 429 5 "-" "x")"
             "\n");
  const Record& record = only_record(logs);
  CHECK(record.sent_us == kStamp);
  CHECK(record.received_us == kStamp + 999'999);
  CHECK(record.outcome == Outcome::denied);
  CHECK(record.status == 429);
  CHECK(logs.histories[0].log.keys[0] == "10.0.0.1");
  CHECK(logs.notes.empty());
  CHECK(logs.histories[0].log.slow_before_us == 60'000'000);  // the format of nginx and of Apache
  CHECK(logs.histories[0].log.slow_after_us == 60'000'000);
}

TEST_CASE("any variable of a log_format can be the key, and a request time widens the interval") {
  LogReadOptions options = with_format("k=$arg_user $msec ${request_time} $status");
  options.columns = LogColumns({}, parse_column_name("arg_user"), {}, {});
  const ParsedLogs logs = parsed("k=u\\x221 1700000000.250 0.125 200\n", options);
  const Record& record = only_record(logs);
  CHECK(logs.histories[0].log.keys[0] == "u\"1");
  CHECK(record.sent_us == kStamp + 124'001);  // nginx cuts what is below a ms
  CHECK(record.received_us == kStamp + 250'999);
}

TEST_CASE("an Apache log is stamped when a request starts") {
  LogReadOptions options = with_format("apache");
  options.longest_us = 2'000'000;
  const Record record =
      only_record(parsed("h - - [14/Nov/2023:22:13:20 +0000] \"GET / HTTP/1.1\" 200 5\n", options));
  CHECK(record.sent_us == kStamp);
  CHECK(record.received_us == kStamp + 2'999'999);
}

TEST_CASE("an HAProxy log gives address, milliseconds and duration") {
  const ParsedLogs logs = parsed(
      "Nov 14 22:13:20 lb haproxy[1]: 2001:db8::1:33317 [14/Nov/2023:22:13:20.655] in "
      "static/srv1 10/0/30/69/+109 429 2750 - - ---- 1/1/1/1/0 0/0 \"GET / HTTP/1.1\"\n");
  const Record& record = only_record(logs);
  CHECK(logs.histories[0].log.keys[0] == "2001:db8::1");
  CHECK(record.sent_us == kStamp + 655'000);
  CHECK(record.received_us == kStamp + 765'998);
  CHECK(record.outcome == Outcome::denied);
}

TEST_CASE("columns are found by their names, and units by the size of the numbers") {
  const ParsedLogs logs =
      parsed("took_ms;ip;status;timestamp\r\n250;\"a;\"\"b\";200;1700000000250\r\n");
  const Record& record = only_record(logs);
  CHECK(logs.histories[0].log.keys[0] == "a;\"b");
  CHECK(record.sent_us == kStamp - 999);
  CHECK(record.received_us == kStamp + 250'999);
  CHECK(record.outcome == Outcome::allowed);
}

TEST_CASE("fields of nested objects are named with dots") {
  LogReadOptions options;
  options.columns = LogColumns({}, parse_column_name("request.remote_ip"), {}, {});
  const ParsedLogs logs =
      parsed(R"({"ts": 1700000000.5, "request": {"a": [{"x": 1}], "remote_ip": "1.2.3.4"}, )"
             R"("duration": 0.5, "status": 503})",
             options);
  const Record& record = only_record(logs);
  CHECK(logs.histories[0].log.keys[0] == "1.2.3.4");
  CHECK(record.sent_us == kStamp - 99'999);
  CHECK(record.outcome == Outcome::unknown);
  REQUIRE(logs.notes.size() == 1);
  CHECK(holds(logs.notes[0], "--denied 503"));
}

TEST_CASE("a log in which no line has a duration has no latencies") {
  const auto lacks = [](const char* text, const LogReadOptions& options = {}) {
    return parsed(text, options).histories.at(0).log.lacks_durations;
  };
  LogReadOptions longest;
  longest.longest_us = 5'000'000;
  CHECK(lacks("time,key,decision\n1700000000,a,PASSED\n"));
  CHECK(lacks("time,key,status\n1700000000,a,200\n", longest));
  CHECK_FALSE(lacks("time,key,status,took_ms\n1700000000,a,200,\n1700000000,a,200,3\n"));
  CHECK_FALSE(lacks("sent_us,received_us,key,outcome\n1,2,a,allowed\n"));
}

TEST_CASE("only a request that failed before it was sent may have no time") {
  const std::string line =
      R"({"sent_us":null,"received_us":null,"intended_us":5,"outcome":"failed","key":"k"})";
  CHECK(only_record(parsed(line)).outcome == Outcome::failed);
  CHECK(only_record(parsed("sent_us,received_us,key,outcome\n,,k,failed\n")).sent_us == kNoTime);
  std::string denied = line;
  CHECK(holds(problem_of(denied.replace(denied.find("failed"), 6, "denied")), "has no time"));
}

TEST_CASE("of several files, one with durations is enough for latencies") {
  const char* without = "time,key,status\n1700000000,a,200\n";
  const char* with = "time,key,status,took_ms\n1700000001,a,200,3\n";
  for (const auto& files : {std::pair(without, with), std::pair(with, without)}) {
    LogParser parser({});
    for (const char* text : {files.first, files.second}) {
      parser.begin_file("test.log", 0);
      parser.feed(text);
      parser.end_file();
    }
    CHECK_FALSE(parser.finish().histories.at(0).log.lacks_durations);
  }
}

TEST_CASE("a decision may be a word") {
  const ParsedLogs logs =
      parsed("time,key,decision\n1700000000,a,PASSED\n1700000000,a,REJECTED\n1700000000,a,true\n");
  const auto& records = logs.histories.at(0).log.records;
  REQUIRE(records.size() == 3);
  CHECK(records[0].outcome == Outcome::allowed);
  CHECK(records[1].outcome == Outcome::denied);
  CHECK(records[2].outcome == Outcome::allowed);
}

TEST_CASE("a CSV without a needed column names the options for it and the columns") {
  const std::string problem = problem_of("when,key,status\n1,a,200\n");
  CHECK(holds(problem, "--time-column"));
  CHECK(holds(problem, "when, key, status"));
  CHECK(holds(problem_of("time,status\n1,200\n"), "--key-column"));
  CHECK(holds(problem_of("time,key\n1,a\n"), "--status-column"));
}

TEST_CASE("JSON without a known column names the option for it and the columns") {
  const std::string problem =
      problem_of(R"({"at":1700000000.5,"request":{"user":{"id":"a"},"path":"/"},"code":200})"
                 "\n");
  CHECK(holds(problem, "test.log:1: the line has no time: name the column with --time-column"));
  CHECK(holds(problem, "the columns are at, request.user.id, request.path, code\n"));
  CHECK(problem.ends_with(
      "the first such line has at '1700000000.5', request.user.id 'a', request.path '/', code "
      "'200'; if that is right, add --time-column at --status-column code"));
  CHECK(holds(problem_of("{\"ts\":1700000000,\"\\u001b[2J\":\"a\",\"code\":200}\n"),
              "no key: name the column with --key-column\n  the columns are ts, \\x1b[2J, code"));
  CHECK(
      holds(problem_of(R"({"ts":1700000000,"ip":"a","verdict":"no"})"
                       "\n"),
            "no outcome: name the column with --status-column\n  the columns are ts, ip, verdict"));
}

TEST_CASE("bad lines are counted and shown with file and line") {
  std::string text = "time,key,status\n";
  for (int i = 0; i < 200; ++i) text += "1700000000,a,200\n";
  text += "1700000000,a\n";
  const ParsedLogs logs = parsed(text);
  CHECK(logs.bad_lines == 1);
  REQUIRE(logs.examples.size() == 1);
  CHECK(logs.examples[0] == "test.log:202: too few cells");
}

TEST_CASE("a log with too many bad lines is refused") {
  const std::string problem = problem_of("time,key,status\n1700000000,a,200\n1700000000,a,b,c\n");
  CHECK(holds(problem, "1 of 2 lines"));
  CHECK(holds(problem, "test.log:3: too many cells"));
}

TEST_CASE("hostile lines are bad lines, each with its reason") {
  const auto reason = [](const std::string& line) {
    LogReadOptions options;
    options.bad_lines = 1;
    const ParsedLogs logs = parsed(R"({"sent_us":1,"key":"a","outcome":"denied"})"
                                   "\n" +
                                       line + "\n",
                                   options);
    CHECK(logs.histories.at(0).log.records.size() == 1);
    REQUIRE(logs.examples.size() == 1);
    return logs.examples[0];
  };
  const std::string good = R"("key":"a","outcome":"allowed"})";
  CHECK(holds(reason(std::string("{\"sent_us\":1,\0", 14) + good), "NUL"));
  CHECK(holds(reason("{\"sent_us\":1,\"key\":\"\xff\",\"outcome\":\"allowed\"}"), "JSON"));
  CHECK(holds(reason("{\"sent_us\":9223372036854775807," + good), "years 1970 and 9999"));
  CHECK(holds(reason("{\"sent_us\":99999999999999999999999," + good), "years 1970 and 9999"));
  CHECK(holds(reason("{\"sent_us\":1.5," + good), "whole number"));
  CHECK(holds(reason("{\"sent_us\":-1," + good), "whole number"));
  CHECK(holds(reason("{\"sent_us\":01," + good), "JSON"));
  CHECK(holds(reason("{\"sent_us\":2,\"received_us\":1," + good), "before the send time"));
  CHECK(holds(reason("{\"sent_us\":2,\"sent_us\":2," + good), "twice"));
  CHECK(holds(reason("{\"sent_us\":2," + good + "x"), "JSON"));
  CHECK(holds(reason(std::string(100'000, '[')), "JSON"));
  CHECK(holds(reason("{\"a\":" + std::string(100'000, '[')), "deeply"));
  CHECK(holds(reason(R"({"sent_us":1,"key":"a","outcome":"maybe"})"), "outcome"));
  CHECK(holds(reason(R"({"sent_us":1,"outcome":"allowed"})"), "--key-column"));
  CHECK(holds(reason(R"({"key":"a","outcome":"allowed"})"), "--time-column"));
  CHECK(holds(reason(R"({"sent_us":1,"key":"a","key_b64":"!","outcome":"allowed"})"), "base64"));
  CHECK(holds(reason(R"({"sent_us":1,"key":"a","outcome":"allowed","cost":0})"), "cost"));
}

TEST_CASE("a line of any length needs little memory and is one bad line") {
  LogReadOptions options;
  options.bad_lines = 1;
  LogParser parser(options);
  parser.begin_file("long.log", 0);
  parser.feed("{\"sent_us\":1,\"key\":\"a\",\"outcome\":\"denied\"}\n");
  const std::string chunk(1 << 20, 'x');
  for (int i = 0; i < 64; ++i) parser.feed(chunk);
  parser.feed("\n{\"sent_us\":1,\"key\":\"a\",\"outcome\":\"denied\"}");
  parser.end_file();
  const ParsedLogs logs = parser.finish();
  CHECK(logs.histories.at(0).log.records.size() == 2);
  REQUIRE(logs.examples.size() == 1);
  CHECK(logs.examples[0] == "long.log:2: the line is longer than 1 MiB");
}

TEST_CASE("a byte order mark, CRLF and an unfinished last line are accepted") {
  const ParsedLogs logs = parsed(
      "\xEF\xBB\xBF{\"sent_us\":1,\"key\":\"a\",\"outcome\":\"denied\"}\r\n\r\n"
      "{\"sent_us\":2,\"key\":\"a\",\"outcome\":\"denied\"}");
  CHECK(logs.bad_lines == 0);
  CHECK(logs.histories.at(0).log.records.size() == 2);
}

TEST_CASE("input that is not a log is refused in one sentence") {
  std::string noise;
  for (int i = 0; i < 100; ++i)
    noise +=
        "\x7f"
        "ELF\x1b[2J noise\n";
  CHECK(holds(problem_of(noise), "is not in a known log format"));
  CHECK(holds(problem_of("noise\n"), "is not in a known log format"));
  CHECK(holds(problem_of(""), "the log has no records"));
  CHECK(holds(problem_of("x\n", with_format("ngnix")), "did you mean 'nginx'"));
  CHECK(holds(problem_of("x\n", with_format("$a$b")), "no text between"));
  CHECK(holds(problem_of("x\n", with_format("$a ")), "no variable has the time"));
}

TEST_CASE("a column that the user named and no line has is refused, whatever the format") {
  const std::string texts[] = {
      "{\"ts\":\"2026-01-01T00:00:00Z\",\"user\":\"a\",\"outcome\":\"denied\"}\n",
      "ts,user,outcome\n2026-01-01T00:00:00Z,a,denied\n",
      "10.0.0.1 - - [21/Nov/2026:00:00:00 +0000] \"GET / HTTP/1.1\" 200 512\n"};
  const ColumnName none;
  const ColumnName typo = parse_column_name("nope");
  for (const std::string& text : texts) {
    CAPTURE(text);
    const auto problem = [&](LogColumns columns) {
      LogReadOptions options;
      options.columns = std::move(columns);
      return problem_of(text, options);
    };
    for (const auto& [option, columns] :
         {std::pair{"--time-column: ", LogColumns(typo, none, none, none)},
          {"--key-column: ", LogColumns(none, typo, none, none)},
          {"--status-column: ", LogColumns(none, none, typo, none)},
          {"--duration-column: ", LogColumns(none, none, none, typo)}}) {
      CAPTURE(option);
      const std::string said = problem(columns);
      CAPTURE(said);
      CHECK(said.starts_with(option));
      CHECK(holds(said, "'nope'"));
    }
  }
}

TEST_CASE("a request took as long as its line says, however coarse the stamp is") {
  const auto line = [](const char* second, const char* took) {
    return std::string(R"(10.0.0.1 - - [14/Nov/2023:22:13:)") + second +
           R"( +0000] "GET / HTTP/1.1" 200 5 "-" "x" rt=)" + took + "\n";
  };
  const Log log = parsed(line("20", "0.250") + line("21", "0.000")).histories.at(0).log;
  REQUIRE(log.records.size() == 2);
  CHECK(log.widened_us == 999'999);
  CHECK_FALSE(log.lacks_latencies);
  CHECK(log.latency_us(log.records[0], log.records[0].sent_us) == 250'999);
  CHECK(log.latency_us(log.records[1], log.records[1].sent_us) == 999);

  const auto stamped = [](const char* time) {
    return std::string(R"({"ts":")") + time +
           R"(","user":"a","status":200,"duration_ms":5})"
           "\n";
  };
  const std::string seconds = stamped("2026-01-01T00:00:00Z");
  CHECK_FALSE(parsed(seconds).histories.at(0).log.lacks_latencies);
  const Log mixed = parsed(seconds + stamped("2026-01-01T00:00:01.5Z")).histories.at(0).log;
  CHECK_FALSE(mixed.lacks_durations);
  CHECK(mixed.lacks_latencies);
}

TEST_CASE("a wrong header stops the parser and names its line") {
  CHECK(holds(problem_of("{\"rlctl_log\":1}\n"), "test.log:1: "));
  CHECK(holds(problem_of("{\"rlctl_log\":1}\n"), "version 2"));
  CHECK(
      holds(problem_of(
                "{\"rlctl_log\":2,\"policy\":{\"rules\":[{\"kind\":\"sliding\",\"limit\":-1}]}}\n"),
            "limit"));
  CHECK(holds(problem_of("{\"rlctl_log\":2,\"policy\":{\"rules\":[{\"kind\":\"sliding\",\"limit\":"
                         "9223372036854775808}]}}\n"),
              "limit"));
  CHECK(holds(problem_of("{\"rlctl_log\":2,\"contract\":[{\"kind\":\"odd\"}]}\n"), "'odd'"));
  CHECK(holds(problem_of("{\"rlctl_log\":2,\"x\":" + std::string(1000, '[') + "\n"), "deeply"));
  CHECK(holds(problem_of("{\"rlctl_log\":2,\"limit\"\n"), "JSON"));
  std::string names = "0";
  for (int i = 1; i <= 20; ++i) names += ",0";
  CHECK(holds(problem_of("{\"rlctl_log\":2,\"names\":[" + names + "]}\n"), "more than 20 names"));
}

TEST_CASE("the same part of a run in two files is refused") {
  const std::string text = "{\"rlctl_log\":2,\"run_id\":\"r\",\"shard\":\"1/2\"}\n";
  LogParser parser{LogReadOptions()};
  parser.begin_file("a", 0);
  parser.feed(text);
  parser.end_file();
  parser.begin_file("b", 0);
  CHECK_THROWS_AS(parser.feed(text), Error);
}

std::string header_of(const std::string& run, const std::string& shard) {
  return R"({"rlctl_log":2,"run_id":")" + run + R"(","shard":")" + shard + "\"}\n";
}

// A file for each text.
ParsedLogs parsed_files(const std::vector<std::string>& texts) {
  LogParser parser{LogReadOptions()};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    parser.begin_file("part" + std::to_string(i + 1), 0);
    parser.feed(texts[i]);
    parser.end_file();
  }
  return parser.finish();
}

// A file for each part, with one record.
ParsedLogs parts_of_a_run(const std::vector<std::string>& shards) {
  std::vector<std::string> texts;
  for (const std::string& shard : shards)
    texts.push_back(header_of("r", shard) +
                    "{\"sent_us\":1,\"key\":\"a\",\"outcome\":\"denied\"}\n");
  return parsed_files(texts);
}

TEST_CASE("two parts of a run become one history") {
  const ParsedLogs logs = parts_of_a_run({"1/2", "2/2"});
  REQUIRE(logs.histories.size() == 1);
  CHECK(logs.histories[0].log.records.size() == 2);
  CHECK(logs.place_of(logs.histories[0], 1) == "part2:2");
  CHECK(logs.histories[0].log.shard == kWholeRun);
  CHECK(logs.histories[0].log.missing.empty());
}

TEST_CASE("of several logs, those that were cut are named") {
  const std::string header = R"({"rlctl_log":2,"ends":true})"
                             "\n";
  const std::string record = "{\"sent_us\":1,\"key\":\"a\",\"outcome\":\"denied\"}\n";
  const std::string whole = header + record +
                            R"({"rlctl_log_end":{"records":1}})"
                            "\n";
  const auto cut_of = [](const std::vector<std::string>& texts) {
    return parsed_files(texts).histories.at(0).log.cut;
  };
  CHECK(cut_of({header + record}) == "it ends after 1 record");
  CHECK(cut_of({whole, header + record}) == "'part2' ends after 1 record");
  CHECK(cut_of({header + record, whole, header + record + record}) ==
        "'part1' ends after 1 record, 'part3' ends after 2 records");
}

TEST_CASE("keys are fresh if the headers of all parts say so") {
  const auto of_fresh = [](std::string header) {
    return header.insert(header.find(R"("run_id")"), R"("fresh":true,)");
  };
  const auto is_fresh = [](const std::vector<std::string>& headers) {
    return parsed_files(headers).histories.at(0).log.terms.fresh;
  };
  const std::string first = header_of("r", "1/2");
  const std::string second = header_of("r", "2/2");
  CHECK(is_fresh({of_fresh(first), of_fresh(second)}));
  CHECK_FALSE(is_fresh({of_fresh(first), second}));
  CHECK_FALSE(is_fresh({first, of_fresh(second)}));
}

TEST_CASE("an incomplete run is recognized, and its missing parts are named") {
  const ParsedLogs logs = parts_of_a_run({"3/3", "1/3"});
  REQUIRE(logs.histories.size() == 1);
  CHECK(logs.histories[0].log.shard == "1/3, 3/3");
  CHECK(logs.histories[0].log.missing == "2/3");
  CHECK(parts_of_a_run({"2/900"}).histories[0].log.missing ==
        "1/900, 3/900, 4/900, 5/900, 6/900 and 894 more");
}

TEST_CASE("several runs that become one history are told") {
  const ParsedLogs two = parsed_files({header_of("r", "1/1"), header_of("s", "1/1")});
  CHECK(two.histories.at(0).log.runs == std::vector<std::string>{"r", "s"});
  CHECK(two.notes.at(0).starts_with("2 runs ('r', 's') are taken as one history: "));
  std::vector<std::string> seven;
  for (const char* id : {"a", "b", "c", "d", "e", "f", "g"}) seven.push_back(header_of(id, "1/1"));
  CHECK(holds(parsed_files(seven).notes.at(0), "7 runs ('a', 'b', 'c', 'd', 'e' and 2 more)"));
}

TEST_CASE("parts that cannot be one run are refused") {
  const auto refusal = [](const std::vector<std::string>& headers) {
    try {
      parsed_files(headers);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  CHECK(refusal({header_of("r", "1/2"), header_of("r", "2/2")}) == "none");
  CHECK(refusal({header_of("r", "1/1"), header_of("s", "1/1")}) == "none");
  CHECK(holds(refusal({header_of("r", "1/2"), header_of("r", "2/3")}), "run 'r' has 2 parts"));
  CHECK(holds(refusal({header_of("r", "1/2"), header_of("s", "2/2")}), "mixed with run 'r'"));
  CHECK(holds(refusal({header_of("r", "1/1"), header_of("s", "2/2")}), "mixed with run 'r'"));
  const auto of_other = [](std::string header) {
    return header.insert(header.find(R"("run_id")"), R"("history":"other",)");
  };
  CHECK(holds(refusal({header_of("r", "1/2"), of_other(header_of("s", "2/2"))}),
              "run 'r' lacks part 2/2, and there are logs of run 's'"));
  CHECK(holds(refusal({header_of("r", "1/1"), of_other(header_of("s", "2/3"))}),
              "run 's' lacks part 1/3, 3/3, and there are logs of run 'r'"));
  CHECK(refusal({header_of("r", "1/2"), header_of("r", "2/2"), of_other(header_of("s", "1/1"))}) ==
        "none");
  CHECK(holds(refusal({header_of("r", "3/2")}), "not a part such as 1/3"));
  CHECK(holds(refusal({header_of("r", "all")}), "not a part such as 1/3"));
}

// Two decisions by one clock of the server, which the machine sees `ahead_us` later.
std::string stamped(const std::string& shard, std::int64_t ahead_us) {
  std::string text = header_of("r", shard);
  for (const std::int64_t at_us : {1'000'000, 2'000'000})
    text += R"({"key":"a","outcome":"allowed","intended_us":)" + std::to_string(at_us + ahead_us) +
            R"(,"sent_us":)" + std::to_string(at_us + ahead_us) + R"(,"received_us":)" +
            std::to_string(at_us + ahead_us + 200) + R"(,"server_us":)" +
            std::to_string(at_us + 100) + "}\n";
  return text + R"({"key":"a","outcome":"unknown","sent_us":)" +
         std::to_string(3'000'000 + ahead_us) + "}\n";
}

TEST_CASE("machines whose clocks differ are brought to one clock by the server's stamps") {
  const ParsedLogs logs = parsed_files({stamped("1/2", 0), stamped("2/2", 5'000'000)});
  const std::vector<Record>& records = logs.histories[0].log.records;
  REQUIRE(records.size() == 6);
  for (const std::size_t i : {0U, 1U}) {
    CHECK(records[i].sent_us == records[i + 3].sent_us);
    CHECK(records[i].intended_us == records[i + 3].intended_us);
    CHECK(records[i].received_us == records[i + 3].received_us);
    CHECK(records[i].server_us == records[i + 3].server_us);
  }
  // Without a stamp, what is not known of the clocks widens the interval.
  CHECK(records[5].sent_us == 3'000'000 - 400);
  REQUIRE(logs.notes.size() == 1);
  INFO(logs.notes[0]);
  CHECK(holds(logs.notes[0], "the clock of part 2/2 is 5.00 s ahead of that of part 1/2"));
}

TEST_CASE("clocks that may agree are left alone, and unknown ones are told") {
  CHECK(parsed_files({stamped("1/2", 0), stamped("2/2", 50)}).notes.empty());
  const ParsedLogs unknown = parts_of_a_run({"1/2", "2/2"});
  REQUIRE(unknown.notes.size() == 1);
  CHECK(holds(unknown.notes[0], "the clock of part 2/2: it is taken to agree"));
}

TEST_CASE("the ends of the parts of a run tell together when it began and what was never sent") {
  const auto part = [](const std::string& shard, const std::string& end) {
    return header_of("r", shard) + R"({"rlctl_log_end":{"records":0,)" + end + "}}\n";
  };
  const ParsedLogs logs = parsed_files(
      {part("1/2", R"("began_us":900,"phases":[{"name":"a","started_us":1000,"ended_us":5000,)"
                   R"("dropped":2,"completed":1}])"),
       part("2/2", R"("began_us":800,"phases":[{"name":"a","started_us":1100,"ended_us":5100,)"
                   R"("dropped":3,"completed":0},{"name":"b","started_us":6000,"ended_us":7000},)"
                   R"({"name":"c","started_us":-1,"ended_us":7000},7])")});
  const Log& log = logs.histories[0].log;
  CHECK(log.began_us == 800);
  REQUIRE(log.played.size() == 2);
  const LoggedPhase& a = log.played[0];
  CHECK(std::tuple(a.name, a.started_us, a.ended_us, a.dropped, a.completed) ==
        std::tuple("a", 1000, 5100, 5, 1));
  CHECK(log.played[1].name == "b");
  CHECK(log.dropped() == 5);
}

// Decisions without stamps, and how far the server's clock is ahead by the Date of its answers.
std::string dated(const std::string& shard, std::int64_t low_us, std::int64_t high_us) {
  return header_of("r", shard) +
         R"({"key":"a","outcome":"denied","sent_us":9000000,"received_us":9000200})"
         "\n"
         R"({"rlctl_log_end":{"records":1,"server_ahead_us":[)" +
         std::to_string(low_us) + "," + std::to_string(high_us) + "]}}\n";
}

TEST_CASE("machines without stamps are brought to one clock by the Date of the answers") {
  const ParsedLogs logs =
      parsed_files({dated("1/2", -4'000, 6'000), dated("2/2", -5'003'000, -4'993'000)});
  const std::vector<Record>& records = logs.histories[0].log.records;
  REQUIRE(records.size() == 2);
  // What is not known of the clocks widens the interval.
  CHECK(records[0].sent_us == 9'000'000);
  CHECK(records[1].sent_us == 9'000'000 - 4'999'000 - 20'000);
  CHECK(records[1].received_us == 9'000'200 - 4'999'000 + 20'000);
  REQUIRE(logs.notes.size() == 1);
  CHECK(logs.notes[0] ==
        "by the Date headers of the answers, exact to 20.0 ms, the clock of part 2/2 is 5.00 s "
        "ahead of that of part 1/2; its times were moved by that");
}

TEST_CASE("clocks that agree by the Date of the answers are told to do so, and how exactly") {
  const auto note = [](const std::vector<std::string>& parts) {
    const ParsedLogs logs = parsed_files(parts);
    CHECK(logs.histories[0].log.records.back().sent_us == 9'000'000);
    REQUIRE(logs.notes.size() == 1);
    return logs.notes[0];
  };
  CHECK(note({dated("1/2", -4'000, 6'000), dated("2/2", -3'000, 9'000)}) ==
        "by the Date headers of the answers, the clock of part 2/2 differs by at most 13.0 ms from "
        "that of part 1/2: it is taken to agree");
  CHECK(holds(note({dated("1/3", 0, 1'000), dated("2/3", 0, 1'000), dated("3/3", 0, 1'000)}),
              "the clocks of 2 parts differ by at most 1.00 ms from that of part 1/3: they are"));
  // A range that cannot be, and one of a part that has no end.
  CHECK(holds(note({dated("1/2", 0, 1'000), dated("2/2", 7, 3)}), "no times of the server tell"));
  std::string cut = dated("2/2", 0, 1'000);
  cut.resize(cut.find(R"({"rlctl_log_end")"));
  CHECK(holds(note({dated("1/2", 0, 1'000), cut}), "no times of the server tell"));
}

TEST_CASE("the clocks of many machines are told in one sentence") {
  const std::vector<std::string> parts{stamped("1/3", 0), stamped("2/3", 5'000'000),
                                       stamped("3/3", 7'000'000)};
  const ParsedLogs moved = parsed_files(parts);
  REQUIRE(moved.notes.size() == 1);
  CHECK(holds(moved.notes[0], "the clocks of 2 parts differ from that of part 1/3"));
  CHECK(holds(moved.notes[0], "part 3/3, which is 7.00 s ahead"));
  const ParsedLogs unknown = parts_of_a_run({"1/3", "2/3", "3/3"});
  REQUIRE(unknown.notes.size() == 1);
  CHECK(holds(unknown.notes[0], "the clocks of 2 parts: they are taken to agree"));
}

TEST_CASE("a repeated line is reported") {
  const std::string line = "{\"sent_us\":1,\"key\":\"a\",\"outcome\":\"denied\"}\n";
  const ParsedLogs logs = parsed(line + line);
  REQUIRE(logs.notes.size() == 1);
  CHECK(holds(logs.notes[0], "1 line repeats"));
}

TEST_CASE("requests of one instant in a log that counts its records are no repeated lines") {
  const std::string line = "{\"sent_us\":1,\"key\":\"a\",\"outcome\":\"denied\"}\n";
  const ParsedLogs logs = parsed("{\"rlctl_log\":2,\"ends\":true}\n" + line + line +
                                 "{\"rlctl_log_end\":{\"records\":2}}\n");
  CHECK(logs.notes.empty());
  CHECK(logs.histories[0].log.cut.empty());
}

TEST_CASE("a list of status codes is validated") {
  const StatusSet set("200-399,404", "--allowed");
  CHECK(set.has(200));
  CHECK(set.has(404));
  CHECK_FALSE(set.has(403));
  for (const char* wrong : {"", "20", "300-200", "0xx", "200,", "1000"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(StatusSet(wrong, "--allowed"), Error);
  }
}

}  // namespace
}  // namespace rlctl
