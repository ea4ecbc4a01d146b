// rlctl probe: examines a limiter that nobody has described, and names its kind, limit and time.
#include <fmt/format.h>

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/escape.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/options/http_options.h"
#include "cli/options/limiter_options.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/output/output.h"
#include "cli/output/output_files.h"
#include "cli/output/progress.h"
#include "cli/verb.h"
#include "limiter/http_limiter.h"
#include "limiter/script_call.h"
#include "policy/rules_text.h"
#include "probe/finding_text.h"
#include "probe/pinned_scenario.h"
#include "run/leftovers.h"
#include "run/probe/burst_play.h"
#include "run/probe/clock_play.h"
#include "run/probe/examination_play.h"
#include "run/probe/identity_play.h"
#include "run/run_id.h"
#include "verdict/outcome/header_truth.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostAtOnce = 256;

struct ProbeOptions {
  RedisOptions redis;
  HttpOptions http;
  RegistryOptions registry;
  RunOption run;
  PolicyOptions policy;
  LimiterOptions limiter;
  std::string target;
  std::string up_to = "1000";
  std::string budget;
  std::string rate;
  std::string longest = "15m";
  std::string scenario;
  bool dry_run = false;
  bool json = false;
  bool quiet = false;
};

ExaminationLimits limits_of(const ProbeOptions& options) {
  ExaminationLimits limits;
  limits.up_to = parse_count(options.up_to, "--up-to");
  if (!options.budget.empty()) limits.requests = parse_count(options.budget, "--budget");
  limits.longest_us = parse_positive_duration_us(options.longest, "--for");
  return limits;
}

ExaminationPace pace_of(const ProbeOptions& options, std::string limiter) {
  ExaminationPace pace{.gap_us = 0, .limiter = std::move(limiter)};
  if (options.rate.empty()) return pace;
  const Rate rate = parse_rate(options.rate, "--rate");
  pace.gap_us = rate.per_us / rate.count;
  return pace;
}

Json hypothesis_json(const Hypothesis& one) {
  Json json{{"kind", one.row().name}, {"open", one.is_open()}};
  if (one.beside) json["beside"] = hypothesis_json(*one.beside);
  if (!one.same_as.empty()) json["same_as"] = one.same_as;
  if (one.is_refuted()) json["refuted_by"] = one.refuted_by;
  if (!one.is_open()) return json;
  json["policy"] = rules_text(rules_of(one));
  json["limit"] = {one.limit, one.limit_high};
  json[one.kind == LimiterKind::bucket ? "refill_us" : "window_us"] = {one.low_us, one.high_us};
  json["denied_count"] = one.row().counts_denied;
  return json;
}

Json burst_json(const BurstFinding& found) {
  Json json{{"kind", name_of(found.kind)}, {"sent", found.sent}, {"admitted", found.admitted}};
  if (const Rules rules = rules_of(found); !rules.empty()) json["policy"] = rules_text(rules);
  if (found.kind == BurstKind::queue) json["gap_us"] = {found.gap_low_us, found.gap_high_us};
  return json;
}

// Everything that was found out about one limiter.
struct Findings {
  Examination examination;
  std::vector<IdentityFinding> identity{};
  BurstFinding burst{};
  std::vector<HeaderFinding> headers{};
  KeptPromises promises{};            // of Retry-After
  std::optional<ClockOwner> clock{};  // of a script
  std::int64_t ahead_us = 0;          // so far was a client's clock ahead
  bool interrupted = false;
};

std::string headers_text(const Findings& findings) {
  std::string text;
  if (findings.promises.tested > 0)
    text +=
        fmt::format("Retry-After was obeyed {}: {}\n", counted(findings.promises.tested, "time"),
                    findings.promises.broken == 0
                        ? "the next request was admitted"
                        : counted(findings.promises.broken, "was", "were") + " denied again");
  for (const HeaderFinding& one : findings.headers)
    text += fmt::format("headers: {}: {}\n", name_of(one.kind), one.words);
  return text;
}

Json headers_json(const Findings& findings) {
  Json json{{"retry_after_obeyed", findings.promises.tested},
            {"denied_again", findings.promises.broken}};
  json["findings"] = Json::array();
  for (const HeaderFinding& one : findings.headers)
    json["findings"].push_back({{"kind", name_of(one.kind)}, {"words", one.words}});
  return json;
}

void print_findings(const Findings& findings, const std::string& limiter, bool as_json) {
  const Examination& examination = findings.examination;
  if (!as_json)
    return print(finding_text(examination) + burst_text(findings.burst) + headers_text(findings) +
                 (findings.clock ? clock_text(*findings.clock, findings.ahead_us) : "") +
                 identity_text(findings.identity));
  Json body{{"limiter", limiter},
            {"result", name_of(examination.end())},
            {"requests", std::ssize(examination.log().records)}};
  body["hypotheses"] = Json::array();
  for (const Hypothesis& one : examination.hypotheses())
    body["hypotheses"].push_back(hypothesis_json(one));
  if (findings.burst.sent > 0) body["burst"] = burst_json(findings.burst);
  if (const auto apart = examination.telling_more())
    body["would_tell_apart"] = {
        {"step", apart->tactic.name}, {"requests", apart->requests}, {"lasts_us", apart->lasts_us}};
  if (findings.clock) body["clock"] = name_of(*findings.clock);
  body["headers"] = headers_json(findings);
  body["identity"] = Json::array();
  for (const IdentityFinding& one : findings.identity)
    body["identity"].push_back({{"part", one.trial->name}, {"quota", name_of(one.answer)}});
  body["steps"] = examination.done();
  print_json("probe", std::move(body));
}

Exit exit_of(const Examination& examination) {
  return examination.end() <= ExaminationEnd::delayed ? Exit::done : Exit::inconclusive;
}

Findings examined(const ProbeOptions& options, Loop& loop, Limiter& limiter, Attempt attempt,
                  const std::string& name) {
  Findings findings{.examination = Examination(limits_of(options))};
  const ExaminationPace pace = pace_of(options, name);
  const Progress progress(loop, !options.quiet,
                          std::function([&] { return doing_text(findings.examination); }));
  findings.interrupted =
      !loop.run(play_examination(loop, limiter, attempt, findings.examination, pace));
  return findings;
}

void write_scenario(const Examination& examination, const ProbeOptions& options) {
  if (options.scenario.empty()) return;
  if (examination.end() != ExaminationEnd::found)
    return tell("--scenario: nothing was written, because no single kind was found");
  const PinnedScenario pinned =
      pinned_scenario(examination.open().front(), options.http.spec(options.redis.timeout_us()));
  write_file(options.scenario, pinned.text);
  if (!pinned.variables.empty())
    tell(
        fmt::format("--scenario: it has no secrets: for `rlctl run {}`, set the environment "
                    "variables {} to what was sent",
                    shell_word(options.scenario), joined(pinned.variables)));
}

Exit tell_findings(const Findings& findings, const std::string& name, const ProbeOptions& options) {
  if (findings.interrupted) {
    tell("interrupted after " + counted(findings.examination.log().records.size(), "request"));
    return Exit::interrupted;
  }
  print_findings(findings, name, options.json);
  write_scenario(findings.examination, options);
  return exit_of(findings.examination);
}

void find_identity(const ProbeOptions& options, Loop& loop, Findings& findings, IdentityPlan plan) {
  const std::vector<Hypothesis> open = findings.examination.open();
  const bool by_bursts = open.empty() && !rules_of(findings.burst).empty();
  if (findings.interrupted || (open.empty() && !by_bursts)) return;
  plan.limit = by_bursts ? findings.burst.admitted : open.front().limit_high;
  plan.at_once = by_bursts ? findings.burst.sent : 0;
  plan.gap_us = pace_of(options, {}).gap_us;
  IdentityPlay play(loop, std::move(plan));
  const Progress progress(loop, !options.quiet, std::function([&] {
                            return std::string("who is a client: ") + play.doing();
                          }));
  findings.identity = loop.run(play.play());
  findings.interrupted = loop.interrupted();
}

// A queue that made the last one wait is empty after so many turns.
constexpr std::int64_t kRestPerAnswer = 20;

std::int64_t last_answer_us(const Examination& examination) {
  const Record& last = examination.log().records.back();
  return last.received_us == kNoTime ? 0 : last.received_us - last.sent_us;
}

// Nothing was denied one after another: a queue, or a limit of requests in flight, shows itself
// only to requests that come at once.
void find_burst(const ProbeOptions& options, Loop& loop, HttpClient& client,
                const HttpTarget& target, Findings& findings) {
  const ExaminationEnd end = findings.examination.end();
  if (findings.interrupted) return;
  if (end != ExaminationEnd::no_limit && end != ExaminationEnd::delayed) return;
  if (!options.rate.empty())
    return tell(
        "--rate: nothing was sent at once, so a limit of requests in flight, or how many a queue "
        "holds, was not looked for");
  RequestNumbers numbers;
  std::deque<HttpLimiter> users;
  std::vector<Limiter*> limiters;
  for (std::size_t i = 0; i < kMostAtOnce; ++i)
    limiters.push_back(&users.emplace_back(client, target, numbers));
  findings.burst = loop.run(play_bursts(loop, limiters, end == ExaminationEnd::delayed,
                                        kRestPerAnswer * last_answer_us(findings.examination)));
  findings.interrupted = findings.interrupted || loop.interrupted();
}

// Do the headers tell the truth? All answers so far say it, and one more that obeys.
void find_truth(const ProbeOptions& options, Loop& loop, HttpLimiter& limiter, Findings& findings) {
  const std::vector<Hypothesis> open = findings.examination.open();
  if (findings.interrupted || open.empty()) return;
  Log log = findings.examination.log();
  if (check_promises(log).tested == 0)
    loop.run(obey_retry_after({loop, limiter, {}, pace_of(options, {}).gap_us},
                              open.front().limit_high,
                              parse_positive_duration_us(options.longest, "--for"), log));
  findings.promises = check_promises(log);
  findings.headers = header_findings(log, limiter.claims());
  findings.interrupted = loop.interrupted();
}

void find_clock(RedisSession& session, const PacedLimiter& limiter, Findings& findings) {
  const std::vector<Hypothesis> open = findings.examination.open();
  if (findings.interrupted || open.empty()) return;
  for (const Hypothesis& one : open)
    findings.ahead_us = std::max(findings.ahead_us, 2 * one.memory_us());
  findings.clock = session.run(whose_clock(limiter, {open.front().limit_high, findings.ahead_us}));
}

Exit probe_service(const ProbeOptions& options) {
  if (options.http.urls().size() > 1)
    throw Error(Exit::usage, "--target: probe examines one service", "remove the others");
  const std::int64_t timeout_us = options.redis.timeout_us();
  const HttpTarget target = http_target_from(options.http.spec(timeout_us));
  const HttpSettings settings =
      http_settings_for(target, options.http.transport(timeout_us, options.redis.tls()));
  Loop loop(Loop::Timers::precise);
  loop.watch_signals();
  const auto client = make_http_client(loop, settings);
  RequestNumbers numbers;
  HttpLimiter limiter(*client, target, numbers);
  Findings findings = examined(options, loop, limiter, {}, target.url.shown);
  find_burst(options, loop, *client, target, findings);
  find_truth(options, loop, limiter, findings);
  // Who is a client of a rate limit service, its descriptors say.
  if (!target.is_rls())
    find_identity(options, loop, findings,
                  {.spec = options.http.spec(timeout_us),
                   .settings = settings,
                   .on_loopback = target.url.host == "127.0.0.1"});
  return tell_findings(findings, target.url.shown, options);
}

Exit probe_script(const ProbeOptions& options) {
  // A command has its numbers in itself.
  const Policy policy = options.limiter.is_command()
                            ? options.policy.policy_or({.limit = 1, .window_us = kSecondUs})
                            : options.policy.policy();
  const Registry registry = options.registry.registry();
  ScriptCall call(options.run.placed(options.limiter.find(registry, options.http.allowed())),
                  policy);
  const std::string name = call.script().name;
  RedisSession session(options.redis, Loop::Timers::precise);
  const std::string run_id = make_run_id();
  const std::string key = key_prefix_of_run(run_id) + "{probe}";
  const std::unique_ptr<Limiter> limiter = make_limiter(session.redis(), call);
  const Attempt attempt{key, 1, kNoTime};
  const auto remove_keys = [&] {
    const std::string left = session.run(remove_keys_of_run(session.redis(), run_id, ""));
    if (!left.empty()) tell(left);
  };
  std::optional<Findings> findings;
  try {
    findings = examined(options, session.loop(), *limiter, attempt, name);
    find_clock(session, {session.loop(), *limiter, attempt, pace_of(options, name).gap_us},
               *findings);
  } catch (const Error&) {  // no decision
    remove_keys();
    throw;
  }
  remove_keys();
  return tell_findings(*findings, name, options);
}

std::string trial_names() {
  std::vector<std::string> names;
  for (const IdentityTrial& trial : identity_trials())
    if (*trial.only_after == '\0') names.emplace_back(trial.name);
  return joined(names);
}

// What is sent depends on the answers, so these are the steps and their bounds.
Exit print_plan(const ProbeOptions& options) {
  const ExaminationLimits limits = limits_of(options);
  const std::string budget =
      limits.requests > 0 ? format_count(limits.requests) : "10 times the limit (at least 300)";
  print(fmt::format(
      "nothing is sent. The steps, one request after another{}:\n"
      "  1. up to {} requests, until two in a row are denied\n"
      "  2. one request now and then, until one is admitted again\n"
      "  3. what tells the kinds apart that are left: at most {} requests within {}\n"
      "     if no kind is left: all that once more, after a rest, and as many requests again\n",
      options.rate.empty() ? "" : ", no more than " + options.rate, format_count(limits.up_to),
      budget, format_duration(limits.longest_us)));
  const std::string bursts = options.rate.empty()
                                 ? fmt::format("4, 8, 16 … up to {} requests at once", kMostAtOnce)
                                 : "nothing more, because of --rate";
  if (options.http.given())
    print("  4. if none was denied: " + bursts +
          "\n  5. a wait for Retry-After, if there is one\n");
  if (options.http.given() && !is_rls(options.target))
    print(fmt::format("  6. up to {} changed requests, each kind while the client is denied: {}\n",
                      3 * identity_trials().size(), trial_names()));
  return Exit::done;
}

Exit run_probe(ProbeOptions& options) {
  if (!options.target.empty()) {
    if (options.http.given())
      throw Error(Exit::usage, "--target: there are two targets", "write the URL once");
    options.http.take_url(options.target);
  }
  options.http.check_company({"--algo", "--limit", "--window", "--capacity"});
  if (!options.http.given() && !options.limiter.given())
    throw Error(Exit::usage, "there is nothing to examine",
                "name an HTTP service by its URL, or a script with --algo FILE");
  if (options.http.given()) options.target = options.http.urls().front();
  if (!options.scenario.empty() && !options.http.given())
    throw Error(Exit::usage, "--scenario is for an HTTP service",
                "write the scenario of a script by hand");
  check_output_files({options.scenario}, options.http.urls());
  if (options.dry_run) return print_plan(options);
  return options.http.given() ? probe_service(options) : probe_script(options);
}

Action add_probe_options(Options& app) {
  auto options = std::make_shared<ProbeOptions>();
  app.add_option("service", options->target, "the HTTP service").type_name("URL");
  options->limiter.add_to(app, "");
  app.add_option("--up-to", options->up_to,
                 "so many requests without a denial: there is no limit [1000]")
      .type_name("N");
  app.add_option("--budget", options->budget,
                 "requests of the whole examination [10 times the limit, at least 300]")
      .type_name("N");
  app.add_option("--rate", options->rate, "no more requests than this, such as 20/1s [no bound]")
      .type_name("N/DURATION");
  app.add_option("--for", options->longest, "the longest examination [15m]").type_name("DURATION");
  app.add_option("--scenario", options->scenario,
                 "write a scenario that pins what was found, for CI")
      .type_name("FILE");
  app.add_flag("--dry-run", options->dry_run, "print what would be sent; send nothing");
  app.add_flag("--json", options->json, "print one JSON object");
  app.add_flag("--quiet", options->quiet, "no progress line");
  options->policy.add_to(app, "of --algo");
  options->registry.add_to(app);
  options->run.add_to(app);
  options->redis.add_to(app, WithoutUrl::embedded);
  options->http.add_to(app);
  return [options] { return run_probe(*options); };
}

}  // namespace

const Verb kProbeVerb{"probe",
                      "Examines an unknown limiter: which kind, which limit, which window.",
                      "  rlctl probe http://127.0.0.1:8080/v4/movies\n"
                      "  rlctl probe http://127.0.0.1:8080/ --rate 20/1s --scenario pinned.json\n"
                      "  rlctl probe --algo limiter.lua --limit 20 --window 10s",
                      add_probe_options};

}  // namespace rlctl
