// rlctl bench: measures the speed and accuracy of limiters side by side.
#include "run/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/escape.h"
#include "base/suggest.h"
#include "base/units.h"
#include "base/work.h"
#include "cli/options/compare_options.h"
#include "cli/options/http_options.h"
#include "cli/options/limiter_options.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/options/wait_options.h"
#include "cli/output/document.h"
#include "cli/output/output_files.h"
#include "cli/output/progress.h"
#include "cli/verb.h"
#include "compare/measured_result.h"
#include "io/clock.h"
#include "io/open_files.h"
#include "limiter/script_limiter.h"
#include "limiter/wrapper.h"
#include "log/log_file.h"
#include "report/bench_text.h"
#include "report/compare_text.h"
#include "report/documents.h"
#include "run/bench/service_bench.h"
#include "run/redis_target.h"
#include "run/run_id.h"

namespace rlctl {
namespace {

constexpr std::int64_t kMostLimit = 1'000'000;
constexpr std::size_t kPipedColumns = 100;  // table width without a terminal

struct BenchOptions {
  RedisOptions redis;
  HttpOptions http;
  RegistryOptions registry;
  LimiterOptions limiters;
  RunOption run;
  PolicyOptions policy;
  std::string users = "50";
  std::string pipeline = "1";
  std::string threads;
  WaitOptions wait;
  std::string keys;
  std::string rounds;
  std::string baseline;
  CompareChoices compare;
  std::string duration;
  std::string warm_up;
  std::string requests;
  std::string rate;
  std::string only;
  std::string log;
  bool check = false;
  bool json = false;
  bool quiet = false;
};

std::vector<Script> bench_scripts(const BenchOptions& options, const Policy& policy) {
  std::vector<Script> scripts =
      options.limiters.find_all(options.registry.registry(), options.http.allowed());
  for (Script& one : scripts) one = options.run.placed(std::move(one));
  if (policy.block_us > 0)
    for (Script& one : scripts) one = with_block(std::move(one));
  return scripts;
}

std::string or_default(const std::string& given, const char* usual) {
  return given.empty() ? usual : given;
}

std::string duration_of(const BenchOptions& options) {
  return or_default(options.duration, "500ms");
}

// With --baseline, the least number of rounds that a comparison needs.
std::string rounds_of(const BenchOptions& options) {
  if (!options.rounds.empty()) return options.rounds;
  return options.baseline.empty() ? "5" : std::to_string(kLeastRounds);
}

BenchPart parse_part(const std::string& only) {
  return meaning_of<BenchPart>(only).value_or(BenchPart::all);
}

void check_combinations(const BenchOptions& options) {
  options.http.check_company({"--pipeline", "--wait", "--wait-timeout", "--block"});
  if (options.baseline.empty() && options.compare.any_condition())
    throw Error(Exit::usage, "--fail-if: there is no baseline to compare with",
                "add --baseline FILE");
  if (options.check && parse_part(options.only) == BenchPart::speed)
    throw Error(Exit::usage, "--check judges decisions, but --only speed leaves them out",
                "remove one of them");
  if (parse_part(options.only) == BenchPart::accuracy)
    for (const auto& [name, given] : {std::pair("--rounds", options.rounds),
                                      {"--requests", options.requests},
                                      {"--for", options.duration},
                                      {"--keys", options.keys},
                                      {"--warm-up", options.warm_up},
                                      {"--threads", options.threads},
                                      {"--rate", options.rate}})
      if (!given.empty())
        throw Error(Exit::usage,
                    std::string(name) + " is about speed, but --only accuracy leaves it out",
                    "remove one of them");
  if (options.log == "-")
    throw Error(Exit::usage, "--log: standard output is used for the table", "name a file");
}

void set_wait(const BenchOptions& options, BenchPlan& plan) {
  plan.wait = options.wait.wait();
  const bool own = options.redis.embedded();
  check_wait(plan.wait, own ? std::optional(options.redis.embedded_spec()) : std::nullopt,
             options.redis.timeout_us());
  for (const Script& script : plan.scripts) require_one_step(script, plan.wait);
  if (plan.wait.replicas > 0 && plan.pipeline > 1)
    throw Error(Exit::usage, "--pipeline: WAIT holds up what follows it on its connection",
                "use more --users instead");
  if (plan.wait.replicas > 0 && plan.part == BenchPart::accuracy)
    throw Error(Exit::usage, "--wait is about speed, but --only accuracy leaves it out",
                "remove one of them");
}

std::int64_t parse_threads(const std::string& text, std::int64_t connections) {
  const std::int64_t threads = parse_bounded(text, "--threads", 256);
  if (threads > connections)
    throw Error(Exit::usage,
                fmt::format("--threads: {} cannot share {}", counted(threads, "thread"),
                            counted(connections, "connection")),
                "use fewer threads, or more --users");
  return threads;
}

BenchPlan bench_plan(const BenchOptions& options) {
  check_combinations(options);
  BenchPlan plan;
  plan.policy = options.policy.policy_or({.limit = 100, .window_us = kSecondUs});
  require_windows(plan.policy.rules, "bench");
  plan.clean_up = !options.redis.embedded();
  if (std::max(plan.policy.limit, plan.policy.bucket_capacity()) > kMostLimit)
    throw Error(Exit::usage, "--policy: bench sends bursts of this size; the maximum is 1,000,000",
                "use a smaller limit with a shorter window");
  if (!plan.policy.block_key.empty())
    throw Error(Exit::usage, "--block-key: bench uses its own keys and block flags",
                "remove --block-key");
  if (!options.http.given()) plan.scripts = bench_scripts(options, plan.policy);
  plan.part = parse_part(options.only);
  plan.run_id = make_run_id();
  plan.connections = parse_bounded(options.users, "--users", 20'000);
  plan.pipeline = parse_bounded(options.pipeline, "--pipeline", 10'000);
  plan.threads = parse_threads(or_default(options.threads, "1"), plan.connections);
  for (const Script& script : plan.scripts)
    if (plan.pipeline > 1 && script.manifest.run == RunPlace::client)
      throw Error(Exit::usage,
                  "--pipeline: " + in_quotes(script.name) +
                      " runs step by step, so a connection can carry only one decision at a time",
                  "use more --users instead");
  if (!options.http.given()) set_wait(options, plan);
  plan.keys = parse_bounded(or_default(options.keys, "2000"), "--keys", 10'000'000);
  plan.rounds = parse_bounded(rounds_of(options), "--rounds", 10'000);
  plan.warm_up_us = parse_duration_us(or_default(options.warm_up, "100ms"), "--warm-up");
  plan.duration_us = parse_positive_duration_us(duration_of(options), "--for");
  if (!options.requests.empty()) plan.requests = parse_count(options.requests, "--requests");
  if (!options.rate.empty()) {
    const Rate rate = parse_rate(options.rate, "--rate");
    plan.rate_per_s = static_cast<double>(rate.count) * 1e6 / static_cast<double>(rate.per_us);
  }
  return plan;
}

std::string progress_line(const BenchProgress& progress, std::int64_t started_us) {
  const Work work{progress.what, "steps", progress.steps_done, progress.steps};
  std::string line = work_in_words(work, now_us() - started_us);
  const std::vector<Record>* records = progress.records;
  if (records != nullptr && records->size() > 1) {
    const auto span_us = records->back().received_us - records->front().sent_us;
    if (span_us > 0)
      line += fmt::format(
          " | {} decisions/s",
          format_count(static_cast<std::int64_t>(records->size()) * 1'000'000 / span_us));
  }
  return line;
}

std::string server_in_words(const BenchResult& result, bool embedded) {
  if (result.of_services) return counted(std::ssize(result.algorithms), "service");
  return (embedded ? "embedded " : "") +
         (result.server.empty() ? "a Redis of unknown version" : result.server);
}

std::string bench_heading(const BenchResult& result, const BenchOptions& options, bool embedded) {
  std::string text =
      fmt::format("{}, {}", in_words(result.policy.rules),
                  counted(result.connections, result.of_services ? "user" : "connection"));
  if (result.pipeline > 1) text += fmt::format(" x {} in flight", result.pipeline);
  if (result.threads > 1) text += fmt::format(", {} threads", result.threads);
  if (result.wait_replicas > 0)
    text += fmt::format(", WAIT for {}", counted(result.wait_replicas, "replica"));
  if (parse_part(options.only) != BenchPart::accuracy)
    text += fmt::format(
        ", {}, {} round{} of {}", counted(result.keys, "key"), rounds_of(options),
        rounds_of(options) == "1" ? "" : "s",
        options.requests.empty() ? duration_of(options) : options.requests + " requests");
  return fmt::format("{}, {}\n\n", text, server_in_words(result, embedded));
}

Exit own_exit(const BenchResult& result, bool check) {
  if (result.interrupted) return Exit::interrupted;
  Exit exit = Exit::done;
  for (const AlgorithmResult& algorithm : result.algorithms) {
    if (lacks_answers(algorithm)) exit = worse_of(exit, Exit::inconclusive);
    if (check)
      exit = worse_of(exit, algorithm.verdict ? row_of(algorithm.verdict->policy.verdict).exit
                                              : Exit::inconclusive);
  }
  return exit;
}

// The script of a contestant is to blame only if nothing else is.
std::string hint_of(const BenchResult& result, const BenchProblem& problem) {
  if (!problem.hint.empty()) return problem.hint;
  return result.of_services ? "rlctl hit --target URL shows what the service answers"
                            : "check the script: rlctl hit KEY --algo ./FILE.lua runs it once";
}

std::optional<Error> failure_of(const BenchResult& result) {
  if (!result.problem.empty())
    return Error(Exit::target, "the bench ended early: " + result.problem.what,
                 hint_of(result, result.problem));
  std::size_t failed = 0;
  const AlgorithmResult* first = nullptr;
  for (const AlgorithmResult& algorithm : result.algorithms) {
    if (algorithm.failed.empty()) continue;
    if (failed++ == 0) first = &algorithm;
  }
  if (first == nullptr) return std::nullopt;
  const std::size_t all = result.algorithms.size();
  const std::string& what = first->failed.what;
  return Error(Exit::target,
               all == 1 ? what : fmt::format("{} of {} failed: {}", failed, all, what),
               hint_of(result, first->failed));
}

// What remains is told after what went wrong.
void tell_end(const BenchResult& result, const std::optional<Error>& incomparable) {
  const std::string& leftover = result.leftover;
  std::optional<Error> failure = failure_of(result);
  if (!failure) failure = incomparable;
  if (failure && leftover.empty()) throw *failure;
  if (failure) throw Error(failure->exit(), with_hint(failure->what(), failure->hint()), leftover);
  if (!leftover.empty()) tell(leftover);
}

BenchDocument document_of(const BenchResult& result, bool embedded) {
  BenchDocument document = document_of(result);
  document.version = RLCTL_VERSION;
  document.embedded = embedded;
  return document;
}

void print_bench(const BenchOptions& options, const BenchResult& result, bool embedded,
                 const std::optional<RunComparison>& comparison, const CompareOptions& compared) {
  if (options.json) {
    BenchDocument document = document_of(result, embedded);
    if (comparison) document.comparison = document_of(*comparison, compared.conditions);
    print_document(std::move(document));
    return;
  }
  std::string text = bench_heading(result, options, embedded) +
                     coloured(bench_table(result, columns_or(kPipedColumns))) + "\n" +
                     fitted(bench_in_words(result));
  if (comparison)
    text += "\n" + fitted(compare_text(*comparison, compared.conditions, columns_or(0)));
  print_beside(options.log, text);
}

std::vector<BenchedService> services_of(const BenchOptions& options) {
  std::vector<BenchedService> services;
  if (!options.http.given()) return services;
  const std::int64_t timeout_us = options.redis.timeout_us();
  const HttpSettings transport = options.http.transport(timeout_us, options.redis.tls());
  for (const TargetSpec& spec : options.http.specs(timeout_us)) {
    const HttpTarget target = http_target_from(spec);
    services.push_back({without_secrets(spec.url), target, http_settings_for(target, transport),
                        tells_clients_apart(spec)});
  }
  return services;
}

// Refused before anything is sent: nothing in it could be compared with what will be measured.
MeasuredRun read_base(const std::string& path, BenchPart part) {
  MeasuredRun base = read_measured_run(path);
  require_same_traffic(base.kind, "bench");
  if (part == BenchPart::all) return base;
  const MetricFlag flag = part == BenchPart::speed ? kByRound : kJudged;
  if (std::ranges::none_of(base.figures,
                           [&](const MeasuredFigure& figure) { return figure.metric->is(flag); }))
    throw Error(Exit::usage,
                fmt::format("nothing to compare: --only {}, but {} has no figures of it",
                            name_of(part), in_quotes(path)),
                "compare with a bench that measured the same part");
  return base;
}

// A bench that takes long says so before it starts.
void tell_length(const BenchOptions& options, const BenchPlan& plan,
                 const std::vector<BenchedService>& services) {
  constexpr std::int64_t kLongUs = 20'000'000;
  const std::int64_t length_us = attacks_on_services_us(services, plan.policy);
  if (options.quiet || plan.part == BenchPart::speed || length_us < kLongUs) return;
  tell(fmt::format("the attacks take about {}, in real time: a service has its own clock",
                   format_duration_for_people(length_us)));
}

// With its own loop for services; a session has one, and its Redis.
BenchResult measure(const BenchOptions& options, const BenchPlan& plan,
                    const std::vector<BenchedService>& services,
                    std::optional<RedisSession>& session, std::optional<LogWriter>& log) {
  LogSink sink;
  if (log) sink = [&log](const Log& part) { log->write(part); };
  const auto timers = plan.rate_per_s ? Loop::Timers::precise : Loop::Timers::coarse;
  std::optional<Loop> own_loop;
  if (services.empty())
    session.emplace(options.redis, OnReplica::tell, timers);
  else
    own_loop.emplace(timers).watch_signals();
  Loop& loop = session ? session->loop() : *own_loop;
  BenchProgress progress;
  const std::int64_t started_us = now_us();
  const Progress line(loop, !options.quiet, [&] { return progress_line(progress, started_us); });
  BenchResult result = session ? bench(loop, session->deployment(), plan, progress, sink)
                               : bench_services(loop, services, plan, progress, sink);
  if (log) log->close();
  return result;
}

Exit run_bench(const BenchOptions& options, const std::string& command) {
  BenchPlan plan = bench_plan(options);
  plan.command = command;
  plan.version = RLCTL_VERSION;
  const CompareOptions compared = options.compare.options();
  // Before anything is measured, so that files that can't be read or written are reported at once.
  std::vector<std::string> read = options.limiters.names();
  read.push_back(options.baseline);
  check_output_files({options.log, options.json ? "-" : ""}, read);
  std::optional<MeasuredRun> base;
  if (!options.baseline.empty()) base = read_base(options.baseline, plan.part);
  std::optional<LogWriter> log;
  if (!options.log.empty()) log.emplace(options.log);
  const std::vector<BenchedService> services = services_of(options);
  allow_open_files(plan.connections * std::max<std::int64_t>(1, std::ssize(services)));
  tell_length(options, plan, services);
  std::optional<RedisSession> session;
  const BenchResult result = measure(options, plan, services, session, log);
  const bool embedded = session && session->embedded();
  std::optional<RunComparison> comparison;
  std::optional<Error> incomparable;  // thrown after the results are shown
  if (base && result.problem.empty() && !result.interrupted) try {
      comparison = compare_runs(*base, measured_result(document_of(result, embedded), "this bench"),
                                compared);
    } catch (const Error& error) {
      incomparable = error;
    }
  print_bench(options, result, embedded, comparison, compared);
  tell_end(result, incomparable);
  const Exit own = own_exit(result, options.check);
  if (!comparison) return own;
  return worse_of(own, exit_of(std::span<const RunComparison>(&*comparison, 1)));
}

Action add_bench_options(Options& app) {
  auto options = std::make_shared<BenchOptions>();
  options->limiters.add_several_to(app, {"fixed", "sliding", "sliding-list"});
  app.add_option("--users", options->users, "number of users, one connection each [50]")
      .type_name("N");
  app.add_option("--pipeline", options->pipeline, "requests in flight per connection [1]")
      .type_name("N");
  app.add_option("--threads", options->threads,
                 "threads that measure the speed, each with its share of the users [1]")
      .type_name("N");
  options->wait.add_to(app);
  app.add_option("--keys", options->keys, "number of keys in the admitted traffic [2000]")
      .type_name("N");
  app.add_option("--rounds", options->rounds,
                 "number of rounds, interleaved: A B C, A B C … [5, or 9 with --baseline]")
      .type_name("N");
  app.add_option("--for", options->duration,
                 "how long: each algorithm, round and kind of traffic [500ms]")
      .type_name("DURATION");
  app.add_option("--warm-up", options->warm_up,
                 "warm-up of each algorithm before the first round [100ms]")
      .type_name("DURATION");
  app.add_option("--requests", options->requests, "number of requests, instead of --for")
      .type_name("N");
  app.add_option("--rate", options->rate,
                 "send at this rate, such as 10000/1s [as fast as answers come]")
      .type_name("N/DURATION");
  app.add_option("--only", options->only, "measure only this part [both]")
      .one_of(all_words<BenchPart>());
  app.add_option("--log", options->log,
                 "write every decision to this file: JSON Lines, or CSV if named .csv")
      .type_name("FILE");
  app.add_option("--baseline", options->baseline,
                 "compare with the --json output of an earlier bench, as rlctl compare does")
      .type_name("FILE");
  options->compare.add_conditions_to(app);
  app.add_flag("--check", options->check, "exit 1 if an algorithm breaks the policy");
  app.add_flag("--json", options->json, "print one JSON object");
  app.add_flag("--quiet", options->quiet, "no progress line");
  options->policy.add_to(app, "100/1s");
  options->registry.add_to(app);
  options->run.add_to(app);
  options->redis.add_to(app, WithoutUrl::embedded);
  options->http.add_compared_to(app);
  return [options, app] { return run_bench(*options, app.command_line()); };
}

}  // namespace

const Verb kBenchVerb{"bench", "Measures limiters side by side: speed, and accuracy under attack.",
                      "  rlctl bench\n"
                      "  rlctl bench --algo gcra --algo mine.lua --limit 100 --window 60s --check\n"
                      "  rlctl bench --algo mine.lua --baseline base.json --fail-if 'p50 > +10%'\n"
                      "  rlctl bench --target 'http://127.0.0.1:8080/?u=<user>' --limit 100 "
                      "--window 1s",
                      add_bench_options};

}  // namespace rlctl
