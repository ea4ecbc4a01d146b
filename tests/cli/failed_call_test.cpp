// Every call that the system may refuse is refused in turn: rlctl ends in time, without a crash,
// with an exit code of its own and at most one message.
#include <doctest/doctest.h>
#include <errno.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "cli/support/process.h"
#include "cli/support/test_redis.h"
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
    {"socket", EMFILE},    {"connect", ENETUNREACH}, {"accept4", EMFILE}, {"read", EIO},
    {"write", ENOSPC},     {"recv", ECONNRESET},     {"send", EPIPE},     {"open", EMFILE},
    {"rename", EACCES},    {"linkat", EIO},          {"ftruncate", EIO},  {"fsync", EIO},
    {"flock", ENOLCK},     {"pipe2", EMFILE},        {"fork", EAGAIN},    {"epoll_wait", EBADF},
    {"epoll_ctl", ENOMEM},
};

// A service is asked once when it listens, and then told to end. The output of the run before must
// be gone, or it is told to end while it starts.
constexpr const char* kServe =
    "out=$1; shift; : >\"$out\"; \"$@\" >>\"$out\" & pid=$!; tries=0\n"
    "while [ $tries -lt 500 ] && kill -0 $pid 2>&- && ! grep -q http \"$out\"; do\n"
    "  sleep 0.02; tries=$((tries + 1)); done\n"
    "url=$(sed -n 's|.*\\(http://[0-9.:]*\\).*|\\1|p' \"$out\" | head -n 1)\n"
    "[ -z \"$url\" ] || curl -s -m 5 -o /dev/null \"$url/x\"\n"
    "kill -TERM $pid 2>&-; wait $pid";

// rlctl with these arguments and this library, in at most a minute.
Outcome run_with(const std::string& library, const Arguments& environment,
                 const Arguments& arguments, const Folder& folder) {
  Arguments all{"60"};
  if (arguments.front() == "serve")
    all.insert(all.end(), {"sh", "-c", kServe, "sh", folder / "out"});
  // Else a rlctl with ASan refuses the library, and no call is ever refused.
  all.insert(all.end(), {"env", "ASAN_OPTIONS=verify_asan_link_order=0", "LD_PRELOAD=" + library});
  all.insert(all.end(), environment.begin(), environment.end());
  all.push_back(RLCTL_BINARY);
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_program("timeout", all);
}

void check_ended_well(const Outcome& outcome) {
  CHECK(outcome.exit <= 5);
  CHECK(std::ranges::count(outcome.err, '\n') <= 1);
  CHECK_FALSE(contains(outcome.err, "Success"));
  CHECK_FALSE(contains(outcome.err, "internal error"));
}

// A call that is not made so often leaves no mark.
bool is_refused(const Folder& folder, const Arguments& arguments, const Call& call, long nth) {
  const std::string mark = folder / "mark";
  const Outcome outcome =
      run_with(FAIL_CALL_LIBRARY,
               {std::string("FAIL_CALL=") + call.name, "FAIL_NTH=" + std::to_string(nth),
                "FAIL_ERRNO=" + std::to_string(call.error), "FAIL_MARK=" + mark},
               arguments, folder);
  INFO(arguments.front() << ", " << std::string(call.name) << " " << nth << ": exit "
                         << outcome.exit << ", " << outcome.err);
  check_ended_well(outcome);
  return fs::remove(mark);
}

// How often each is called if nothing fails.
std::map<std::string, long> counts_of(const Folder& folder, const Arguments& arguments) {
  const std::string mark = folder / "mark";
  const Outcome outcome = run_with(FAIL_CALL_LIBRARY, {"FAIL_MARK=" + mark}, arguments, folder);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit <= 1);
  std::istringstream lines(folder.read("mark"));
  fs::remove(mark);
  std::map<std::string, long> counts;
  std::string name;
  for (long count = 0; lines >> count >> name;) counts[name] = count;
  return counts;
}

// The first two of each call, the one in the middle and the last.
void refuse_each(const Folder& folder, const Arguments& arguments) {
  const std::map<std::string, long> counts = counts_of(folder, arguments);
  std::size_t refused = 0;
  for (const Call& call : kCalls) {
    const auto made = counts.find(call.name);
    if (made == counts.end()) continue;
    const long last = made->second;
    for (const long nth : std::set<long>{1, std::min(2L, last), (last + 1) / 2, last})
      refused += is_refused(folder, arguments, call, nth);
  }
  CHECK(refused >= counts.size());
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

TEST_CASE("whatever the system refuses to a scenario, it ends with one message") {
  const Folder folder;
  const std::string scenario = folder.write("one.json", R"({
    "name": "one", "clock": "wall", "verdict": "any",
    "policies": {"api": {"algo": "fixed", "limit": 5, "window": "1s", "key": "k"}},
    "identities": {"bot": {"ip": "203.0.113.7"}},
    "phases": [{"name": "all", "policy": "api", "who": "bot", "rate": "50/1s", "for": "200ms"}]})");
  refuse_each(folder, {"run", scenario, "--quiet", "--attempts", "1", "--log", folder / "r.jsonl"});
}

TEST_CASE("whatever the system refuses to a bench, it ends with one message") {
  const Folder folder;
  refuse_each(folder, {"bench", "--algo", "fixed", "--rounds", "1", "--requests", "20", "--users",
                       "2", "--only", "speed", "--quiet", "--log", folder / "bench.jsonl"});
}

TEST_CASE("whatever the system refuses to a client, it ends with one message") {
  const Folder folder;
  const Peer peer([](PeerConnection& connection) {
    while (connection.read_request() && connection.write(rlctl::test::response(200))) continue;
  });
  refuse_each(folder, {"hit", "--target", peer.url(), "--requests", "2"});
}

TEST_CASE("whatever the system refuses to a service, it ends with one message when it is told to") {
  const Folder folder;
  refuse_each(folder, {"serve", "--listen", "127.0.0.1:0", "--route", "/x", "--limit", "5",
                       "--window", "1m", "--quiet"});
}

TEST_CASE("whatever the system refuses to a verb that looks at keys, it ends with one message") {
  TestRedis redis;
  const Folder folder;
  redis.command({"SET", "rl:10.0.0.1", "3", "PX", "600000"});
  const auto at = [&](Arguments arguments) {
    arguments.insert(arguments.end(), {"--redis", redis.url()});
    refuse_each(folder, arguments);
  };
  at({"list"});
  at({"watch", "--once"});
  at({"doctor"});
  at({"load", "fixed"});
  at({"reset", "10.0.0.1", "--yes"});
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("when memory can't be had, rlctl ends with one message") {
  const Folder folder;
  const std::string log = folder.write("log.csv", kLog);
  const std::string mark = folder / "mark";
  for (const Arguments& arguments :
       {Arguments{"verify", log, "--limit", "1", "--window", "1s", "--quiet"},
        Arguments{"simulate", "double-click", "--quiet", "--log", folder / "run.jsonl"}})
    for (const char* bytes : {"1000", "10000", "60000"})
      for (int nth = 1; nth <= 8; ++nth) {
        const Outcome outcome = run_with(FAIL_MALLOC_LIBRARY,
                                         {std::string("FAIL_BYTES=") + bytes,
                                          "FAIL_NTH=" + std::to_string(nth), "FAIL_MARK=" + mark},
                                         arguments, folder);
        INFO(arguments.front() << ", " << std::string(bytes) << " bytes, " << nth << ": exit "
                               << outcome.exit << ", " << outcome.err);
        check_ended_well(outcome);
        CHECK(outcome.exit != 2);  // the input is good
        if (!fs::remove(mark)) break;
      }
}
#endif
