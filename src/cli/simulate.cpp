// rlctl simulate: plays one of the traffic patterns that break limiters, and judges the decisions.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "base/words.h"
#include "cli/options/fault_options.h"
#include "cli/options/http_options.h"
#include "cli/options/limiter_options.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/options/shard_options.h"
#include "cli/options/wait_options.h"
#include "cli/output/document.h"
#include "cli/output/output_files.h"
#include "cli/output/progress.h"
#include "cli/verb.h"
#include "io/http/http_url.h"
#include "io/open_files.h"
#include "limiter/http_target.h"
#include "log/log_file.h"
#include "report/documents.h"
#include "report/simulate_text.h"
#include "run/expiry_probe.h"
#include "run/policy_play.h"
#include "run/scenario_run.h"
#include "run/target.h"
#include "scenario/length.h"
#include "scenario/pattern.h"
#include "scenario/read/checks.h"
#include "scenario/shard_plan.h"

namespace rlctl {
namespace {

constexpr std::int64_t kMostCost = 1'000'000;  // as in a scenario

struct SimulateOptions {
  RedisOptions redis;
  HttpOptions http;
  RegistryOptions registry;
  LimiterOptions limiter;
  PolicyOptions policy;
  ShardOptions shard;
  FaultOptions fault;
  std::string pattern;
  std::string contract;
  std::string run;
  std::string key = "ratelimit:ip:<ip>";
  std::string rate;
  std::string duration;
  std::string requests;
  std::string users;
  std::string items;
  std::string on_deny;
  std::string anchor;
  std::string clock;
  std::string seed = "1";
  std::string cost = "1";
  std::string hold;
  std::string vanish;
  std::string held_at_least;
  std::string max_inflight;
  WaitOptions wait;
  std::string tolerance;
  std::string speed = "1";
  std::string attempts = "3";
  std::string threads = "1";
  std::string expect;
  std::string expect_contract;
  std::string log;
  bool lockstep = false;
  bool fresh = false;
  bool json = false;
  bool quiet = false;
};

std::optional<std::int64_t> optional_count(const std::string& text, const char* option) {
  if (text.empty()) return std::nullopt;
  return parse_count(text, option);
}

PatternOptions pattern_options(const SimulateOptions& options) {
  PatternOptions pattern;
  if (!options.rate.empty()) pattern.rate = parse_rate(options.rate, "--rate");
  if (!options.duration.empty())
    pattern.duration_us = parse_positive_duration_us(options.duration, "--for");
  pattern.requests = optional_count(options.requests, "--requests");
  pattern.users = optional_count(options.users, "--users");
  pattern.items = optional_count(options.items, "--items");
  if (!options.on_deny.empty()) pattern.on_deny = meaning_of<OnDeny>(options.on_deny);
  if (!options.anchor.empty()) pattern.anchor = meaning_of<EdgeChoice>(options.anchor);
  pattern.lockstep = options.lockstep;
  pattern.cost = parse_bounded(options.cost, "--cost", kMostCost);
  if (!options.hold.empty()) pattern.hold_us = parse_duration_us(options.hold, "--hold");
  if (!options.vanish.empty()) pattern.vanishing_share = parse_share(options.vanish, "--vanish");
  return pattern;
}

PolicySpec policy_spec(const SimulateOptions& options, const PatternInfo& pattern) {
  PolicySpec spec;
  spec.name = pattern.name;
  if (!options.http.given()) {
    spec.algorithm = options.limiter.name();
    spec.manifest = options.limiter.manifest(options.http.allowed());
    spec.is_command = options.limiter.is_command();
  }
  if (!options.run.empty()) spec.run = *meaning_of<RunChoice>(options.run);
  spec.policy = options.policy.policy_or({.limit = pattern.limit, .window_us = pattern.window_us});
  if (!options.contract.empty())
    spec.contract = parse_rules(options.contract, "--contract", spec.policy.numbers());
  spec.tell_limiter();
  spec.policy.key = options.key;
  spec.fresh = options.fresh;
  if (!options.held_at_least.empty())
    spec.held_at_least_us = parse_duration_us(options.held_at_least, "--held-at-least");
  if (!options.max_inflight.empty())
    spec.max_inflight_us = parse_duration_us(options.max_inflight, "--max-inflight");
  spec.wait = options.wait.wait();
  if (!options.tolerance.empty())
    spec.tolerance_us = parse_duration_us(options.tolerance, "--tolerance");
  const std::int64_t window_us = spec.policy.window_us;
  if (window_us > 0 && spec.tolerance_us.value_or(0) >= window_us)
    throw Error(Exit::usage,
                fmt::format("--tolerance {}: it must be shorter than the window of {}",
                            options.tolerance, format_duration(window_us)),
                "use a few milliseconds");
  return spec;
}

// The virtual clock, on which minutes take milliseconds, if only decisions matter and the script
// supports it.
ScenarioClock choose_clock(const SimulateOptions& options, const PolicySpec& spec,
                           const Registry& registry) {
  if (!options.clock.empty()) return *meaning_of<ScenarioClock>(options.clock);
  if (options.http.given() || options.speed != "1" || options.shard.given() ||
      options.fault.given() || options.threads != "1")
    return ScenarioClock::wall;
  const bool about_time = find_pattern(options.pattern).measures_time;
  const Script script = registry.find(spec.algorithm, spec.manifest);
  const bool fits = why_in_real_time(script, spec.policy).empty();
  return options.redis.embedded() && fits && !about_time ? ScenarioClock::virtual_time
                                                         : ScenarioClock::wall;
}

void check_speed(const SimulateOptions& options) {
  if (options.speed == "1") return;
  if (options.http.given() || !options.redis.embedded())
    throw Error(Exit::usage, "--speed: only an embedded Redis can be sped up",
                "remove --speed, or remove --target and --redis");
  if (options.clock == "virtual")
    throw Error(Exit::usage, "--speed has no effect on the virtual clock", "remove one of them");
}

void check_target(const SimulateOptions& options) {
  std::vector<std::string> for_redis{"--wait"};
  // Only the message of a rate limit service has a cost.
  if (!std::ranges::any_of(options.http.urls(), is_rls)) for_redis.emplace_back("--cost");
  // Keys in Redis are the run's own, and there work ends with a finish.
  options.http.check_company(for_redis, {"--fresh", "--held-at-least"});
  if (options.http.given() && options.clock == "virtual")
    throw Error(Exit::usage, "--clock virtual: an HTTP service has its own clock",
                "remove --clock");
  if (options.fault.given() && options.clock == "virtual")
    throw Error(Exit::usage, "--clock virtual: faults need real time", "remove --clock");
  if (options.clock == "virtual" && find_pattern(options.pattern).measures_time)
    throw Error(
        Exit::usage,
        "--clock virtual: " + options.pattern + " measures how fast decisions are, in real time",
        "remove --clock");
}

// An expected violation is one of the policy: a contract that promises something else is still
// kept, unless --expect-contract asks for something else. Returns the contract.
Rules expect_verdicts(const SimulateOptions& options, const Registry& registry,
                      Scenario& scenario) {
  if (!options.expect.empty()) scenario.verdict = *meaning_of<VerdictKind>(options.expect);
  const bool is_virtual = scenario.clock == ScenarioClock::virtual_time;
  PolicyPlay play(scenario.policies.front(), registry, scenario.target.kind,
                  is_virtual ? TimeSource::virtual_time : TimeSource::real);
  const Rules& contract = play.log().contract;
  if (!options.expect_contract.empty()) {
    if (contract.empty())
      throw Error(Exit::usage, "--expect-contract: the limiter promises nothing",
                  "say what it promises with --contract");
    scenario.own_contract = *meaning_of<VerdictKind>(options.expect_contract);
  } else if (scenario.verdict == VerdictKind::violated && !contract.empty() &&
             contract != play.log().policy.rules) {
    scenario.own_contract = VerdictKind::holds;
  }
  return contract;
}

void ask_services(const SimulateOptions& options, Scenario& scenario) {
  scenario.target = options.http.spec(options.redis.timeout_us());
  PolicySpec& policy = scenario.policies.front();
  policy.spread = options.http.spread();
  if (options.http.urls().size() < 2) return;
  policy.targets = options.http.urls();
  if (const auto problem = unusable_targets(policy.targets))
    throw Error(Exit::usage, std::string("--target: ") + problem->what(), problem->hint());
}

void check_lockstep(const SimulateOptions& options, const Registry& registry,
                    const PolicySpec& spec) {
  if (!options.lockstep || options.http.given()) return;
  const Script script = registry.find(spec.algorithm, spec.manifest);
  const RunPlace place =
      options.run.empty() ? script.manifest.run : *meaning_of<RunPlace>(options.run);
  if (place == RunPlace::server)
    throw Error(Exit::usage,
                "--lockstep: " + in_quotes(script.name) +
                    " is one step in Redis, so no step of "
                    "another user comes between",
                "add --run client, or remove --lockstep");
}

Scenario make_scenario(const SimulateOptions& options, const Registry& registry) {
  check_speed(options);
  check_target(options);
  const PatternInfo& pattern = find_pattern(options.pattern);
  const PolicySpec policy = policy_spec(options, pattern);
  check_lockstep(options, registry, policy);
  const ScenarioClock clock = choose_clock(options, policy, registry);
  PatternOptions chosen = pattern_options(options);
  chosen.has_finish =
      !options.http.given() && registry.find(policy.algorithm, policy.manifest).finish != nullptr;
  chosen.real_time = clock == ScenarioClock::wall && options.speed == "1";
  chosen.has_finish =
      !options.http.given() && registry.find(policy.algorithm, policy.manifest).finish != nullptr;
  Scenario scenario = make_pattern(pattern, policy, chosen);
  scenario.clock = clock;
  scenario.speed = parse_count(options.speed, "--speed");
  scenario.seed = static_cast<std::uint64_t>(parse_count(options.seed, "--seed"));
  if (!options.redis.embedded()) scenario.target.kind = TargetKind::redis;
  scenario.target.timeout_us = options.redis.timeout_us();
  if (options.http.given()) ask_services(options, scenario);
  options.fault.apply_to(scenario);
  const Rules promise = expect_verdicts(options, registry, scenario);
  options.shard.apply_to(scenario, !options.log.empty());
  check_threads(scenario, threads_of(options.threads));
  check_planned(scenario);
  check_pattern(scenario, promise);
  return scenario;
}

std::string simulate_heading(const Scenario& scenario, const ScenarioResult& result) {
  const PolicySpec& spec = scenario.policies.front();
  std::string what = spec.algorithm;
  if (spec.is_command && !result.policies.empty()) what = result.policies.front().log.algorithm;
  if (scenario.target.kind == TargetKind::http)
    what = in_quotes(without_secrets(scenario.target.url));
  if (!spec.targets.empty())
    what = fmt::format("{} targets ({})", spec.targets.size(), name_of(spec.spread));
  std::string text = fmt::format("{}: {}, {}", scenario.name, what, in_words(spec.policy.rules));
  if (result.threads > 1) text += fmt::format("; {} threads", result.threads);
  if (scenario.speed > 1) text += fmt::format("; {} times as fast", format_count(scenario.speed));
  if (scenario.clock == ScenarioClock::virtual_time && !result.phases.empty())
    text += fmt::format("; virtual clock, {} in {} (--clock wall: in real time)",
                        format_duration_for_people(result.phases.back().ended_us),
                        format_duration_for_people(result.duration_us));
  return text + "\n\n";
}

std::string next_step(const SimulateOptions& options, const ScenarioResult& result) {
  if (result.policies.empty() || result.is_cut_short() ||
      result.policies[0].verdict.verdict != VerdictKind::violated)
    return {};
  std::string text = "next: ";
  text +=
      options.log.empty()
          ? "add --log run.jsonl to keep every decision, then rlctl verify run.jsonl --most all"
          : "rlctl verify " + shell_word(options.log) + " --most all judges the recorded decisions";
  const bool broken = result.policies[0].verdict.policy.violations.over_admission;
  if (broken && !options.http.given() && options.limiter.name() != "sliding-list")
    text += "; --algo sliding-list shows an exact window under the same traffic";
  return text + "\n";
}

void write_logs(LogWriter& writer, const ScenarioResult& result) {
  for (const PolicyResult& policy : result.policies) writer.write(policy.log);
  writer.close();
}

// A run that takes long says so before it starts.
void tell_length(const SimulateOptions& options, const Scenario& scenario) {
  constexpr std::int64_t kLongUs = 10'000'000;
  if (options.quiet || scenario.clock != ScenarioClock::wall) return;
  const std::int64_t length_us = scenario_length_us(scenario).value_or(0) / scenario.speed;
  if (length_us < kLongUs) return;
  const bool takes_for = find_pattern(options.pattern).takes.duration;
  tell(fmt::format("this takes about {}, in real time{}", format_duration_for_people(length_us),
                   takes_for ? "; --for sets another duration" : ""));
}

// Error(Exit::usage) if the options of the target are wrong.
ScenarioPlan simulation_plan(const SimulateOptions& options, const Scenario& scenario,
                             const Registry& registry, const std::string& command) {
  ScenarioPlan plan;
  plan.registry = &registry;
  if (!options.redis.embedded()) plan.redis = options.redis.endpoint();
  if (options.http.given())
    plan.transport = options.http.transport(options.redis.timeout_us(), options.redis.tls());
  else
    options.redis.check_private_server();
  for (const std::string& url : options.http.urls()) {
    TargetSpec spec = scenario.target;
    spec.url = url;
    http_target_from(spec);
  }
  plan.embedded = options.redis.embedded_spec();
  plan.run_id = run_id_of(scenario);
  plan.command = command;
  plan.version = RLCTL_VERSION;
  plan.attempts = parse_count(options.attempts, "--attempts");
  plan.threads = threads_of(options.threads);
  return plan;
}

ScenarioResult play_simulation(const SimulateOptions& options, const Scenario& scenario,
                               const ScenarioPlan& plan) {
  const MostConnections most = most_connections(scenario, plan.threads);
  allow_open_files(most.needed + 100 * plan.threads, most.possible + 100 * plan.threads);
  Loop loop(Loop::Timers::precise);
  loop.watch_signals();
  ScenarioProgress progress;
  const ScenarioLine line(loop, !options.quiet, progress);
  return run_scenario(loop, scenario, plan, progress);
}

Exit run_simulate(const SimulateOptions& options, const std::string& command) {
  const Registry registry = options.registry.registry();
  const Scenario scenario = make_scenario(options, registry);
  check_output_files({options.log, options.json ? "-" : ""}, options.limiter.names());
  ScenarioPlan plan = simulation_plan(options, scenario, registry, command);
  // Opened before anything is sent, so that a path that can't be written is reported at once.
  std::optional<LogWriter> log;
  if (!options.log.empty()) log.emplace(options.log);
  plan.log = log ? &*log : nullptr;
  tell_length(options, scenario);
  const ScenarioResult result = play_simulation(options, scenario, plan);
  const bool is_played = !result.problem || !result.phases.empty();
  if (is_played && options.json)
    print_document(pattern_document(scenario, result));
  else if (is_played)
    print_beside(options.log, fitted(simulate_heading(scenario, result) +
                                     simulate_text(scenario, result, columns_or(0)) +
                                     next_step(options, result)));
  if (log) write_logs(*log, result);
  if (result.problem) throw *result.problem;
  return exit_of(result);
}

void add_traffic_options(Options& app, SimulateOptions& options) {
  const auto add = [&](const char* name, std::string& value, const std::string& help,
                       const char* type) {
    return app.add_option(name, value, help).type_name(type);
  };
  const auto add_of = [&](bool PatternTakes::*option, const char* name, std::string& value,
                          const char* help, const char* type) {
    return add(name, value, patterns_with(option) + ": " + help, type);
  };
  using Takes = PatternTakes;
  add_of(&Takes::rate, "--rate", options.rate,
         "send at this rate (a ramp: at its end), such as 30/1m", "N/DURATION");
  add_of(&Takes::duration, "--for", options.duration, "how long", "DURATION");
  add_of(&Takes::requests, "--requests", options.requests, "number of requests, instead of --for",
         "N");
  add_of(&Takes::users, "--users", options.users,
         "how many there are: consumers of drain [16], users of flood, each of whom sends again "
         "after every answer [3000], clients of the others [100]",
         "N");
  add_of(&Takes::items, "--items", options.items, "number of items to process", "N");
  add_of(&Takes::on_deny, "--on-deny", options.on_deny,
         "what to do when denied: retry_after, backoff or drop [drop; of drain: retry_after]",
         "WORD")
      .one_of(all_words<OnDeny>());
  add_of(&Takes::anchor, "--anchor", options.anchor,
         "window edge to attack: clock, first-hit or both [both]", "WORD")
      .one_of(all_words<EdgeChoice>());
  add("--cost", options.cost, "cost of each request, in admissions [1]", "N");
  add("--hold", options.hold,
      "limiters with a finish: how long an admitted request is worked on [0s; of N in flight: half "
      "a lease, at most 2s]",
      "DURATION");
  add("--vanish", options.vanish,
      "limiters with a finish: share of the admitted that crash without one [0%]", "SHARE");
  add("--seed", options.seed, "the same seed gives the same schedule [1]", "N");
  add("--speed", options.speed, "divide windows, TTLs and schedules of an embedded run by N [1]",
      "N");
  add("--attempts", options.attempts,
      "play up to N times if this machine sent late [3]; over HTTP only once", "N");
  add_threads_option(app, options.threads);
  app.add_flag("--lockstep", options.lockstep,
               "client-run scripts: all users take each step at the same time");
}

std::vector<std::string> pattern_names() {
  std::vector<std::string> names;
  for (const PatternInfo& pattern : patterns()) names.emplace_back(pattern.name);
  return names;
}

// One pattern per line: help lists them as the possible values of the argument.
std::string shown_patterns() {
  std::string text = "the traffic to play:";
  for (const PatternInfo& pattern : patterns())
    text += fmt::format("\n{:14}{}", pattern.name, pattern.summary);
  return text;
}

Action add_simulate_options(Options& app) {
  auto options = std::make_shared<SimulateOptions>();
  app.add_option("pattern", options->pattern, shown_patterns())
      .required()
      .type_name("PATTERN")
      .such_as(pattern_names());
  options->limiter.add_to(app, "sliding-list");
  app.add_option("--contract", options->contract,
                 "what the limiter itself promises; may name limit, window and capacity [as in the "
                 "manifest]")
      .type_name("RULES");
  app.add_option(
         "--run", options->run,
         "server: one atomic step in Redis; client: each redis.call is a round trip [as in the "
         "manifest]")
      .one_of(all_words<RunChoice>());
  app.add_option("--key", options->key,
                 "the limiter's key; may contain <ip>, <user> and <n> [ratelimit:ip:<ip>]")
      .type_name("KEY");
  app.add_option(
         "--clock", options->clock,
         "virtual: a minute takes milliseconds; wall: real time [virtual on a private server, if "
         "the script supports it and the pattern measures no time]")
      .one_of(all_words<ScenarioClock>());
  app.add_flag("--fresh", options->fresh,
               "over HTTP: no client was counted before, so that every denial can be checked");
  app.add_option("--held-at-least", options->held_at_least,
                 "over HTTP, N in flight: the work on a request takes at least this long")
      .type_name("DURATION");
  app.add_option("--max-inflight", options->max_inflight,
                 "an unanswered request was decided within this time after sending, or never")
      .type_name("DURATION");
  options->wait.add_to(app);
  app.add_option("--tolerance", options->tolerance,
                 "the limiter's windows may end this much sooner or later [what its script says]")
      .type_name("DURATION");
  app.add_option("--expect", options->expect, "the expected verdict, which gives exit 0 [holds]")
      .type_name("VERDICT")
      .one_of(all_words<VerdictKind>());
  app.add_option("--expect-contract", options->expect_contract,
                 "the expected verdict on the limiter's own contract [holds, with --expect "
                 "violated and another contract than the policy]")
      .type_name("VERDICT")
      .one_of(all_words<VerdictKind>());
  app.add_option("--log", options->log,
                 "write every decision to this file: JSON Lines, or CSV if named .csv")
      .type_name("FILE");
  app.add_flag("--json", options->json, "print one JSON object");
  app.add_flag("--quiet", options->quiet, "no progress line");
  add_traffic_options(app, *options);
  options->fault.add_fault_to(app);
  options->shard.add_to(app);
  options->policy.add_to(app, "set by the pattern");
  options->registry.add_to(app);
  options->http.add_several_to(app);
  options->redis.add_to(app, WithoutUrl::embedded);
  return [options, app] {
    // Not which part of it this machine plays.
    return run_simulate(*options, app.command_line({"--shard", "--start-at"}));
  };
}

}  // namespace

const Verb kSimulateVerb{
    "simulate", "Plays traffic that breaks limiters and judges every decision; exit 1 if violated.",
    "  rlctl simulate bot --algo sliding --block 60s\n"
    "  rlctl simulate boundary --algo fixed --limit 100 --expect violated\n"
    "  rlctl simulate bot --target http://127.0.0.1:8080/v4/movies \\\n"
    "    --limit 20 --window 60s -H 'X-Forwarded-For: <ip>'",
    add_simulate_options};

}  // namespace rlctl
