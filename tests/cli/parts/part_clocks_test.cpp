// The clocks of machines that ask an HTTP service, which stamps nothing but the Date of its
// answers.
#include <doctest/doctest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/timestamp.h"
#include "cli/support/process.h"
#include "http/peer.h"
#include "io/clock.h"
#include "tools/folder.h"

namespace {

using rlctl::test::PeerConnection;

// Its clock is 5 s behind for whom it calls late: as if that machine's clock were ahead.
void answer_with_date(PeerConnection& connection) {
  while (connection.read_request()) {
    const bool late = contains(connection.request(), "X-Clock: ahead");
    const std::string date = rlctl::format_http_date(rlctl::now_us() - (late ? 5'000'000 : 0));
    if (!connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nDate: " + date + "\r\n\r\n"))
      return;
  }
}

std::string notes_on(const std::vector<std::string>& logs) {
  Arguments arguments{"verify", "--json", "--budget-late", "100%"};
  arguments.insert(arguments.end(), logs.begin(), logs.end());
  const Outcome outcome = run_rlctl(arguments);
  INFO(outcome.out << outcome.err);
  return nlohmann::json::parse(outcome.out)["notes"].dump();
}

}  // namespace

TEST_CASE("over HTTP the Date of the answers tells how far the clocks of the parts differ") {
  const rlctl::test::Peer peer(answer_with_date);
  const rlctl::test::Folder folder;
  const std::string start_at = std::to_string(rlctl::now_us() / 1'000'000 + 6);
  std::vector<std::string> logs;
  std::vector<std::thread> machines;
  for (const char* part : {"1", "2", "3"}) {
    logs.push_back(folder / (std::string(part) + ".jsonl"));
    machines.emplace_back([&, part, log = logs.back()] {
      run_rlctl({"simulate",
                 "poisson",
                 "--target",
                 peer.url("/<ip>"),
                 "--rate",
                 "150/1s",
                 "--for",
                 "2s",
                 "--users",
                 "3",
                 "--limit",
                 "9",
                 "--window",
                 "1h",
                 "--quiet",
                 "--shard",
                 std::string(part) + "/3",
                 "--start-at",
                 start_at,
                 "--log",
                 log,
                 "-H",
                 *part == '3' ? "X-Clock: ahead" : "X-Clock: sound"});
    });
  }
  for (std::thread& machine : machines) machine.join();

  const std::string agreed = notes_on({logs[0], logs[1]});
  INFO(agreed);
  CHECK(contains(agreed, "by the Date headers of the answers, the clock of part "));
  CHECK(contains(agreed, ": it is taken to agree"));
  const std::string moved = notes_on({logs[0], logs[2]});
  INFO(moved);
  CHECK(contains(moved, "by the Date headers of the answers, exact to "));
  CHECK(contains(moved, "; its times were moved by that"));
  CHECK((contains(moved, "the clock of part 3/3 is ") || contains(moved, "that of part 3/3;")));
}
