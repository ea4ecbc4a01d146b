// N in flight as a user meets it: simulate with holders that vanish, and verify of its log.
#include <doctest/doctest.h>

#include "cli/support/process.h"
#include "tools/contains.h"
#include "tools/folder.h"

namespace {

using rlctl::test::Folder;

const std::vector<std::string> kJobs{"simulate", "poisson", "--algo",   "lease", "--users",
                                     "1",        "--rate",  "20/1s",    "--for", "1m",
                                     "--hold",   "1s",      "--vanish", "5%",    "--quiet"};

Outcome jobs(const std::string& policy, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = kJobs;
  arguments.insert(arguments.end(), {"--policy", policy});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_rlctl(arguments);
}

}  // namespace

TEST_CASE("simulate --hold --vanish: leases hold, and the log says the same") {
  for (const char* name : {"jobs.jsonl", "jobs.csv"}) {
    CAPTURE(name);
    const Folder folder;
    const std::string log = folder / name;
    const Outcome played = jobs("5 in flight, lease 10s", {"--log", log});
    CHECK(played.exit == 0);
    const Outcome verified = run_rlctl({"verify", log, "--fresh"});
    CHECK(verified.exit == 0);
    CHECK(contains(verified.out, "policy, 5 in flight, with leases of 10s: holds"));
    const Outcome fewer = run_rlctl({"verify", log, "--fresh", "--policy", "4 in flight"});
    CHECK(fewer.exit == 1);
    CHECK(contains(fewer.out, "violated: 5 held at once, but the limit is 4 in flight"));
    const Outcome shorter =
        run_rlctl({"verify", log, "--fresh", "--policy", "5 in flight, lease 5s"});
    CHECK(shorter.exit == 1);  // leases of 10 s deny what leases of 5 s would admit
    CHECK(contains(shorter.out, "the limit had not been reached"));
  }
}

TEST_CASE("hold and vanish need a finish, and some verbs need windows") {
  const Outcome no_finish = run_rlctl({"simulate", "bot", "--hold", "1s", "--quiet"});
  CHECK(no_finish.exit == 2);
  CHECK(contains(no_finish.err, "hold, vanish and actual_cost need a limiter with a finish"));
  const Outcome bench = run_rlctl({"bench", "--policy", "5 in flight", "--quiet"});
  CHECK(bench.exit == 2);
  CHECK(contains(bench.err, "bench needs rules with a window, not '5 in flight'"));
  const Outcome block = run_rlctl({"simulate", "bot", "--policy", "5 in flight", "--block", "1s"});
  CHECK(block.exit == 2);
  CHECK(contains(block.err, "a rule without a window has no block"));
}
