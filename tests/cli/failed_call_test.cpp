// Every call that the system may refuse is refused in turn: rlctl ends in time, without a crash,
// with an exit code of its own and at most one message.
#include <doctest/doctest.h>
#include <errno.h>

#include <algorithm>
#include <filesystem>

#include "cli/support/process.h"
#include "http/peer.h"
#include "tools/folder.h"

using rlctl::test::Folder;
using rlctl::test::Peer;
using rlctl::test::PeerConnection;
namespace fs = std::filesystem;

namespace {

struct Call {
  const char* name;
  int error;
};
constexpr Call kCalls[] = {
    {"socket", EMFILE},   {"connect", ENETUNREACH}, {"read", EIO},    {"write", ENOSPC},
    {"recv", ECONNRESET}, {"send", EPIPE},          {"open", EMFILE}, {"rename", EACCES},
    {"linkat", EIO},      {"ftruncate", EIO},       {"fsync", EIO},   {"pipe2", EMFILE},
    {"fork", EAGAIN},
};
constexpr int kMostOfEach = 12;

// A call that is not made any more leaves no mark.
bool is_refused(const Folder& folder, const Arguments& arguments, const Call& call, int nth) {
  const std::string mark = folder / "mark";
  Arguments all{"60",
                "env",
                std::string("LD_PRELOAD=") + FAIL_CALL_LIBRARY,
                std::string("FAIL_CALL=") + call.name,
                "FAIL_NTH=" + std::to_string(nth),
                "FAIL_ERRNO=" + std::to_string(call.error),
                "FAIL_MARK=" + mark,
                RLCTL_BINARY};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Outcome outcome = run_program("timeout", all);
  INFO(arguments.front() << ", " << std::string(call.name) << " " << nth << ": exit "
                         << outcome.exit << ", " << outcome.err);
  CHECK(outcome.exit <= 5);
  CHECK(std::ranges::count(outcome.err, '\n') <= 1);
  CHECK_FALSE(contains(outcome.err, "Success"));
  CHECK_FALSE(contains(outcome.err, "internal error"));
  return fs::remove(mark);
}

void refuse_each(const Folder& folder, const Arguments& arguments) {
  for (const Call& call : kCalls)
    for (int nth = 1; nth <= kMostOfEach && is_refused(folder, arguments, call, nth); ++nth)
      continue;
}

const std::string kLog = "time,key,status\n1767225600.1,u,200\n1767225600.2,u,429\n";

}  // namespace

TEST_CASE("whatever the system refuses to a judge, it ends with one message") {
  const Folder folder;
  const std::string log = folder.write("log.csv", kLog);
  refuse_each(folder, {"verify", log, "--limit", "1", "--window", "1s", "--quiet"});
  refuse_each(folder, {"report", log, "--limit", "1", "--window", "1s", "-o", folder / "r.html"});
}

TEST_CASE("whatever the system refuses to a run, it ends with one message") {
  const Folder folder;
  refuse_each(folder, {"simulate", "double-click", "--quiet", "--log", folder / "run.jsonl"});
}

TEST_CASE("whatever the system refuses to a client, it ends with one message") {
  const Folder folder;
  const Peer peer([](PeerConnection& connection) {
    while (connection.read_request() && connection.write(rlctl::test::response(200))) continue;
  });
  refuse_each(folder, {"hit", "--target", peer.url(), "--requests", "2"});
}
