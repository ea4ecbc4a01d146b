// rlctl bench as a user runs it: real servers, real decisions, real verdicts.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "cli/support/process.h"
#include "cli/support/test_redis.h"
#include "io/clock.h"
#include "io/redis/deployment/hash_slot.h"
#include "redis/private_redis.h"
#include "redis/test_cluster.h"
#include "tools/folder.h"

namespace {

using Json = nlohmann::json;
using rlctl::test::Folder;
using rlctl::test::TestCluster;

const Arguments kShort{"bench", "--rounds", "1", "--for", "50ms", "--json"};

Json bench(Arguments more, int exit = 0) {
  const bool measures = std::ranges::find(more, "accuracy") == more.end();
  Arguments arguments = measures ? kShort : Arguments{"bench", "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run_rlctl(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit == exit);
  return Json::parse(outcome.out);
}

Json algorithm(const Json& result, const std::string& name) {
  for (const Json& entry : result["algorithms"])
    if (entry["name"] == name) return entry;
  FAIL("no figures for " << name);
  return {};
}

Json attack(const Json& entry, const std::string& name) {
  for (const Json& played : entry["attacks"])
    if (played["name"] == name) return played;
  FAIL("no attack " << name);
  return {};
}

void check_exact(const Json& entry) {
  INFO(entry.dump());
  CHECK(entry["policy_verdict"] == "holds");
  CHECK(entry["own_contract"] == "holds");
  CHECK(entry["accuracy_low"] == 100);
  CHECK(entry["peak"] == 100);
  for (const Json& played : entry["attacks"]) {
    CHECK(played["excess_certain"] == 0);
    CHECK(played["certain_false_denials"] == 0);
    CHECK(played["denied"] > 0);
  }
}

std::string script(const std::string& name) {
  return std::string(RLCTL_SOURCE_DIR) + "/tests/cli/scripts/" + name;
}

}  // namespace

TEST_CASE("bench: exact limiters hold, a fixed window lets twice the limit through at its edge") {
  const Json result = bench({});
  CHECK(result["schema"] == "rlctl.bench/1");
  CHECK(result["complete"] == true);
  check_exact(algorithm(result, "sliding"));
  check_exact(algorithm(result, "sliding-list"));
  const Json fixed = algorithm(result, "fixed");
  CHECK(attack(fixed, "aligned")["burst_factor"] == 2.0);
  CHECK(attack(fixed, "aligned")["peak"] == 200);
  CHECK(fixed["own_contract"] == "holds");
  CHECK(fixed["policy_verdict"] == "violated");
  CHECK(fixed["accuracy_high"] < 100);
}

TEST_CASE("bench: every algorithm keeps the contract it promises") {
  const Json result =
      bench({"--only", "accuracy", "--algo", "fixed-anchored", "--algo", "gcra", "--algo",
             "token-bucket", "--algo", "leaky-bucket", "--algo", "leaky-queue"});
  REQUIRE(result["algorithms"].size() == 5);
  for (const Json& entry : result["algorithms"]) {
    INFO(entry.dump());
    CHECK(entry["own_contract"] == "holds");
  }
}

TEST_CASE("bench: a window opened by a first hit breaks at its end, not at the clock's edge") {
  const Json result = bench({"--only", "accuracy", "--algo", "fixed-anchored"});
  const Json anchored = attack(algorithm(result, "fixed-anchored"), "anchored");
  INFO(anchored.dump());
  // The hit that opened the window is one of its hundred, and is one window before the burst.
  CHECK(anchored["peak"] == 199);
  CHECK(algorithm(result, "fixed-anchored")["policy_verdict"] == "violated");
}

TEST_CASE("bench: one admission too many in 1,000 lowers the accuracy and changes the verdict") {
  const Json result =
      bench({"--only", "accuracy", "--algo", script("one_too_many.lua"), "--check"}, 1);
  const Json entry = algorithm(result, "one_too_many");
  INFO(entry.dump());
  CHECK(entry["policy_verdict"] == "violated");
  CHECK(entry["own_contract"] == "violated");
  CHECK(entry["own_contract_reason"].get<std::string>().find("admissions") != std::string::npos);
  CHECK(entry["accuracy_high"] < 100);
  CHECK(entry["accuracy_low"] > 99);
  CHECK(attack(entry, "hammer")["excess_certain"] > 0);
}

TEST_CASE("bench: whoever holds something keeps it until its lease ends, also in the log") {
  const Folder files;
  const std::string log = files / "bench.jsonl";
  for (const char* window : {"1s", "1m"}) {
    CAPTURE(window);
    const Json result = bench(
        {"--only", "accuracy", "--algo", "lease", "--window", window, "--check", "--log", log});
    check_exact(algorithm(result, "lease"));
    const Outcome verified = run_rlctl({"verify", log, "--budget-late", "100%"});
    INFO(verified.out);
    CHECK(verified.exit == 0);
    CHECK(contains(verified.out, "own contract, 100 in flight"));
  }
}

TEST_CASE("bench --check: exit 0 where all hold, 1 where one breaks the policy") {
  bench({"--only", "accuracy", "--algo", "sliding-list", "--check"}, 0);
  bench({"--only", "accuracy", "--algo", "sliding-list", "--algo", "fixed", "--check"}, 1);
}

TEST_CASE("bench: a window of one minute is attacked on the virtual clock") {
  const Json result = bench({"--only", "accuracy", "--window", "60s", "--algo", "sliding-list",
                             "--algo", "fixed", "--algo", "fixed-anchored", "--limit", "20"});
  CHECK(result["clock"] == "virtual");
  CHECK(algorithm(result, "sliding-list")["accuracy_low"] == 100);
  CHECK(algorithm(result, "sliding-list")["policy_verdict"] == "holds");
  CHECK(attack(algorithm(result, "fixed"), "aligned")["peak"] == 40);
  const Json anchored = algorithm(result, "fixed-anchored");
  CHECK(anchored["policy_verdict"].is_null());
  CHECK(contains(anchored["not_attacked"], "--window 1s"));
}

TEST_CASE("bench: the JSON has a figure for every column of the table") {
  const Json entry =
      algorithm(bench({"--only", "speed", "--algo", "sliding-list"}), "sliding-list");
  CHECK(entry["decisions_per_second"] > 0);
  CHECK(entry["server_cpu_us_per_decision"] > 0);
  CHECK(entry["client_cpu_us_per_decision"] > 0);
  CHECK(entry["redis_cpu_percent"] > 0);
  CHECK(entry["latency_us"]["p50"] > 0);
  CHECK(entry["latency_us"]["p999"] >= entry["latency_us"]["p50"]);
  CHECK(entry["bytes_per_key"] > 1'000);
  CHECK(entry["rounds"].size() == 1);
  CHECK(entry["rounds"][0]["allowed"] == entry["rounds"][0]["decisions"]);
  CHECK(entry["denied"]["rounds"][0]["allowed"] < entry["denied"]["rounds"][0]["decisions"]);
}

TEST_CASE("bench --rate and --requests: the planned number of decisions is made") {
  const auto decisions = [](const Arguments& more) -> int {
    return algorithm(bench(more), "fixed")["rounds"][0]["decisions"];
  };
  CHECK(decisions({"--only", "speed", "--algo", "fixed", "--rate", "2000/1s"}) == 100);
  CHECK(decisions({"--only", "speed", "--algo", "fixed", "--requests", "777", "--pipeline", "4"}) ==
        777);
}

TEST_CASE("bench --pipeline: what a connection asks at once goes out in one write") {
  TestRedis redis;
  bench({"--redis", redis.url(), "--only", "speed", "--algo", "fixed", "--pipeline", "16",
         "--requests", "20000"});
  const std::string stats = redis.text({"INFO", "stats"});
  const std::string_view reads = "total_reads_processed:";
  const auto at = stats.find(reads);
  REQUIRE(at != std::string::npos);
  // One read of the server for 16 commands; batches that are cut in two would be 8.
  CHECK(redis.calls("evalsha") > 10 * std::stoll(stats.substr(at + reads.size())));
}

TEST_CASE("bench on the user's own Redis removes its keys and touches no other") {
  TestRedis redis;
  redis.command({"SET", "rlctl:mine", "kept"});
  bench({"--redis", redis.url(), "--algo", "sliding", "--algo", "fixed", "--block", "1s"});
  CHECK(redis.number({"DBSIZE"}) == 1);
  CHECK(redis.text({"GET", "rlctl:mine"}) == "kept");
}

TEST_CASE("bench: a script whose client compares is judged, and its keys are removed") {
  // It never sets a TTL, and its keys' names change with the window: still, no key may remain.
  TestRedis redis;
  const Json result = bench({"--redis", redis.url(), "--algo", script("count_only.lua"), "--window",
                             "200ms", "--limit", "20"});
  const Json entry = algorithm(result, "count_only");
  INFO(entry.dump());
  CHECK(entry["peak"] == 40);  // of all attacks: a busy machine may send one of them late
  CHECK(entry["policy_verdict"] == "violated");
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("bench: a script given twice is two contestants with separate keys") {
  const Json result =
      bench({"--only", "accuracy", "--algo", "sliding-list", "--algo", "sliding-list", "--check"});
  check_exact(algorithm(result, "sliding-list"));
  check_exact(algorithm(result, "sliding-list#2"));
}

TEST_CASE("bench: a script that runs step by step does not disturb the others' connections") {
  const Json result = bench({"--algo", "get-then-incr", "--algo", "sliding-list"});
  check_exact(algorithm(result, "sliding-list"));  // no EVALSHA is queued by another's MULTI
  const Json specimen = algorithm(result, "get-then-incr");
  CHECK(specimen["policy_verdict"] == "violated");
  for (const Json& played : specimen["attacks"])
    CHECK(played["allowed"].get<int>() + played["denied"].get<int>() == played["attempts"]);
}

TEST_CASE("bench: if the server dies, exit 3, and the unfinished round is not counted") {
  TestRedis redis;
  Arguments arguments{"bench", "--redis", redis.url(), "--algo", "fixed",    "--only",
                      "speed", "--json",  "--for",     "300ms",  "--rounds", "1000"};
  redis.command({"CONFIG", "SET", "timeout", "0"});
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    redis.command({"SHUTDOWN", "NOSAVE"});
  });
  const Outcome outcome = run_rlctl(arguments);
  killer.join();
  CHECK(outcome.exit == 3);
  CHECK(contains(outcome.err, "the bench ended early"));
  // Each with its own remedy, and what went wrong before what is left of it.
  const std::size_t failed = outcome.err.find("; check that Redis runs, and see its log");
  const std::size_t left = outcome.err.find("; keys *rlctl:");
  REQUIRE(left != outcome.err.npos);
  CHECK(failed < left);
  CHECK(outcome.err.find("; then remove them: rlctl reset", left) != outcome.err.npos);
  CHECK_FALSE(contains(outcome.err, "above"));
  const Json result = Json::parse(outcome.out);
  CHECK(result["complete"] == false);
  const Json fixed = algorithm(result, "fixed");
  for (const Json& round : fixed["rounds"]) {
    CHECK(round["unanswered"] == 0);
    CHECK(round["server_cpu_us_per_decision"] > 0);
  }
}

TEST_CASE("bench: connections that Redis closes are no fault of the script") {
  TestRedis redis;
  const auto close_all = [&] {
    if (redis.calls("evalsha") < 1'000) return false;
    return redis.number({"CLIENT", "KILL", "TYPE", "normal"}) > 0;
  };
  constexpr int kNoSignal = 0;
  const Outcome outcome = run_rlctl_interrupted(
      {"bench", "--redis", redis.url(), "--algo", "fixed", "--only", "speed", "--for", "3s"},
      close_all, kNoSignal);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 3);
  CHECK(contains(outcome.err, "; check that Redis runs, and see its log"));
  CHECK_FALSE(contains(outcome.err, "check the script"));
}

TEST_CASE("bench --log: every decision is in the file") {
  const auto path = std::filesystem::temp_directory_path() /
                    ("rlctl-bench-test-" + std::to_string(getpid()) + ".jsonl");
  const Json result = bench({"--algo", "fixed", "--log", path.string()});
  std::ifstream file(path);
  std::size_t headers = 0, records = 0;
  for (std::string line; std::getline(file, line);) {
    const Json entry = Json::parse(line);
    if (entry.value("phase", "") == "fill") continue;  // fills the keys, not measured
    if (entry.contains("rlctl_log_end")) continue;
    ++(entry.contains("rlctl_log") ? headers : records);
  }
  std::filesystem::remove(path);
  const Json fixed = algorithm(result, "fixed");
  std::size_t expected = fixed["rounds"][0]["decisions"].get<std::size_t>() +
                         fixed["denied"]["rounds"][0]["decisions"].get<std::size_t>();
  for (const Json& played : fixed["attacks"]) expected += played["attempts"].get<std::size_t>();
  CHECK(records == expected);
  CHECK(headers == 4);
}

TEST_CASE("verify gives the same verdict on a bench's log as bench") {
  const auto path = std::filesystem::temp_directory_path() /
                    ("rlctl-bench-verify-test-" + std::to_string(getpid()) + ".jsonl");
  bench({"--algo", "fixed", "--algo", "sliding", "--log", path.string()});
  const Outcome outcome = run_rlctl({"verify", path.string(), "--json", "--budget-late", "100%"});
  std::filesystem::remove(path);
  CHECK(outcome.exit == 1);
  const Json histories = Json::parse(outcome.out)["histories"];
  REQUIRE(histories.size() == 2);
  CHECK(histories[0]["algorithm"] == "fixed");
  CHECK(histories[0]["violations"] == Json::array({"over_admission"}));
  CHECK(histories[0]["own_contract"]["verdict"] == "holds");
  CHECK(histories[1]["algorithm"] == "sliding");
  CHECK(histories[1]["verdict"] == "holds");
}

namespace {

// Interrupts it, as Ctrl-C does, after this number of seconds.
Outcome interrupted(const std::string& arguments, int seconds) {
  const std::string command = "timeout --preserve-status -s INT " + std::to_string(seconds) + " '" +
                              RLCTL_BINARY + "' " + arguments;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  Outcome outcome;
  std::array<char, 4096> bytes;
  for (std::size_t got; (got = fread(bytes.data(), 1, bytes.size(), pipe)) > 0;)
    outcome.out.append(bytes.data(), got);
  outcome.exit = WEXITSTATUS(pclose(pipe));
  return outcome;
}

}  // namespace

TEST_CASE("bench: Ctrl-C prints the table of the finished rounds and exits with 130") {
  // On a busy machine the first rounds may take longer: then try again with a longer wait.
  bool has_table = false;
  for (const int seconds : {2, 8, 30}) {
    const Outcome outcome =
        interrupted("bench --only speed --algo fixed --for 100ms --rounds 10000", seconds);
    CHECK(outcome.exit == 130);
    has_table = contains(outcome.out, "interrupted") && contains(outcome.out, "decisions/s");
    if (has_table) break;
  }
  CHECK(has_table);
}

TEST_CASE("bench: a script that fails is left out, and the others have all figures") {
  const Outcome outcome = run_rlctl({"bench", "--rounds", "2", "--for", "30ms", "--json", "--algo",
                                     script("fails_later.lua"), "--algo", "sliding-list", "--algo",
                                     script("broken_syntax.lua")});
  INFO(outcome.err);
  CHECK(outcome.exit == 3);
  CHECK(contains(outcome.err, "2 of 3 failed"));
  CHECK(contains(outcome.err, "; check the script: rlctl hit KEY --algo ./FILE.lua runs it once"));
  const Json result = Json::parse(outcome.out);
  CHECK(result["complete"] == false);
  const Json sound = algorithm(result, "sliding-list");
  CHECK(sound["rounds"].size() == 2);
  CHECK(sound["denied"]["rounds"].size() == 2);
  check_exact(sound);
  CHECK(contains(algorithm(result, "fails_later")["failed"], "on purpose"));
  CHECK(algorithm(result, "broken_syntax").contains("failed"));
}

TEST_CASE("bench: a failed contestant is named under the table") {
  const Outcome outcome = run_rlctl({"bench", "--only", "speed", "--rounds", "1", "--for", "30ms",
                                     "--algo", script("fails_later.lua"), "--algo", "fixed"});
  CHECK(outcome.exit == 3);
  CHECK(contains(outcome.out, "1 round of 30ms"));
  CHECK(contains(outcome.out, "FAILED fails_later"));
  CHECK(contains(outcome.out, "decisions/s"));
}

TEST_CASE("bench: an attack goes on after lost answers, which are unknown") {
  TestRedis redis;
  const auto cut = [&] {
    if (redis.calls("evalsha") < 20) return false;
    redis.command({"CLIENT", "PAUSE", "60000", "WRITE"});
    while (contains(redis.text({"INFO", "clients"}), "blocked_clients:0")) continue;
    redis.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    redis.command({"CLIENT", "UNPAUSE"});
    return true;
  };
  constexpr int kNoSignal = 0;
  const Outcome outcome =
      run_rlctl_interrupted({"bench", "--only", "accuracy", "--algo", "fixed", "--limit", "50",
                             "--quiet", "--json", "--redis", redis.url()},
                            cut, kNoSignal);
  INFO(outcome.err);
  CHECK(outcome.exit == 0);
  const Json fixed = algorithm(Json::parse(outcome.out), "fixed");
  CHECK_FALSE(fixed.contains("failed"));
  std::int64_t denied = 0, undecided = 0;
  for (const Json& played : fixed["attacks"]) {
    denied += played["denied"].get<int>();
    undecided +=
        played["attempts"].get<int>() - played["allowed"].get<int>() - played["denied"].get<int>();
  }
  CHECK(denied > 0);
  CHECK(undecided > 0);
}

TEST_CASE("bench --wait measures what the confirmation by a replica costs") {
  const Arguments bench{"bench", "--algo", "fixed",   "--only", "speed",  "--rounds", "1",
                        "--for", "200ms",  "--quiet", "--json", "--wait", "1"};
  CHECK(run_rlctl(bench).exit == 2);
  const auto with = [&](const Arguments& more) {
    Arguments arguments = bench;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_rlctl(arguments);
  };
  CHECK(with({"--embedded", "cluster:2+2", "--pipeline", "2"}).exit == 2);
  CHECK(with({"--embedded", "cluster:2+2", "--run", "client"}).exit == 2);
  const Outcome outcome = with({"--embedded", "cluster:2+2"});
  // On a busy machine a replica may be too late for more than a few.
  CHECK((outcome.exit == 0 || outcome.exit == 4));
  const Json result = Json::parse(outcome.out);
  CHECK(result["wait"] == 1);
  CHECK(algorithm(result, "fixed")["decisions_per_second"].get<double>() > 0);

  // One that nobody confirms is no decision, and ends nothing.
  TestRedis alone;
  const Outcome unconfirmed = alone.rlctl(bench);
  CHECK(unconfirmed.exit == 3);
  CHECK(contains(unconfirmed.err, "0 of 1 replica confirmed it"));
}

namespace {

// The slots that this node serves, by the word of another.
std::set<std::uint16_t> slots_of(TestCluster& servers, std::size_t node, std::size_t asked) {
  std::set<std::uint16_t> slots;
  for (const rlctl::Reply& range : servers.command(asked, {"CLUSTER", "SLOTS"}).elements)
    if (range.elements[2].elements[1].integer == servers.endpoint(node).port)
      for (auto slot = range.elements[0].integer; slot <= range.elements[1].integer; ++slot)
        slots.insert(static_cast<std::uint16_t>(slot));
  return slots;
}

// The first answer in these slots to a request that was sent after this time.
std::int64_t first_answer_us(const std::string& log, const std::set<std::uint16_t>& slots,
                             std::int64_t after_us) {
  std::int64_t first_us = std::numeric_limits<std::int64_t>::max();
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const Json record = Json::parse(line);
    if (!record.contains("outcome") ||
        !slots.contains(rlctl::slot_of(record["key"].get<std::string>())))
      continue;
    const std::string outcome = record["outcome"];
    if (outcome != "allowed" && outcome != "denied") continue;
    if (record["sent_us"] > after_us)
      first_us = std::min(first_us, record["received_us"].get<std::int64_t>());
  }
  return first_us;
}

}  // namespace

TEST_CASE("bench goes on within 3 s of the new master, and names what it cannot vouch for") {
  TestCluster servers({3, 3});
  servers.wait_until_replicas_are_listed();
  const std::size_t master = 1;
  const std::optional<std::size_t> replica =
      servers.loop().run(servers.cluster().steering().replica_of(master));
  REQUIRE(replica);
  const std::set<std::uint16_t> slots = slots_of(servers, master, 0);
  const Folder folder;
  Outcome bench;
  std::thread running([&] {
    bench = run_rlctl({"bench", "--algo", "fixed", "--only", "speed", "--rounds", "1", "--for",
                       "8s", "--rate", "500/1s", "--limit", "1000", "--quiet", "--log",
                       folder / "bench.jsonl", "--redis", servers.url()});
  });
  // More keys than the warm-up has: it is being measured.
  while (servers.command(master, {"DBSIZE"}).integer < 150)
    servers.loop().run(rlctl::test::pause(servers.loop(), 10'000));
  servers.kill(master);
  const std::int64_t killed_us = rlctl::now_us();
  servers.command(*replica, {"CLUSTER", "FAILOVER", "TAKEOVER"});
  while (servers.command(*replica, {"ROLE"}).elements[0].text != "master")
    servers.loop().run(rlctl::test::pause(servers.loop(), 1'000));
  const std::int64_t new_master_us = rlctl::now_us();
  running.join();
  INFO(bench.out << bench.err);
  CHECK((bench.exit == 0 || bench.exit == 4));
  CHECK(contains(bench.out, "requests got no answer, within"));
  CHECK(contains(bench.out, "may have been admitted: --log keeps them as unknown"));
  // More than 1 % of a round makes its rate that of an outage.
  CHECK(contains(bench.out, "partial: fixed") == (bench.exit == 4));
  CHECK(first_answer_us(folder.read("bench.jsonl"), slots, killed_us) < new_master_us + 3'000'000);
}

TEST_CASE("bench: Ctrl-C in an attack prints the part that was played, which is not a pass") {
  bool has_table = false;
  for (const int seconds : {2, 4, 8, 16}) {
    const Outcome outcome = interrupted(
        "bench --only accuracy --algo sliding-list --window 2s "
        "--limit 5",
        seconds);
    if (outcome.exit == 0) continue;  // it had already finished
    CHECK(outcome.exit == 130);
    has_table =
        contains(outcome.out, "accuracy") && contains(outcome.out, "it does not count as a pass");
    if (has_table) break;
  }
  CHECK(has_table);
}
