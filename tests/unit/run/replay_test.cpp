// A recorded log as a schedule.
#include "run/replay.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "tools/folder.h"

using namespace rlctl;
using rlctl::test::Folder;

namespace {

struct Line {
  std::int64_t sent_us;
  std::string key;
  std::int64_t cost = 1;
  std::string more = {};
};

std::string log_of(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) {
    const std::string time = std::to_string(1'700'000'000'000'000 + line.sent_us);
    text += R"({"sent_us":)" + time + R"(,"received_us":)" + time +
            R"(,"outcome":"denied","key":")" + line.key + R"(","cost":)" +
            std::to_string(line.cost) + line.more + "}\n";
  }
  return text;
}

std::string text_of(const ReplayPlan& plan) {
  std::string text;
  for (const Arrival& arrival : plan.arrivals)
    text += std::to_string(arrival.intended_us) + plan.keys.at(arrival.client) +
            (arrival.cost > 1 ? "x" + std::to_string(arrival.cost) : "") + " ";
  return text;
}

std::string planned(const std::string& log) {
  const Folder folder;
  return text_of(plan_replay(folder.write("log.jsonl", log)));
}

std::string refused(const std::string& path) {
  try {
    plan_replay(path);
  } catch (const Error& error) {
    CHECK(error.exit() == Exit::usage);
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("a replay keeps the gaps between requests, their keys and their costs, from 0 on") {
  CHECK(planned(log_of({{500, "a"}, {700, "b", 3}, {700, "a"}, {1'900, "b"}})) ==
        "0a 200bx3 200a 1400b ");
}

TEST_CASE("a replay is in the order of time, whatever the order of the log") {
  CHECK(planned(log_of({{900, "late"}, {100, "first"}, {500, "middle"}})) ==
        "0first 400middle 800late ");
}

TEST_CASE("a replay uses the planned times if the log has them, not the late ones") {
  const std::string planned_at = R"(,"intended_us":1700000000000000)";
  CHECK(planned(log_of({{30, "a", 1, planned_at}, {50, "b"}})) == "0a 50b ");
}

TEST_CASE("a replay has every outcome of the log as a request, even failed ones") {
  std::string log = log_of({{0, "a"}, {10, "a"}, {20, "a"}, {30, "a"}});
  for (const char* outcome : {"allowed", "unknown", "failed"})
    log.replace(log.find("denied"), 6, outcome);
  CHECK(planned(log) == "0a 10a 20a 30a ");
}

TEST_CASE("a log that can't be replayed is an error of the user") {
  const Folder folder;
  CHECK(refused(folder / "none.jsonl").find("none.jsonl") != std::string::npos);
  CHECK(refused(folder.write("noise", "neither a log\n")).find("is not in a known log format") !=
        std::string::npos);
}
