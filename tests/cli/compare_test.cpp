// rlctl compare as a user runs it, on results of real benches and on files that are not results.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/support/process.h"
#include "tools/folder.h"

namespace {

using Json = nlohmann::json;
using rlctl::test::Folder;

std::string bench_result(const Arguments& more) {
  Arguments arguments{"bench", "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run_rlctl(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.exit == 0);
  return outcome.out;
}

const std::string& short_bench() {
  static const std::string result = bench_result(
      {"--algo", "sliding-list", "--rounds", "9", "--requests", "400", "--users", "4"});
  return result;
}

// Multiplies every round's latencies and CPU times, as if the limiter took that many times as long.
std::string slowed(const std::string& result, double factor) {
  Json slower = Json::parse(result);
  for (Json& algorithm : slower["algorithms"])
    for (Json* rounds : {&algorithm["rounds"], &algorithm["denied"]["rounds"]})
      for (Json& round : *rounds) {
        for (Json& latency : round["latency_us"]) latency = latency.get<double>() * factor;
        for (const char* name : {"server_cpu_us_per_decision", "client_cpu_us_per_decision"})
          round[name] = round[name].get<double>() * factor;
      }
  return slower.dump();
}

}  // namespace

TEST_CASE("bench: nine rounds hold all data that compare needs") {
  const Json result = Json::parse(short_bench());
  const Json& algorithm = result["algorithms"][0];
  CHECK(algorithm["rounds"].size() == 9);
  CHECK(algorithm["denied"]["rounds"].size() == 9);
  CHECK(algorithm["yardstick"]["name"] == "incr/1");
  CHECK(algorithm["yardstick"]["rounds"].size() == 9);
  CHECK(algorithm["yardstick"]["rounds"][0]["decisions_per_second"] > 0);
  CHECK(result["machine"]["cores"] > 0);
  CHECK_FALSE(result["machine"]["kernel"].get<std::string>().empty());
  CHECK(result["machine_use"]["other_cpu_percent"].is_number());
}

TEST_CASE("compare and report say the same of a result that was cut") {
  const Folder files;
  const std::string text = "{\n  \"schema\": \"rlctl.bench/1\",\n  \"version\": \"0";
  const std::string cut = files.write("cut.json", text);
  const Outcome compared = run_rlctl({"compare", cut, cut});
  CHECK(compared.exit == 2);
  CHECK(contains(compared.err, "cut.json' is not a complete JSON object"));
  CHECK(contains(compared.err, "create the file again"));
  CHECK(run_rlctl({"report", cut, "--html", files / "page.html"}).err == compared.err);
}

TEST_CASE("compare: a bench against itself shows no difference and passes") {
  const Folder files;
  const std::string base = files.write("base.json", short_bench());
  const Outcome outcome =
      run_rlctl({"compare", base, base, "--fail-if", "p99 > +10%", "--fail-if", "accuracy < 100%"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
  CHECK(contains(outcome.out, "no difference shown"));
  CHECK(contains(outcome.out, "OK          p99 > +10%: sliding-list, denied: +0.0 %"));
  CHECK_FALSE(contains(outcome.out, "DIFFERENT"));
}

TEST_CASE("compare: three times as slow is exit 1 with a condition, else 0") {
  const Folder files;
  const std::string base = files.write("base.json", short_bench());
  const std::string fresh = files.write("new.json", slowed(short_bench(), 3));
  const Outcome told = run_rlctl({"compare", base, fresh});
  CHECK(told.exit == 0);
  CHECK(contains(told.out, "200 % slower"));
  const Outcome failed = run_rlctl({"compare", base, fresh, "--fail-if", "p50 > +10%", "--json"});
  CHECK(failed.exit == 1);
  const Json result = Json::parse(failed.out);
  CHECK(result["schema"] == "rlctl.compare/1");
  CHECK(result["exit"] == 1);
  const Json& conditions = result["comparisons"][0]["conditions"];
  REQUIRE(conditions.size() == 2);  // admitted and denied
  for (const Json& condition : conditions) CHECK(condition["result"] == "fails");
  for (const Json& figure : result["comparisons"][0]["figures"]) {
    if (figure["metric"] != "p50") continue;
    CHECK(figure["ratio"].get<double>() == doctest::Approx(3));
    CHECK(figure["in_yardsticks"] == true);
    CHECK(figure["finding"] == "differs");
  }
}

TEST_CASE("compare: a fixed window instead of an exact one fails on accuracy, without a test") {
  const Folder files;
  const Arguments attack{"--only", "accuracy", "--algo"};
  Arguments exact = attack;
  exact.push_back("sliding-list");
  Arguments fixed = attack;
  fixed.push_back("fixed");
  const std::string base = files.write("base.json", bench_result(exact));
  const std::string fresh = files.write("new.json", bench_result(fixed));
  const Outcome outcome = run_rlctl({"compare", base, fresh, "--fail-if", "accuracy < 100%"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 1);
  CHECK(contains(outcome.out, "FAILS"));
  CHECK(contains(outcome.out, "DIFFERENT limiter: sliding-list in the base, fixed in the new run"));
  CHECK(contains(outcome.out, "VERDICT of fixed: holds in the base, violated in the new run"));
}

TEST_CASE("compare: a bucket that holds is within its limit, in every format") {
  const Folder files;
  const std::string result =
      files.write("tb.json", bench_result({"--only", "accuracy", "--algo", "token-bucket",
                                           "--policy", "bucket 10 + 10/1s"}));
  const Outcome outcome = run_rlctl({"compare", result, result, "--fail-if", "burst_factor > 1"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
  for (const char* format : {"--markdown", "--csv", "--html"}) {
    const std::string page = run_rlctl({"report", result, format, "-"}).out;
    INFO(page);
    CHECK(contains(page, "at most 10 at once, refilled by 10 per 1s; "));
    CHECK_FALSE(contains(page, "(limit 10)"));
  }
}

TEST_CASE("compare: too few rounds are exit 4 if a condition needs them") {
  const Folder files;
  const std::string one =
      files.write("one.json", bench_result({"--only", "speed", "--algo", "fixed", "--rounds", "1",
                                            "--requests", "200", "--users", "2"}));
  const Outcome outcome = run_rlctl({"compare", one, one, "--fail-if", "p99 > +10%"});
  CHECK(outcome.exit == 4);
  CHECK(contains(outcome.out, "can't tell"));
  CHECK(contains(outcome.out, "bench --rounds 9"));
  CHECK(run_rlctl({"compare", one, one}).exit == 0);
}

TEST_CASE("compare: what two runs measured once is exit 4, unless they are on the virtual clock") {
  const Folder files;
  const auto exit_of = [&](const std::string& clock, const std::string& condition) {
    const auto bench = [&](const std::string& name, const std::string& count) {
      return files.write(name, R"({"schema": "rlctl.bench/1", "clock": ")" + clock +
                                   R"(", "algorithms": [{"name": "fixed", "attacks": [
                                   {"name": "aligned", "excess_certain": )" +
                                   count + "}]}]}");
    };
    const Outcome outcome = run_rlctl(
        {"compare", bench("base.json", "302"), bench("new.json", "325"), "--fail-if", condition});
    INFO(outcome.out << outcome.err);
    CHECK(contains(outcome.out, "can't tell: measured once") == (clock == "wall"));
    return outcome.exit;
  };
  CHECK(exit_of("wall", "excess_certain > +1%") == 4);
  CHECK(exit_of("wall", "excess_certain > 0") == 1);
  CHECK(exit_of("virtual", "excess_certain > +1%") == 1);
}

TEST_CASE("compare: a file that can't be read is one clear line and exit 2") {
  const Folder files;
  const std::string good = files.write("good.json", short_bench());
  const auto says = [&](const Arguments& arguments, const std::string& part) {
    Arguments all{"compare"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Outcome outcome = run_rlctl(all);
    INFO(outcome.err);
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    CHECK(contains(outcome.err, part));
  };
  says({good, good, "--fail-if", "p99{algo=sliding-lst} > +10%"}, "did you mean 'sliding-list'");
  says({good, files.write("deep.json", std::string(100'000, '['))}, "deep.json");
}

TEST_CASE("compare: a log is cut into slices, judged by its header, and compared with a log") {
  const Folder files;
  const std::string log = files.write("log.jsonl", "");
  bench_result({"--only", "speed", "--algo", "sliding-list", "--rounds", "1", "--requests", "2000",
                "--users", "2", "--log", log});
  const Outcome outcome =
      run_rlctl({"compare", log, log, "--json", "--fail-if", "p99{phase=admitted} > +10%",
                 "--fail-if", "excess_certain > 0"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 0);
  const Json result = Json::parse(outcome.out)["comparisons"][0];
  bool has_latency = false;
  for (const Json& figure : result["figures"])
    if (figure["metric"] == "p50" && figure["traffic"] == "admitted") {
      has_latency = true;
      CHECK(figure["name"] == "sliding-list");
      CHECK(figure["new_rounds"] == 10);
      CHECK(figure["finding"] == "no_difference_shown");
    }
  CHECK(has_latency);
  CHECK(contains(result["notes"].dump(), "slices"));
}

TEST_CASE("compare: results of run, simulate and verify are matched by policy and contract") {
  const Folder files;
  const auto result = [&](const std::string& name, const Arguments& arguments) {
    return files.write(name, run_rlctl(arguments).out);
  };
  const Arguments attack{"simulate", "boundary", "--limit", "20", "--window", "60s", "--json"};
  const auto with = [&](const std::string& algorithm) {
    Arguments arguments = attack;
    arguments.insert(arguments.end(), {"--algo", algorithm});
    return arguments;
  };
  const std::string exact = result("exact.json", with("sliding-list"));
  const std::string fixed = result("fixed.json", with("fixed"));
  const Outcome outcome = run_rlctl({"compare", exact, fixed, "--fail-if", "peak > +10%"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit == 1);
  CHECK(contains(outcome.out, "40 after 20"));
  const Outcome latency = run_rlctl({"compare", exact, exact, "--fail-if", "p99 > 5ms"});
  CHECK(latency.exit == 4);
  CHECK(contains(latency.out, "only bench measures p99"));
  const std::string scenario =
      std::string(RLCTL_SOURCE_DIR) + "/scenarios/breaks/fixed-by-key.json";
  const std::string run = files.write("run.json", run_rlctl({"run", scenario, "--json"}).out);
  const Outcome same = run_rlctl({"compare", run, run, "--fail-if", "peak > +0%"});
  INFO(same.out << same.err);
  CHECK(same.exit == 0);
  CHECK(contains(same.out, "worst window"));
}

TEST_CASE("bench --baseline: measured and compared in one go") {
  const Folder files;
  const std::string base = files.write("base.json", short_bench());
  const Arguments again{"bench",      "--only", "speed",   "--algo", "sliding-list",
                        "--requests", "400",    "--users", "4",      "--baseline",
                        base};
  const auto with = [&](const Arguments& more) {
    Arguments arguments = again;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_rlctl(arguments);
  };
  const Outcome passed = with({"--fail-if", "server_cpu > +1000%"});
  INFO(passed.out << passed.err);
  CHECK(passed.exit == 0);
  CHECK(contains(passed.out, "9 rounds"));
  CHECK(contains(passed.out, "OK          server_cpu > +1000%"));
  const Outcome failed = with({"--fail-if", "decisions/s < 1000000000", "--json"});
  CHECK(failed.exit == 1);
  const Json result = Json::parse(failed.out);
  CHECK(result["schema"] == "rlctl.bench/1");
  CHECK(result["comparison"]["conditions"][0]["result"] == "fails");
  CHECK(with({"--fail-if", "accuracy < 100%"}).exit == 4);
}

TEST_CASE("compare and bench name no option that only other verbs have") {
  const Folder files;
  const auto refusal = [](const Arguments& arguments) {
    const Outcome outcome = run_rlctl(arguments);
    CHECK(outcome.exit == 2);
    return outcome.err;
  };
  const std::string prose = files.write("mine.lua", "return 1\nlocal two = 2\n");
  const std::string table = files.write("a.csv", "at,who,what\n1,a,b\n1,a,b\n");
  const std::string lines = files.write("a.jsonl", "{\"at\":1,\"b\":2}\n{\"at\":1,\"b\":2}\n");
  const std::string access = files.write("a.log", "2026-11-21T10:00:00Z <203.0.113.7> x 200\nx\n");
  for (const std::string& other : {prose, table, lines, access}) {
    CAPTURE(other);
    const std::string compared = refusal({"compare", other, other});
    for (const char* option : {"--format", "-column", "--budget"})
      CHECK_FALSE(contains(compared, option));
    CHECK(refusal({"bench", "--baseline", other}) == compared);
  }
  CHECK(contains(refusal({"compare", prose, prose}), "rlctl formats lists those that are\n"));
  CHECK(contains(refusal({"compare", table, table}), "the columns are at, who, what"));
  CHECK(contains(refusal({"compare", lines, lines}), "a.jsonl:1: the line has no time\n"));
}

TEST_CASE("bench --baseline: a base with nothing to compare is refused before anything is sent") {
  const Folder files;
  const std::string simulated =
      files.write("simulated.json", run_rlctl({"simulate", "bot", "--json"}).out);
  const std::string speed =
      files.write("speed.json", bench_result({"--only", "speed", "--algo", "fixed", "--rounds", "1",
                                              "--requests", "400", "--users", "4"}));
  const auto refused = [&](const std::string& base) {
    const Outcome outcome =
        run_rlctl({"bench", "--only", "accuracy", "--algo", "fixed", "--baseline", base});
    CHECK(outcome.exit == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK(contains(refused(simulated), "the base is of rlctl simulate, the new run of rlctl bench"));
  CHECK(contains(refused(speed), "nothing to compare: --only accuracy, but "));
}
