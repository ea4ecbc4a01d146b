// rlctl run: plays scenario files, judges and reports them, for CI.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "base/json.h"
#include "base/suggest.h"
#include "base/table.h"
#include "base/units.h"
#include "base/words.h"
#include "cli/options/fault_options.h"
#include "cli/options/http_options.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/options/shard_options.h"
#include "cli/output/output.h"
#include "cli/output/output_files.h"
#include "cli/output/progress.h"
#include "cli/verb.h"
#include "io/open_files.h"
#include "log/log_file.h"
#include "log/run_parts.h"
#include "report/documents.h"
#include "report/scenario_junit.h"
#include "report/scenario_text.h"
#include "result/codec.h"
#include "run/played/result_of_logs.h"
#include "run/policy_play.h"
#include "run/scenario_run.h"
#include "run/target.h"
#include "scenario/playable.h"
#include "scenario/read/checks.h"
#include "scenario/read/scenario_file.h"
#include "scenario/shard_plan.h"
#include "scenario/speed_up.h"

namespace rlctl {
namespace {

// What a run that was played before is judged by.
constexpr std::string_view kBesideLogs[] = {"--logs",  "--scenario", "--expect",
                                            "--junit", "--json",     "--quiet"};

struct RunOptions {
  RegistryOptions registry;
  RedisOptions redis;
  ShardOptions shard;
  FaultOptions fault;
  std::vector<std::string> files;
  std::vector<std::string> only;
  std::vector<std::string> logs;
  std::string seed;
  std::string engine;
  std::string attempts = "3";
  std::string threads = "1";
  std::string expect;
  std::string junit;
  std::string log;
  bool list = false;
  bool dry_run = false;
  bool json = false;
  bool quiet = false;
  std::string again;  // the options of a command that plays a scenario again
};

// The output files of a run. They are opened before anything is sent, so that a path that can't be
// written is reported at once.
class Reports {
 public:
  Reports(const RunOptions& options, const std::vector<ScenarioPath>& scenarios) {
    const std::vector<std::string> paths{options.junit, options.json ? "-" : "", options.log};
    std::vector<std::string> read = options.logs;
    for (const ScenarioPath& scenario : scenarios) read.push_back(scenario.file);
    check_output_files(paths, read);
    stdout_taken_ = std::ranges::find(paths, "-") != paths.end();
    if (!options.junit.empty()) junit_file_.emplace(options.junit);
    json_ = options.json;
    if (!options.log.empty()) log_.emplace(options.log);
  }

  // The log of a CI job shows what failed, also where programs read standard output.
  void tell_people(const std::string& text) const {
    if (stdout_taken_) return void(std::fputs(text.c_str(), stderr));
    print(fitted(text));
    flush_output();
  }
  // The width of what people are told; 0: no bound.
  std::size_t columns() const { return stdout_taken_ ? 0 : columns_or(0); }

  bool tells_by_messages() const { return stdout_taken_; }

  void add(const Scenario& scenario, ScenarioResult& result) {
    tally_.add(result);
    exit_ = worse_of(exit_, exit_of(result));
    if (junit_file_) add_scenario(junit_, scenario, result);
    if (json_) scenarios_.push_back(document_of(scenario, result));
    if (!log_) return;
    for (PolicyResult& policy : result.policies) {
      policy.log.expectations = expectations_on(scenario, result, policy.policy);
      log_->write(policy.log);
    }
  }

  void finish() {
    if (junit_file_) {
      junit_file_->write(junit_.text());
      junit_file_->close();
    }
    if (json_) print_json(to_json(document()));
    if (log_) log_->close();
  }

  const ScenarioTally& tally() const { return tally_; }
  LogWriter* log() { return log_ ? &*log_ : nullptr; }
  Exit exit() const { return exit_; }

 private:
  RunDocument document() const {
    return {.version = RLCTL_VERSION,
            .exit = static_cast<int>(exit_),
            .passed = tally_.passed,
            .failed = tally_.failed,
            .inconclusive = tally_.inconclusive,
            .could_not_run = tally_.could_not_run,
            .duration_us = tally_.duration_us,
            .scenarios = scenarios_};
  }

  bool stdout_taken_ = false;
  std::optional<AtomicFile> junit_file_;
  bool json_ = false;
  std::optional<LogWriter> log_;
  JunitReport junit_{"rlctl run", 0, {}};
  std::vector<ScenarioDocument> scenarios_;
  ScenarioTally tally_;
  Exit exit_ = Exit::done;
};

// A scenario that was refused before anything was sent is also in the reports: it could not be run.
void add_refused(Reports& reports, const Scenario& scenario, Error problem,
                 std::vector<FileMistake> mistakes = {}) {
  ScenarioResult result;
  result.seed = scenario.seed;
  result.problem = std::move(problem);
  result.mistakes = std::move(mistakes);
  conclude(scenario, result);
  reports.add(scenario, result);
}

struct WrongFile {
  std::string file;
  ParsedScenario parsed;
};

struct LoadedScenarios {
  std::vector<Scenario> scenarios;
  std::vector<WrongFile> wrong;
};

void add_wrong_file(Reports& reports, const WrongFile& wrong) {
  Scenario scenario;
  scenario.file = wrong.file;
  scenario.name = wrong.parsed.name;
  const std::vector<FileMistake>& mistakes = wrong.parsed.placed_mistakes;
  add_refused(reports, scenario,
              Error(Exit::usage, counted(mistakes.size(), "mistake") + " in the file",
                    wrong.parsed.mistakes),
              mistakes);
}

LoadedScenarios load_all(const std::vector<ScenarioPath>& paths) {
  LoadedScenarios loaded;
  for (const ScenarioPath& path : paths) {
    ParsedScenario parsed = load_scenario(path);
    if (parsed.scenario)
      loaded.scenarios.push_back(std::move(*parsed.scenario));
    else
      loaded.wrong.push_back({path.file, std::move(parsed)});
  }
  return loaded;
}

// All mistakes of all files at once, before anything is sent.
void refuse_mistakes(const std::vector<WrongFile>& wrong, Reports& reports) {
  if (wrong.empty()) return;
  std::size_t count = 0;
  for (const WrongFile& one : wrong) {
    add_wrong_file(reports, one);
    std::fputs(one.parsed.mistakes.c_str(), stderr);
    count += one.parsed.placed_mistakes.size();
  }
  reports.finish();
  throw Error(Exit::usage, fmt::format("{} in {}: nothing was sent", counted(count, "mistake"),
                                       counted(wrong.size(), "file")));
}

// Problems that only the scripts show: unknown names, wrong manifests, scripts that can't run on
// the virtual clock. Also found before anything is sent.
std::vector<std::string> unplayable_policies(const Scenario& scenario, const Registry& registry) {
  std::vector<std::string> problems;
  const bool is_virtual = scenario.clock == ScenarioClock::virtual_time;
  for (const PolicySpec& spec : scenario.policies) {
    try {
      const PolicyPlay play(spec, registry, scenario.target.kind,
                            is_virtual ? TimeSource::virtual_time : TimeSource::real);
    } catch (const Error& error) {
      problems.push_back(fmt::format("{}: /policies/{}: {}\n{}",
                                     place_in_words(scenario, spec.place), spec.name, error.what(),
                                     error.hint().empty() ? "" : "  " + error.hint() + "\n"));
    }
  }
  return problems;
}

void check_scripts(const std::vector<Scenario>& scenarios, const Registry& registry,
                   Reports& reports) {
  std::size_t count = 0;
  for (const Scenario& scenario : scenarios) {
    const std::vector<std::string> problems = unplayable_policies(scenario, registry);
    if (problems.empty()) continue;
    const std::string all = fmt::format("{}", fmt::join(problems, ""));
    std::fputs(all.c_str(), stderr);
    count += problems.size();
    add_refused(reports, scenario,
                Error(Exit::usage,
                      counted(problems.size(), "policy that can't be played",
                              "policies that can't be played"),
                      all));
  }
  if (count == 0) return;
  reports.finish();
  throw Error(Exit::usage,
              counted(count, "policy that can't be played", "policies that can't be played") +
                  ": nothing was sent");
}

// What is not chosen may be wrong: its variables may be set on another machine only.
void keep_only(const std::vector<std::string>& names, LoadedScenarios& loaded) {
  if (names.empty()) return;
  std::vector<std::string> known;
  for (const Scenario& scenario : loaded.scenarios) known.push_back(scenario.name);
  for (const WrongFile& wrong : loaded.wrong) known.push_back(wrong.parsed.name);
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      throw Error(Exit::usage, "--scenario: there is no scenario " + in_quotes(name),
                  did_you_mean(name, known));
  const auto is_other = [&](const std::string& name) {
    return std::ranges::find(names, name) == names.end();
  };
  std::erase_if(loaded.scenarios, [&](const Scenario& one) { return is_other(one.name); });
  std::erase_if(loaded.wrong, [&](const WrongFile& one) { return is_other(one.parsed.name); });
}

// With --redis, scenarios for a private server are played on that Redis.
void choose_redis(const RunOptions& options, Scenario& scenario) {
  if (options.redis.embedded()) return;
  if (scenario.target.kind == TargetKind::serve)
    throw Error(Exit::usage,
                "--redis: " + in_quotes(scenario.name) + " plays its own server with its own Redis",
                "remove --redis, or choose other scenarios with --scenario");
  if (scenario.target.kind != TargetKind::embedded) return;
  for (const Fault& fault : scenario.faults)
    if (fault.row().harm == Harm::lasting)
      throw Error(Exit::usage,
                  "--redis: " + in_quotes(scenario.name) + " harms its Redis (" + fault.row().name +
                      "), and rlctl harms only its own",
                  "remove --redis, or choose other scenarios with --scenario");
  scenario.target.kind = TargetKind::redis;
  scenario.target.url.clear();
}

void list(const LoadedScenarios& loaded) {
  Table table({{}, {}, {}});
  for (const Scenario& scenario : loaded.scenarios)
    table.add_row({escape_for_terminal(scenario.name), escape_for_terminal(scenario.file)});
  for (const WrongFile& wrong : loaded.wrong)
    table.add_row({escape_for_terminal(wrong.parsed.name), escape_for_terminal(wrong.file),
                   counted(wrong.parsed.placed_mistakes.size(), "mistake")});
  print(table.text(columns_or(0)));
}

// Before the first of them is played.
void check_all_fit(const RunOptions& options, const std::vector<Scenario>& scenarios) {
  const std::int64_t threads = threads_of(options.threads);
  for (const Scenario& scenario : scenarios) {
    try {
      check_threads(scenario, threads);
      if (options.logs.empty()) check_faults_fit(scenario, options.redis.embedded_spec().cluster);
    } catch (const Error& error) {
      throw Error(error.exit(), in_quotes(scenario.name) + ": " + error.what(), error.hint());
    }
  }
}

std::vector<Scenario> chosen_scenarios(const RunOptions& options, std::vector<Scenario> scenarios) {
  for (Scenario& scenario : scenarios) {
    choose_redis(options, scenario);
    if (options.redis.has_timeout()) scenario.target.timeout_us = options.redis.timeout_us();
    if (options.logs.empty()) check_faults(scenario, options.fault.allowed() || options.dry_run);
    if (!options.dry_run) check_planned(scenario);
    if (!options.expect.empty()) scenario.verdict = meaning_of<VerdictKind>(options.expect);
    if (!options.seed.empty())
      scenario.seed = static_cast<std::uint64_t>(parse_count(options.seed, "--seed", 0));
  }
  if (!options.shard.given()) {
    check_all_fit(options, scenarios);
    return scenarios;
  }
  if (scenarios.size() != 1)
    throw Error(
        Exit::usage,
        fmt::format("--shard and --start-at need exactly one scenario, not {}", scenarios.size()),
        "choose one with --scenario NAME");
  options.shard.apply_to(scenarios.front(), !options.log.empty() || options.dry_run);
  check_all_fit(options, scenarios);
  return scenarios;
}

// A Redis that no scenario would ask.
void refuse_unused_redis(const std::vector<Scenario>& scenarios, const Options& app) {
  const auto names_target = [](const Scenario& one) { return !one.target.url.empty(); };
  const auto is_service = [](const Scenario& one) { return one.target.kind == TargetKind::http; };
  if (scenarios.empty() || !std::ranges::all_of(scenarios, names_target)) return;
  std::vector<std::string> unused(std::begin(kNamesRedis), std::end(kNamesRedis));
  if (std::ranges::all_of(scenarios, is_service))
    unused.insert(unused.end(), std::begin(kOfAnyRedis), std::end(kOfAnyRedis));
  for (const std::string& name : app.given())
    if (std::ranges::find(unused, name) != unused.end())
      throw Error(Exit::usage,
                  name + " is only for a limiter in Redis, and every scenario names its own target",
                  "remove it, or choose other scenarios with --scenario");
}

// Options for a password or TLS must be meant for some target.
void check_private_servers(const RunOptions& options, const std::vector<Scenario>& scenarios) {
  const auto has_own_address = [](const Scenario& one) { return !one.target.url.empty(); };
  if (std::ranges::none_of(scenarios, has_own_address)) options.redis.check_private_server();
}

// The command that plays only this scenario again.
std::string command_for(const RunOptions& options, const Scenario& scenario) {
  return "rlctl run " + shell_word(scenario.file) + options.again;
}

ScenarioResult play(Loop& loop, const RunOptions& options, const Scenario& scenario,
                    const Registry& registry, const std::string& position, LogWriter* log) {
  ScenarioPlan plan;
  plan.registry = &registry;
  if (scenario.target.kind == TargetKind::redis)
    plan.redis = options.redis.endpoint_of(scenario.target.url);
  plan.transport.tls = options.redis.tls().settings();
  plan.transport.engine = meaning_of<HttpEngine>(options.engine);
  plan.embedded = options.redis.embedded_spec();
  plan.run_id = run_id_of(scenario);
  plan.command = command_for(options, scenario);
  plan.version = RLCTL_VERSION;
  plan.log = log;
  plan.names_histories = true;  // those with different names are judged separately
  plan.attempts = parse_count(options.attempts, "--attempts");
  plan.threads = threads_of(options.threads);
  ScenarioProgress progress;
  const ScenarioLine line(loop, !options.quiet, progress,
                          position + " " + escape_for_terminal(scenario.name) + " | ");
  return run_scenario(loop, scenario, plan, progress);
}

void show(const RunOptions& options, const Reports& reports, const Scenario& scenario,
          const ScenarioResult& result, bool alone) {
  const bool passed = result.outcome == ScenarioOutcome::passed;
  if (options.quiet && passed) return;
  std::string text = scenario_line(scenario, result);
  AskedOfRun asked{options.logs, !options.expect.empty()};
  if (!options.log.empty()) asked.logs.push_back(options.log);
  const std::size_t width = reports.columns();
  if (!passed) text += scenario_details(scenario, result, asked, width);
  if (passed && alone) text += phase_table(scenario, result, width) + scenario_notes(result);
  reports.tell_people(text);
  // Who reads only the messages must see it, too. A log that can't be written says so at its end.
  const bool is_told = result.problem && result.problem->exit() == Exit::report;
  if (result.problem && !is_told && !reports.tells_by_messages() && !stdout_is_terminal())
    tell(in_quotes(scenario.name) + " did not run: " + result.problem->what());
}

Exit play_all(const RunOptions& options, const Registry& registry,
              const std::vector<Scenario>& scenarios, Reports& reports) {
  const std::int64_t threads = threads_of(options.threads);
  for (const Scenario& scenario : scenarios) {
    const MostConnections most = most_connections(scenario, threads);
    allow_open_files(most.needed + 100 * threads, most.possible + 100 * threads);
  }
  Loop loop(Loop::Timers::precise);
  loop.watch_signals();
  for (std::size_t i = 0; i < scenarios.size() && !loop.interrupted(); ++i) {
    const std::string position = fmt::format("{}/{}", i + 1, scenarios.size());
    ScenarioResult result = play(loop, options, scenarios[i], registry, position, reports.log());
    show(options, reports, scenarios[i], result, scenarios.size() == 1);
    reports.add(scenarios[i], result);
  }
  reports.finish();
  reports.tell_people(tally_line(reports.tally()));
  return loop.interrupted() ? Exit::interrupted : reports.exit();
}

void refuse_beside_logs(const Options& app) {
  for (const std::string& name : app.given())
    if (const bool is_fine = std::ranges::find(kBesideLogs, name) != std::end(kBesideLogs);
        name.starts_with("-") && !is_fine)
      throw Error(Exit::usage, name + " has no effect on a run that was played: --logs judges it",
                  "remove it, or remove --logs");
}

// Together they would pass where each of them fails, such as "denied > 60" of two runs with 50.
void refuse_several_runs(const ParsedLogs& logs) {
  std::set<std::string> ids;
  for (const ParsedHistory& history : logs.histories) {
    ids.insert(history.log.runs.begin(), history.log.runs.end());
    if (!history.log.run_id.empty()) ids.insert(history.log.run_id);
  }
  if (ids.size() < 2) return;
  throw Error(Exit::usage, "the logs are of " + runs_in_words({ids.begin(), ids.end()}),
              "give the logs of one run: its parts have the same scenario, seed and start time");
}

Exit judge_logs_of_run(const RunOptions& options, const std::vector<Scenario>& scenarios,
                       Reports& reports) {
  if (scenarios.size() != 1)
    throw Error(Exit::usage,
                fmt::format("--logs needs exactly one scenario, not {}", scenarios.size()),
                "choose one with --scenario NAME");
  const Scenario played = sped_up(scenarios.front());
  Progress progress(!options.quiet);
  ParsedLogs logs = read_logs(options.logs, without_log_options(), progress.watcher());
  refuse_several_runs(logs);
  ScenarioResult result = result_of_logs(played, std::move(logs));
  show(options, reports, played, result, true);
  reports.add(played, result);
  reports.finish();
  reports.tell_people(tally_line(reports.tally()));
  return reports.exit();
}

void check_nothing_is_written(const RunOptions& options) {
  for (const auto& [name, given] : {std::pair("--json", options.json),
                                    {"--junit", !options.junit.empty()},
                                    {"--log", !options.log.empty()}})
    if (given)
      throw Error(Exit::usage,
                  std::string(name) + ": nothing is played, so there is nothing to write",
                  "remove it, or remove --list and --dry-run");
}

std::string plan_of(const RunOptions& options, const Scenario& scenario) {
  std::string text = scenario_plan_text(scenario, columns_or(0));
  if (needs_permission(scenario) && !options.fault.allowed())
    text += "  needs --allow-faults: its faults are on a Redis that rlctl did not start\n";
  return text + "\n";
}

Exit run_run(const RunOptions& options, const Options& app) {
  if (!options.logs.empty()) refuse_beside_logs(app);
  const std::vector<ScenarioPath> paths = find_scenarios(options.files);
  Reports reports(options, paths);
  LoadedScenarios loaded = load_all(paths);
  keep_only(options.only, loaded);
  if (options.list || options.dry_run) check_nothing_is_written(options);
  if (options.list) {
    list(loaded);
    return Exit::done;
  }
  refuse_mistakes(loaded.wrong, reports);
  const std::vector<Scenario> scenarios = chosen_scenarios(options, std::move(loaded.scenarios));
  refuse_unused_redis(scenarios, app);
  if (options.dry_run) {
    for (const Scenario& scenario : scenarios) print(fitted(plan_of(options, scenario)));
    return Exit::done;
  }
  if (!options.logs.empty()) return judge_logs_of_run(options, scenarios, reports);
  const Registry registry = options.registry.registry();
  check_scripts(scenarios, registry, reports);
  check_private_servers(options, scenarios);
  return play_all(options, registry, scenarios, reports);
}

Action add_run_options(Options& app) {
  auto options = std::make_shared<RunOptions>();
  app.add_option("file", options->files, "scenario files, or folders with scenario files")
      .required()
      .type_name("FILE.json|DIR")
      .expected(1, Options::kAnyNumber);
  app.add_option("--scenario", options->only,
                 "play only the scenario with this name; may be repeated")
      .type_name("NAME");
  app.add_option("--logs", options->logs,
                 "play nothing: judge these logs of the scenario, one of each part (--shard)")
      .type_name("LOG")
      .expected(1, Options::kAnyNumber);
  app.add_flag("--list", options->list, "list the scenarios and send nothing");
  app.add_flag("--dry-run", options->dry_run, "show what would be sent and send nothing");
  app.add_option("--seed", options->seed,
                 "use this seed instead of the files' seed: another schedule")
      .type_name("N");
  app.add_option("--attempts", options->attempts,
                 "play a scenario up to N times if this machine sent late [3]; over HTTP only once")
      .type_name("N");
  add_threads_option(app, options->threads);
  app.add_option("--expect", options->expect,
                 "the verdict that each scenario must have, instead of the one in its file")
      .type_name("VERDICT")
      .one_of(all_words<VerdictKind>());
  app.add_option("--junit", options->junit, "write JUnit XML for CI; - is standard output")
      .type_name("FILE");
  app.add_flag("--json", options->json, "print one JSON object");
  app.add_option("--log", options->log,
                 "write every decision to this file: JSON Lines, or CSV if named .csv")
      .type_name("FILE");
  app.add_flag("--quiet", options->quiet, "print only the scenarios that did not pass");
  add_engine_option(app, options->engine);
  options->fault.add_to(app);
  options->shard.add_to(app);
  options->registry.add_to(app);
  options->redis.add_to(app, WithoutUrl::embedded);
  return [options, app] {
    // Neither what a run writes and shows, nor which part of it this machine plays.
    options->again = app.options_line({"--scenario", "--list", "--dry-run", "--junit", "--json",
                                       "--log", "--quiet", "--shard", "--start-at"});
    return run_run(*options, app);
  };
}

}  // namespace

const Verb kRunVerb{"run",
                    "Plays scenario files for CI, judges and reports them; exit 1 if one fails.",
                    "  rlctl run scenarios/ --junit out.xml\n"
                    "  rlctl run scenarios/breaks/fixed-edge.json --expect holds --log run.jsonl\n"
                    "  rlctl run scenarios/ --dry-run\n"
                    "  rlctl run my.json --logs part-1.jsonl part-2.jsonl",
                    add_run_options};

}  // namespace rlctl
