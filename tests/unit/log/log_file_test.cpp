// A log that is written while it grows: what a reader sees before the end, and what stays.
#include "log/log_file.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "tools/folder.h"

namespace rlctl {
namespace {

using test::Folder;
namespace fs = std::filesystem;

Log log_of(const std::string& algorithm, std::int64_t records) {
  Log log;
  log.algorithm = algorithm;
  log.policy = policy_of({Rule{.limit = 2, .window_us = 60'000'000}});
  log.run_id = "r";
  log.keys = {"k"};
  log.identities = {"who"};
  log.phases = {"phase"};
  for (std::int64_t i = 0; i < records; ++i) {
    Record record;
    record.sent_us = record.received_us = 1'700'000'000'000'000 + i;
    record.outcome = i < 2 ? Outcome::allowed : Outcome::denied;
    log.records.push_back(record);
  }
  return log;
}

ParsedLogs read(const std::string& path) { return read_logs(std::span(&path, 1), {}); }

constexpr std::size_t kMost = 100;

}  // namespace

TEST_CASE("a log can be read while it grows, and is told to be cut until it is whole") {
  for (const char* name : {"run.jsonl", "run.csv"}) {
    const Folder folder;
    LogWriter writer(folder / name);
    Log log = log_of("a", 3);
    writer.grow(log, 2);
    const ParsedLogs before = read(folder / (std::string(name) + ".partial"));
    CHECK(before.histories.at(0).log.records.size() == 2);
    CHECK(before.histories.at(0).log.cut == "it ends after 2 records");
    CHECK_FALSE(fs::exists(folder / name));
    log.faults.push_back({"redis_restart", 7, 9});
    writer.write(log);
    writer.close();
    const ParsedLogs after = read(folder / name);
    CHECK(after.histories.at(0).log.records.size() == 3);
    CHECK(after.histories.at(0).log.cut.empty());
    REQUIRE(after.histories.at(0).log.faults.size() == 1);
    CHECK(after.histories.at(0).log.faults[0].ended_us == 9);
    CHECK(after.bad_lines == 0);
    CHECK_FALSE(fs::exists(folder / (std::string(name) + ".partial")));
  }
}

TEST_CASE("logs that grow together take turns in one file") {
  for (const char* name : {"run.jsonl", "run.csv"}) {
    const Folder folder;
    LogWriter writer(folder / name);
    const Log a = log_of("a", 3);
    const Log b = log_of("b", 4);
    for (int i = 0; i < 3; ++i) {
      writer.grow(a, 1);
      writer.grow(b, 1);
    }
    writer.write(a);
    writer.write(b);
    writer.close();
    const ParsedLogs whole = read(folder / name);
    REQUIRE(whole.histories.size() == 2);
    for (const ParsedHistory& history : whole.histories) {
      CHECK(history.log.records.size() == (history.log.algorithm == "a" ? 3 : 4));
      CHECK(history.log.cut.empty());
    }
    CHECK(whole.bad_lines == 0);
  }
}

TEST_CASE("an admission whose finish may still come waits for it") {
  const Folder folder;
  LogWriter writer(folder / "run.jsonl");
  Log log = log_of("a", 3);
  log.has_finishes = true;
  log.unfinished = {0};
  writer.grow(log, kMost);
  CHECK(read(folder / "run.jsonl.partial").histories.at(0).log.records.size() == 2);
  log.unfinished.clear();
  const Finish finish{.sent_us = 1'700'000'000'000'009, .received_us = 1'700'000'000'000'010};
  log.set_finish(0, finish);
  writer.grow(log, kMost);
  const Log grown = read(folder / "run.jsonl.partial").histories.at(0).log;
  CHECK(grown.records.size() == 3);
  CHECK(grown.finish_of(2) == finish);
  writer.write(log);
  writer.close();
  CHECK(read(folder / "run.jsonl").histories.at(0).log.records.size() == 3);
}

TEST_CASE("what threads play together becomes one log, and can be read while it grows") {
  for (const char* name : {"run.jsonl", "run.csv"}) {
    const Folder folder;
    LogWriter writer(folder / name);
    const Log first = log_of("a", 3);
    Log second = log_of("a", 4);
    for (Record& record : second.records) record.sent_us = record.received_us += 100;
    second.unfinished = {1};
    writer.grow(first, 2, 0);
    writer.grow(second, 3, 1);
    const ParsedLogs before = read(folder / (std::string(name) + ".partial"));
    REQUIRE(before.histories.size() == 1);
    CHECK(before.histories[0].log.records.size() == 4);
    writer.grow_to_end(first, 0);
    writer.grow_to_end(second, 1);
    Log whole = first;
    whole.records.insert(whole.records.end(), second.records.begin(), second.records.end());
    writer.write(whole);
    writer.close();
    const ParsedLogs after = read(folder / name);
    REQUIRE(after.histories.size() == 1);
    CHECK(after.histories[0].log.cut.empty());
    std::set<std::int64_t> sent;
    for (const Record& record : after.histories[0].log.records) sent.insert(record.sent_us);
    CHECK(sent.size() == 7);
    CHECK(after.histories[0].log.records.size() == 7);
  }
}

TEST_CASE("what is played again is written again, behind the logs that are whole") {
  const Folder folder;
  LogWriter writer(folder / "run.jsonl");
  writer.write(log_of("first", 2));
  writer.grow(log_of("second", 9), kMost);
  writer.start_over();
  const Log again = log_of("second", 3);
  writer.grow(again, kMost);
  writer.write(again);
  writer.close();
  const ParsedLogs whole = read(folder / "run.jsonl");
  REQUIRE(whole.histories.size() == 2);
  CHECK(whole.histories[0].log.records.size() == 2);
  CHECK(whole.histories[1].log.records.size() == 3);
  CHECK(whole.histories[1].log.cut.empty());
}

TEST_CASE("a log that was cut anywhere is read, and told to be cut") {
  const Folder folder;
  LogWriter writer(folder / "run.jsonl");
  writer.write(log_of("a", 5));
  writer.close();
  const std::string text = folder.read("run.jsonl");
  const std::size_t header = text.find('\n') + 1;
  for (std::size_t size = header; size < text.size() - 1; ++size) {
    CAPTURE(size);
    const ParsedLogs cut = read(folder.write("cut.jsonl", text.substr(0, size)));
    CHECK(cut.histories.at(0).log.cut.starts_with("it ends after "));
    CHECK(cut.bad_lines == 0);
    CHECK(cut.notes.size() == (text[size - 1] == '\n' ? 0 : 1));
  }
  const std::size_t second = text.find('\n', header) + 1;
  const ParsedLogs gap =
      read(folder.write("gap.jsonl", text.substr(0, header) + text.substr(second)));
  CHECK(gap.histories.at(0).log.cut == "it has 4 of 5 records");
}

}  // namespace rlctl
