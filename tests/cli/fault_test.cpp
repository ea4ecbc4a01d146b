// Faults on purpose, on the real binary: --fault and --allow-faults.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/support/process.h"
#include "cli/support/test_redis.h"
#include "tools/folder.h"

using rlctl::test::Folder;

namespace {

Arguments with_fault(const std::string& fault, const Arguments& more = {},
                     const std::string& rate = "50/1s", const std::string& length = "2s") {
  Arguments arguments{"simulate", "bot",        "--rate", rate,      "--limit",
                      "10",       "--window",   "1s",     "--for",   length,
                      "--quiet",  "--attempts", "100",    "--fault", fault};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// What a fault did in a run that ended with a verdict.
nlohmann::json fault_of(const Arguments& arguments) {
  const Outcome outcome = run_rlctl(arguments);
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.exit <= 1);
  return nlohmann::json::parse(outcome.out)["faults"][0];
}

int undecided(const nlohmann::json& counts) {
  return counts["unknown"].get<int>() + counts["failed"].get<int>();
}

// The requests of a log whose answer took so long.
int slower_than(const std::string& file, std::int64_t time_us) {
  int slow = 0;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto record = nlohmann::json::parse(line);
    if (!record.contains("received_us") || !record["received_us"].is_number()) continue;
    slow += record["received_us"].get<std::int64_t>() - record["sent_us"].get<std::int64_t>() >=
            time_us;
  }
  return slow;
}

nlohmann::json header_of(const std::string& log) {
  std::string line;
  std::getline(std::ifstream(log) >> std::ws, line);
  return nlohmann::json::parse(line);
}

}  // namespace

TEST_CASE("simulate --fault: the one line of a mistake names the known words or the way to write") {
  const auto told = [](const std::string& fault) { return run_rlctl(with_fault(fault)).err; };
  CHECK(contains(told("redis_restar@1s:1s"), "'redis_restar'"));
  CHECK(contains(told("nothing@1s"), "script_flush, redis_restart, "));
  CHECK(contains(told("redis_restart@1s"), "redis_restart@TIME:down"));
  CHECK(contains(told("redis_restart@1s:5"), "'5' has no unit"));
  CHECK(contains(told("script_flush@1s:5s"), "'5s' has no effect with \"script_flush\""));
  CHECK(contains(told("redis_restart@1s:500ms:3"), "'3' has no effect with \"redis_restart\""));
  CHECK(contains(told("redis_restart@-1s:500ms"), "'-1s' has a sign"));
  CHECK(contains(told("redis_restart@1s:0s"), "down: must be more than 0"));
  CHECK(contains(told("latency@1s:0ms:1s"), "by: a time of 0 changes nothing"));
  CHECK(contains(told("script_flush"), "'at' is missing"));
  CHECK(contains(told("script_flush@3s"), "the traffic ends after 2"));
  CHECK(run_rlctl(with_fault("script_flush@1s", {"--clock", "virtual"})).exit == 2);
}

TEST_CASE("simulate --fault: Ctrl-C ends a fault, too, and what was found so far is told") {
  const Folder folder;
  const std::string log = folder / "run.jsonl";
  std::string fault;
  int signal = SIGINT;
  SUBCASE("redis_restart") { fault = "redis_restart@0s:20s"; }
  SUBCASE("half_open, by SIGTERM") {
    fault = "half_open@0s:20s";
    signal = SIGTERM;
  }
  const auto is_felt = [&] {
    std::ifstream in(log + ".partial");
    for (std::string line; std::getline(in, line);)
      if (contains(line, R"("outcome":"failed")") || contains(line, R"("outcome":"unknown")"))
        return true;
    return false;
  };
  const Outcome outcome = run_rlctl_interrupted(
      with_fault(fault, {"--timeout", "200ms", "--log", log, "--json"}, "50/1s", "1h"), is_felt,
      signal);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 130);
  const auto played = nlohmann::json::parse(outcome.out);
  CHECK(played["interrupted"] == true);
  REQUIRE(played["faults"].size() == 1);
  CHECK(played["faults"][0]["lasted_us"].get<int>() < 20'000'000);
}

TEST_CASE("run: a fault that outlives the traffic ends with it, and proves nothing of later") {
  const Folder folder;
  const std::string file = folder.write("long.json", R"({
    "clock": "wall", "verdict": "any",
    "policies": {"api": {"algo": "sliding", "limit": 10, "window": "500ms", "key": "k"}},
    "phases": [{"name": "p", "policy": "api", "who": "bot", "rate": "50/1s", "for": "1s"}],
    "identities": {"bot": {"ip": "203.0.113.7"}},
    "faults": [{"at": "500ms", "do": "redis_restart", "down": "20s"}],
    "budget": {"unknown": "100%", "failed": "100%", "late": "100%"},
    "expect": ["failed{fault=redis_restart} > 0", "over_admitted{fault=redis_restart} == 0",
               "right_again < 60s"]})");
  const Outcome outcome = run_rlctl({"run", file, "--json"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 4);
  const auto played = nlohmann::json::parse(outcome.out)["scenarios"][0];
  CHECK(played["faults"][0]["lasted_us"].get<int>() < 20'000'000);
  CHECK(played["expectations"][0]["result"] == "held");
  CHECK(played["expectations"][1]["result"] == "could_not_tell");
  CHECK(played["expectations"][2]["result"] == "could_not_tell");
  CHECK(contains(outcome.err + played["notes"].dump(),
                 "no request came after redis_restart at 500ms, so whether decisions are right "
                 "again was not tested; let it end earlier, or send for longer"));
}

TEST_CASE("simulate --fault: what the traffic ended too early for is no proof of anything") {
  const Outcome outcome =
      run_rlctl({"simulate", "flood", "--requests", "100", "--users", "5", "--policy", "1000/1m",
                 "--quiet", "--fault", "script_flush@20s"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 4);
  CHECK(contains(outcome.out, "script_flush at 20s did not happen, because the traffic had ended"));
}

TEST_CASE("run: a fault that is planned for after the traffic is a mistake of its file") {
  const auto run_with = [](const std::string& phase, const std::string& at) {
    const Folder folder;
    return run_rlctl({"run",
                      folder.write("late.json", R"({
      "clock": "wall", "verdict": "any",
      "policies": {"api": {"algo": "sliding", "limit": 10, "window": "60s", "key": "k"}},
      "identities": {"bot": {"ip": "203.0.113.7"}},
      "phases": [{"name": "load", "policy": "api", "who": "bot", )" +
                                                    phase + R"(}],
      "faults": [{"at": ")" + at + R"(", "do": "script_flush"}]})"),
                      "--dry-run"});
  };
  const Outcome late = run_with(R"("rate": "50/1s", "for": "1s")", "load+3s");
  CHECK(late.exit == 2);
  CHECK(contains(late.err, "/faults/0/at: the traffic ends 1.00 s after the start of that phase"));
  CHECK(contains(late.err, "name an earlier time, or send for longer"));
  CHECK(run_with(R"("rate": "50/1s", "for": "1s")", "1s").exit == 2);
  CHECK(run_with(R"("rate": "50/1s", "for": "1s")", "999ms").exit == 0);
  // Denied requests come back; and the last burst may be what the fault is for.
  CHECK(run_with(R"("rate": "50/1s", "for": "1s", "on_deny": "retry_after")", "3s").exit == 0);
  CHECK(run_with(R"("bursts": [{"at": "0s", "count": 20}])", "load").exit == 0);
  CHECK(run_with(R"("bursts": [{"at": "0s", "count": 20}])", "load+1ms").exit == 2);
}

TEST_CASE("faults that exclude each other are refused before anything is sent") {
  const auto told = [](const std::string& first, const std::string& second) {
    const Outcome outcome = run_rlctl(with_fault(first, {"--fault", second}));
    CHECK(outcome.exit == 2);
    CHECK(outcome.out == "");
    return outcome.err;
  };
  CHECK(told("redis_restart@300ms:400ms", "redis_pause@400ms:100ms") ==
        "rlctl: redis_pause at 400ms can't be played: redis_restart at 300ms still lasts then, for "
        "400ms in all; let one of them end before the other begins: play redis_pause 300ms later, "
        "or more\n");
  CHECK(contains(told("script_flush@500ms", "redis_restart@300ms:400ms"), "redis_restart at 300"));
  const Folder folder;
  const std::string file = folder.write("both.json", R"({
    "name": "both", "clock": "wall", "verdict": "any",
    "policies": {"api": {"algo": "sliding", "limit": 10, "window": "60s", "key": "k"}},
    "identities": {"bot": {"ip": "203.0.113.7"}},
    "phases": [{"name": "p", "policy": "api", "who": "bot", "rate": "50/1s", "for": "2s"}],
    "faults": [{"at": "p+300ms", "do": "memory_full", "down": "1s"},
               {"at": "p+400ms", "do": "redis_pause", "down": "100ms"}]})");
  const Outcome both = run_rlctl({"run", file, "--dry-run"});
  CHECK(both.exit == 2);
  CHECK(contains(both.err, "'both': redis_pause at p+400ms can't be played: memory_full at p+300"));
}

TEST_CASE("simulate --fault: two that follow each other at once are both played") {
  const Outcome outcome = run_rlctl(with_fault(
      "redis_restart@300ms:200ms", {"--fault", "script_flush@500ms", "--json"}, "50/1s", "5s"));
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.exit <= 1);
  CHECK(nlohmann::json::parse(outcome.out)["faults"].size() == 2);
}

TEST_CASE("simulate --fault: a Redis that stores nothing leaves requests without a decision") {
  // A second has one edge of the clock's windows, where a fixed window must store. A script that
  // removes before it adds would go on.
  const Outcome outcome = run_rlctl(
      {"simulate", "bot", "--rate", "50/1s", "--policy", "10/1s fixed", "--algo", "fixed", "--for",
       "2s", "--attempts", "100", "--fault", "memory_full@500ms:1s", "--quiet", "--json"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
  const auto fault = nlohmann::json::parse(outcome.out)["faults"][0];
  CHECK(fault["kind"] == "memory_full");
  CHECK(fault["unknown"].get<int>() + fault["failed"].get<int>() > 0);
  CHECK(fault["over_admitted"] == 0);
  CHECK(fault["lasted_us"].get<int>() >= 1'000'000);
}

TEST_CASE("simulate --fault: what only a cluster can do is refused without one") {
  const auto told = [](const std::string& fault, const Arguments& more = {}) {
    return run_rlctl(with_fault(fault, more)).err;
  };
  CHECK(contains(told("slot_migration@1s"), "start with --embedded cluster:3+3"));
  CHECK(contains(told("failover@1s"), "start with --embedded cluster:3+3"));
  CHECK(contains(told("failover@1s", {"--embedded", "cluster:2"}), "a replica of every master"));
  CHECK(contains(told("failover@1s:gently"), "[:graceful|takeover][:down]"));
  CHECK(contains(told("failover@1s:graceful:1s"), "waits until the replica"));
}

TEST_CASE("simulate --fault slot_migration: a slot that moves breaks no verdict") {
  const Outcome outcome =
      run_rlctl(with_fault("slot_migration@500ms:1s", {"--embedded", "cluster:2", "--json"}));
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
  const auto fault = nlohmann::json::parse(outcome.out)["faults"][0];
  CHECK(fault["kind"] == "slot_migration");
  CHECK(fault["lasted_us"].get<int>() >= 1'000'000);
  CHECK(fault["failed"] == 0);
}

TEST_CASE("simulate --fault failover: a replica that lagged has forgotten the window") {
  const Outcome outcome =
      run_rlctl({"simulate", "bot", "--rate", "20/1s", "--limit", "30", "--window", "1m", "--for",
                 "5s", "--quiet", "--attempts", "100", "--fault", "failover@500ms:takeover:1s",
                 "--embedded", "cluster:2+2", "--json"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 1);
  const auto fault = nlohmann::json::parse(outcome.out)["faults"][0];
  CHECK(fault["over_admitted"].get<int>() > 0);
}

TEST_CASE("simulate --wait: what a replica that lagged forgets was never let in, but unknown") {
  const Outcome outcome =
      run_rlctl({"simulate",   "bot",         "--rate", "20/1s",   "--limit",
                 "60",         "--window",    "1m",     "--for",   "5s",
                 "--quiet",    "--attempts",  "1",      "--fault", "failover@500ms:takeover:1s",
                 "--embedded", "cluster:2+2", "--wait", "1",       "--json"});
  INFO(outcome.out << outcome.err);
  const auto fault = nlohmann::json::parse(outcome.out)["faults"][0];
  CHECK(fault["over_admitted"] == 0);
  CHECK(fault["unknown"].get<int>() > 0);
  // A client that lets unknown requests in does over-admit.
  CHECK(fault["fallbacks"][0]["over_admitted"].get<int>() > 0);
  // So does one that takes the limiter's word without WAIT: beside it in the same report.
  REQUIRE(fault["fallbacks"].size() == 4);
  const auto& unwaited = fault["fallbacks"][3];
  CHECK(unwaited["fallback"] == "without-wait");
  CHECK(unwaited["admitted"].get<int>() > 0);
  CHECK(unwaited["over_admitted"].get<int>() > 0);
}

TEST_CASE("simulate --wait needs replicas that can confirm, and a script that is one step") {
  const auto told = [](const Arguments& more) {
    Arguments arguments{"simulate", "bot", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_rlctl(arguments);
    CHECK(outcome.exit == 2);
    return outcome.err;
  };
  CHECK(contains(told({"--wait", "1"}), "start it with replicas: --embedded cluster:3+3"));
  CHECK(contains(told({"--wait-timeout", "1s"}), "add --wait 1"));
  CHECK(contains(told({"--wait", "1", "--run", "client"}), "client-run script"));
}

TEST_CASE("simulate --fault: client_crash says that a script of Redis has no step to crash in") {
  const std::string note = "client_crash did nothing";
  CHECK(contains(run_rlctl(with_fault("client_crash@1s")).out, note));
  CHECK_FALSE(contains(run_rlctl(with_fault("client_crash@1s", {"--run", "client"})).out, note));
}

TEST_CASE("simulate --fault: clock_skew says that a script by Redis's clock does not feel it") {
  const auto told = [](const std::string& algo) {
    return run_rlctl(with_fault("clock_skew@500ms:+1500ms", {"--algo", algo}, "50/1s", "1s")).out;
  };
  const std::string note = "note: clock_skew did nothing: no script is given a client's time";
  CHECK(contains(told("sliding"), note));
  CHECK_FALSE(contains(told("textbook-log-atomic"), note));
}

TEST_CASE("an outage is shown beside the run before it and three answers, in every report") {
  const Folder folder;
  const std::string log = folder / "run.jsonl";
  const Outcome outcome =
      run_rlctl(with_fault("redis_restart@700ms:500ms", {"--log", log, "--json"}));
  INFO(outcome.out << outcome.err);
  const auto fault = nlohmann::json::parse(outcome.out)["faults"][0];
  CHECK(fault["before"]["allowed"].get<int>() > 0);
  CHECK(fault["before"]["failed"] == 0);
  REQUIRE(fault["fallbacks"].size() == 3);
  CHECK(fault["fallbacks"][0]["fallback"] == "fail-open");
  CHECK(fault["fallbacks"][0]["admitted"] == fault["fallbacks"][1]["denied"]);
  CHECK(fault["fallbacks"][1]["over_admitted"] == 0);
  for (const char* format : {"--html", "--markdown"}) {
    const std::string page = run_rlctl({"report", log, format, "-"}).out;
    CHECK(contains(page, "right again after its end"));
    CHECK(contains(page, "local-fallback"));
    CHECK(contains(page, "Faults, requests per second"));
  }
}

TEST_CASE("the rates of a fault are the same in the terminal and in the table of a report") {
  const Folder folder;
  const std::string log = folder / "run.jsonl";
  const std::string text = run_rlctl(with_fault("redis_restart@700ms:500ms", {"--log", log})).out;
  const std::string page = run_rlctl({"report", log, "--markdown", "-"}).out;
  INFO(text << page);
  const auto between = [&](const std::string& before, const std::string& after) {
    const std::size_t begin = text.find(before) + before.size();
    return text.substr(begin, text.find(after, begin) - begin);
  };
  const std::string allowed = between("before the first fault: ", " allowed, ");
  const std::string denied =
      between("before the first fault: " + allowed + " allowed, ", " denied");
  CHECK(contains(page, "| before the first one | " + between("per second in the ", " before") +
                           " | " + allowed + " | " + denied + " | 0 | 0 | 0 |"));
}

TEST_CASE("simulate --fault latency: answers take so much longer, and all requests are decided") {
  const Folder folder;
  Arguments where;
  SUBCASE("one Redis") {}
  SUBCASE("a cluster") { where = {"--embedded", "cluster:3"}; }
  const std::string log = folder / "run.jsonl";
  Arguments arguments = with_fault("latency@500ms:100ms:1s", {"--log", log, "--json"});
  arguments.insert(arguments.end(), where.begin(), where.end());
  const auto fault = fault_of(arguments);
  CHECK(fault["lasted_us"].get<int>() >= 1'000'000);
  CHECK(undecided(fault) == 0);
  CHECK(slower_than(log, 100'000) >= 20);  // of 50
}

TEST_CASE("simulate --fault cut: requests fail while it lasts, and are admitted after it") {
  Arguments where{"--json"};
  SUBCASE("one Redis") {}
  SUBCASE("a cluster") { where = {"--json", "--embedded", "cluster:3"}; }
  const auto fault = fault_of(with_fault("cut@500ms:500ms", where));
  CHECK(fault["failed"].get<int>() > 0);
  CHECK(fault["over_admitted"] == 0);
  CHECK(fault["admits_after_us"].get<int>() > 500'000);
  CHECK(undecided(fault["before"]) == 0);
}

TEST_CASE("simulate --fault half_open: what went out and got no answer is unknown") {
  const auto fault = fault_of(with_fault("half_open@500ms:500ms", {"--json"}));
  CHECK(fault["unknown"].get<int>() > 0);
  CHECK(fault["over_admitted"] == 0);
  CHECK(fault["fallbacks"][0]["admitted"].get<int>() == undecided(fault));
  CHECK(fault["admits_after_us"].get<int>() > 500'000);
}

TEST_CASE("simulate --fault redis_pause: who waits longer gets a decision, others an unknown one") {
  const Folder folder;
  const std::string log = folder / "run.jsonl";
  const auto patient = fault_of(with_fault("redis_pause@500ms:500ms", {"--log", log, "--json"}));
  CHECK(patient["lasted_us"].get<int>() >= 500'000);
  CHECK(undecided(patient) == 0);
  CHECK(slower_than(log, 200'000) > 0);
  Arguments where{"--timeout", "200ms", "--log", log, "--json"};
  SUBCASE("one Redis") {}
  SUBCASE("a cluster") { where.insert(where.end(), {"--embedded", "cluster:2"}); }
  // What Redis finds at the end of the pause fills the window, so the verdict may stay open.
  const Outcome impatient = run_rlctl(with_fault("redis_pause@500ms:1s", where));
  INFO(impatient.out << impatient.err);
  REQUIRE(impatient.out.starts_with("{"));
  CHECK(nlohmann::json::parse(impatient.out)["faults"][0]["unknown"].get<int>() > 0);
  CHECK(header_of(log)["timeout_us"] == 200'000);
}

TEST_CASE("run: a scenario's time-out counts on a private Redis, and --timeout before it") {
  const Folder folder;
  const std::string file = folder / "pause.json";
  std::ofstream(file) << R"({
    "clock": "wall", "verdict": "any", "target": {"kind": "embedded", "timeout": "200ms"},
    "policies": {"api": {"algo": "sliding", "limit": 10, "window": "500ms", "key": "k"}},
    "phases": [{"name": "p", "policy": "api", "who": "bot", "rate": "50/1s", "for": "2s"}],
    "identities": {"bot": {"ip": "203.0.113.7"}},
    "faults": [{"at": "500ms", "do": "redis_pause", "down": "700ms"}],
    "budget": {"unknown": "100%", "failed": "100%", "late": "100%"}})";
  const auto unknown = [&](const Arguments& more) {
    Arguments arguments{"run", file, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_rlctl(arguments);
    INFO(outcome.out << outcome.err);
    REQUIRE(outcome.exit != 2);
    return nlohmann::json::parse(outcome.out)["scenarios"][0]["faults"][0]["unknown"].get<int>();
  };
  CHECK(unknown({}) > 0);
  CHECK(unknown({"--timeout", "1m"}) == 0);
}

TEST_CASE("simulate --fault client_kill: the clients come back by themselves") {
  Arguments where{"--json"};
  SUBCASE("one Redis") {}
  SUBCASE("a cluster") { where = {"--json", "--embedded", "cluster:2"}; }
  const auto fault = fault_of(with_fault("client_kill@500ms", where, "500/1s"));
  CHECK(undecided(fault) > 0);
  CHECK(undecided(fault["before"]) == 0);
  CHECK(fault["fallbacks"][1]["denied"].get<int>() == undecided(fault));
  CHECK(fault["over_admitted"] == 0);
  CHECK(fault["admits_after_us"].is_number());
}

TEST_CASE("simulate --fault clock_skew: a limiter that is told the time forgets the window") {
  // Soon enough that the first admissions are still in the true window.
  const auto over_admitted = [&](const std::string& algo) {
    const Outcome outcome =
        run_rlctl(with_fault("clock_skew@500ms:+1500ms", {"--algo", algo, "--json"}));
    INFO(outcome.out << outcome.err);
    return nlohmann::json::parse(outcome.out)["faults"][0]["over_admitted"].get<int>();
  };
  CHECK(over_admitted("textbook-log-atomic") > 0);
  CHECK(over_admitted("sliding") == 0);
}

TEST_CASE("simulate --fault redis_restart on a cluster: waiting for it is no late generator") {
  Arguments arguments{"simulate", "bot",        "--rate",     "50/1s",   "--limit",
                      "10",       "--window",   "1s",         "--for",   "6s",
                      "--quiet",  "--attempts", "20",         "--fault", "redis_restart@1s:500ms",
                      "--json",   "--embedded", "cluster:3+3"};
  const auto fault = fault_of(arguments);
  CHECK(undecided(fault) > 0);
  CHECK(undecided(fault["before"]) == 0);
  CHECK(fault["fallbacks"].size() == 3);
}

TEST_CASE("run: a fault's figures can be expected") {
  // A sliding window is exact on a busy machine too. A fixed one admits twice its limit around an
  // edge after each delay of this machine, so decisions may never be right again.
  const Folder folder;
  const std::string file = folder / "outage.json";
  std::ofstream(file) << R"({
    "clock": "wall", "verdict": "any",
    "policies": {"api": {"algo": "sliding", "limit": 10, "window": "500ms", "key": "k"}},
    "phases": [{"name": "p", "policy": "api", "who": "bot", "rate": "50/1s", "for": "3s"}],
    "identities": {"bot": {"ip": "203.0.113.7"}},
    "faults": [{"at": "500ms", "do": "redis_restart", "down": "300ms"}],
    "budget": {"unknown": "100%", "failed": "100%", "late": "100%"},
    "expect": ["failed{fault=redis_restart} > 0", "right_again < 60s", "admits_again < 60s",
               "over_admitted{fault=redis_restart} < 50"]})";
  const Outcome outcome = run_rlctl({"run", file});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(contains(outcome.out, "4 of 4 expectations held"));
}

TEST_CASE("run: a fault that uses up a budget names it, and a dry run needs no permission") {
  // On a busy machine a request may be in flight when the fault begins: one of 50 is unknown then.
  const Folder folder;
  const std::string file = folder.write("cut.json", R"({
    "clock": "wall", "verdict": "holds",
    "policies": {"api": {"algo": "sliding-list", "limit": 10, "window": "500ms", "key": "k"}},
    "identities": {"bot": {"ip": "203.0.113.7"}},
    "phases": [{"name": "p", "policy": "api", "who": "bot", "rate": "50/1s", "for": "1s"}],
    "faults": [{"at": "300ms", "do": "cut", "down": "300ms"}],
    "budget": {"late": "100%", "unknown": "100%"}})");
  const Outcome cut = run_rlctl({"run", file});
  INFO(cut.out << cut.err);
  CHECK(cut.exit == 4);
  CHECK(contains(cut.out,
                 "next: keep the target up, or raise the scenario's budget: "
                 "\"budget\": {\"failed\": \"SHARE\"}\n"));
  TestRedis redis;
  const Outcome refused = redis.rlctl({"run", file});
  CHECK(refused.exit == 2);
  CHECK(contains(refused.err, "cut: this is a fault on a Redis that rlctl did not start"));
  const Outcome planned = redis.rlctl({"run", file, "--dry-run"});
  CHECK(planned.exit == 0);
  CHECK(contains(planned.out, "needs --allow-faults: "));
  CHECK(contains(planned.out, "\n  fault cut at 300ms, for 300ms\n"));
  const Outcome allowed = redis.rlctl({"run", file, "--dry-run", "--allow-faults"});
  CHECK_FALSE(contains(allowed.out, "--allow-faults"));
  CHECK(redis.number({"DBSIZE"}) == 0);
}

TEST_CASE("run: a limiter that fails open leaks while Redis is gone, and limits again afterwards") {
  const Outcome outcome =
      run_rlctl({"run", RLCTL_SOURCE_DIR "/scenarios/breaks/fail-open.json", "--json"});
  INFO(outcome.out << outcome.err);
  const auto fault = nlohmann::json::parse(outcome.out)["scenarios"][0]["faults"][0];
  CHECK(fault["over_admitted"].get<int>() > 20);
  CHECK(fault["right_after_us"].is_number());
  CHECK(fault["admits_after_us"].is_number());
}

TEST_CASE("faults that spare data are played on a user's Redis only if that is allowed") {
  TestRedis redis;
  redis.command({"SET", "mine", "1"});
  const Outcome refused = redis.rlctl(with_fault("script_flush@1s"));
  CHECK(refused.exit == 2);
  CHECK(refused.err ==
        "rlctl: script_flush: this is a fault on a Redis that rlctl did not start; if you may "
        "disturb that Redis, add --allow-faults\n");
  const Outcome allowed = redis.rlctl(with_fault("script_flush@1s", {"--allow-faults"}));
  INFO(allowed.out << allowed.err);
  CHECK(allowed.exit == 0);
  for (const char* fault : {"redis_restart@1s:1s", "redis_pause@1s:1s", "memory_full@1s:1s"}) {
    const Outcome never = redis.rlctl(with_fault(fault, {"--allow-faults"}));
    CHECK(never.exit == 2);
    CHECK(contains(never.err, "never to yours"));
  }
  CHECK(redis.text({"GET", "mine"}) == "1");
}
