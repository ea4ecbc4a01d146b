// rlctl probe: examines a limiter that nobody has described, and names its kind, limit and time.
#include <fmt/format.h>

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/options/http_options.h"
#include "cli/options/limiter_options.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/output/output.h"
#include "cli/output/output_files.h"
#include "cli/output/probe_findings.h"
#include "cli/output/progress.h"
#include "cli/verb.h"
#include "limiter/http_limiter.h"
#include "limiter/script_call.h"
#include "limiter/script_limiter.h"
#include "log/log_file.h"
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
// Without --budget, beside the examination: so many, or so many times the limit that was found.
constexpr std::int64_t kLeastBeside = 300;
constexpr std::int64_t kBesidePerLimit = 3;

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
  std::string log;
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
  ExaminationPace pace{.gap_us = 0,
                       .limiter = std::move(limiter),
                       .hint = options.http.given() ? http_hint : script_hint};
  if (options.rate.empty()) return pace;
  const Rate rate = parse_rate(options.rate, "--rate");
  pace.gap_us = rate.per_us / rate.count;
  return pace;
}

Exit exit_of(const ProbeFindings& findings) {
  const bool is_known = findings.examination.end() <= ExaminationEnd::delayed &&
                        findings.burst.undecided.total() == 0;
  return is_known ? Exit::done : Exit::inconclusive;
}

ProbeFindings examined(const ProbeOptions& options, Loop& loop, Limiter& limiter, Attempt attempt,
                       const ExaminationPace& pace) {
  ProbeFindings findings{.examination = Examination(limits_of(options))};
  const Progress progress(loop, !options.quiet,
                          std::function([&] { return doing_text(findings.examination); }));
  ExaminationPlayed played =
      loop.run(play_examination(loop, limiter, attempt, findings.examination, pace));
  findings.interrupted = played.interrupted;
  findings.lost = std::move(played.lost);
  return findings;
}

void write_scenario(const ProbeFindings& findings, const ProbeOptions& options) {
  const Examination& examination = findings.examination;
  if (options.scenario.empty()) return;
  if (findings.burst.kind == BurstKind::queue)
    return tell("--scenario: nothing was written: no rule of a policy says that requests wait");
  if (findings.burst.kind == BurstKind::in_flight)
    return tell(
        "--scenario: nothing was written: how long the service works on a request is not known; "
        "write a scenario with held_at_least by hand");
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

// Only of the client that was examined: a changed request may be another client.
void write_log(ProbeFindings& findings, const std::string& name, const ProbeOptions& options) {
  if (options.log.empty()) return;
  Log& log = findings.log;
  if (log.records.empty()) log = findings.examination.log();
  const std::vector<Hypothesis> open = findings.examination.open();
  if (findings.examination.end() == ExaminationEnd::found && open.front().has_known_window())
    log.policy = policy_of(rules_of(open.front()));
  log.algorithm = name;
  log.keys = {"probe"};
  log.identities = {"probe"};
  log.phases = {"probe"};
  // The next request depends on the answers, so none was planned before.
  for (Record& record : log.records) record.intended_us = record.sent_us;
  LogWriter writer(options.log);
  writer.write(log);
  writer.close();
}

Exit tell_findings(ProbeFindings& findings, const std::string& name, const ProbeOptions& options) {
  write_log(findings, name, options);
  if (options.json)
    print_json("probe", probe_json(findings, name));
  else
    print(probe_text(findings));
  if (findings.interrupted) {
    tell("interrupted after " + counted(findings.requests(), "request"));
    return Exit::interrupted;
  }
  write_scenario(findings, options);
  if (findings.lost) throw Error(*findings.lost);
  return exit_of(findings);
}

// How many more may be sent.
std::int64_t left_to_send(const ProbeOptions& options, const ProbeFindings& findings) {
  if (!options.budget.empty()) return parse_count(options.budget, "--budget") - findings.requests();
  const std::vector<Hypothesis> open = findings.examination.open();
  const std::int64_t limit = open.empty() ? findings.burst.admitted : open.front().limit_high;
  const std::int64_t beside =
      findings.requests() - findings.examined_with() - findings.burst.requests;
  return std::max(kLeastBeside, kBesidePerLimit * limit) - beside;
}

// The last request of the last stage got no decision: is there nobody any more who decides?
void look_if_lost(const ProbeOptions& options, PacedLimiter limiter, const ExaminationPace& pace,
                  ProbeFindings& findings) {
  auto& [stage, requests] = findings.sent_beside.back();
  const std::int64_t most = std::min(kMostLost, left_to_send(options, findings));
  LifeSign sign = limiter.loop().run(life_sign(limiter, pace, stage, most));
  requests += sign.requests;
  findings.lost = std::move(sign.lost);
}

void find_identity(const ProbeOptions& options, Loop& loop, ProbeFindings& findings,
                   IdentityPlan plan) {
  const std::vector<Hypothesis> open = findings.examination.open();
  const bool by_bursts = open.empty() && !rules_of(findings.burst).empty();
  if (findings.is_over() || (open.empty() && !by_bursts)) return;
  plan.limit = by_bursts ? findings.burst.admitted : open.front().limit_high;
  plan.at_once = by_bursts ? findings.burst.sent : 0;
  plan.most_requests = left_to_send(options, findings);
  IdentityPlay play(loop, std::move(plan));
  const Progress progress(loop, !options.quiet, std::function([&] {
                            return std::string("who is a client: ") + play.doing();
                          }));
  findings.identity = loop.run(play.play());
  findings.left_out = play.left_out();
  findings.lost = play.lost();
  findings.sent_beside.emplace_back(kWhoIsAClient, play.requests());
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
                const HttpTarget& target, const ExaminationPace& pace, ProbeFindings& findings) {
  const ExaminationEnd end = findings.examination.end();
  if (findings.is_over()) return;
  if (end != ExaminationEnd::no_limit && end != ExaminationEnd::delayed) return;
  if (!options.rate.empty())
    return tell(
        "--rate: nothing was sent at once, so a limit of requests in flight, or how many a queue "
        "holds, was not looked for");
  // All bursts are twice the last one, which is sent again at most kBurstChecks times.
  constexpr std::int64_t kOfTheLast = 2 + kBurstChecks;
  std::size_t most = kMostAtOnce;
  while (!options.budget.empty() && most > 0 &&
         static_cast<std::int64_t>(most) * kOfTheLast > left_to_send(options, findings))
    most /= 2;
  if (most < kFewestAtOnce)
    return tell("--budget: nothing was sent at once, because it was used up");
  RequestNumbers numbers;
  std::deque<HttpLimiter> users;
  std::vector<Limiter*> limiters;
  for (std::size_t i = 0; i < most; ++i)
    limiters.push_back(&users.emplace_back(client, target, numbers));
  findings.burst = loop.run(play_bursts(loop, limiters, end == ExaminationEnd::delayed,
                                        kRestPerAnswer * last_answer_us(findings.examination)));
  findings.sent_beside.emplace_back("at once", findings.burst.requests);
  if (findings.burst.undecided.total() > 0)
    look_if_lost(options, {loop, users.front(), {}, pace.gap_us}, pace, findings);
  if (findings.lost) findings.burst = {};
  findings.interrupted = findings.interrupted || loop.interrupted();
}

// What was found, if it is known well enough to contradict what a service says.
Rules rules_found(const Examination& examination) {
  if (examination.end() != ExaminationEnd::found) return {};
  const Hypothesis found = examination.open().front();
  const bool is_exact = found.limit == found.limit_high &&
                        (!found.beside || found.beside->limit == found.beside->limit_high);
  return is_exact ? rules_of(found) : Rules{};
}

// Do the headers tell the truth? All answers so far say it, and one more that obeys.
void find_truth(const ProbeOptions& options, Loop& loop, HttpLimiter& limiter,
                const ExaminationPace& pace, ProbeFindings& findings) {
  const std::vector<Hypothesis> open = findings.examination.open();
  if (findings.is_over() || open.empty()) return;
  findings.log = findings.examination.log();
  Log& log = findings.log;
  const std::int64_t to_fill = 2 * open.front().limit_high + 3;
  if (check_promises(log).tested == 0 && to_fill <= left_to_send(options, findings)) {
    const PacedLimiter paced(loop, limiter, {}, pace.gap_us);
    loop.run(obey_retry_after(paced, open.front().limit_high,
                              parse_positive_duration_us(options.longest, "--for"), log));
    findings.sent_beside.emplace_back("for Retry-After",
                                      std::ssize(log.records) - findings.examined_with());
    if (log.records.back().outcome > Outcome::denied) look_if_lost(options, paced, pace, findings);
  }
  const Rules rules = rules_found(findings.examination);
  if (!rules.empty()) log.policy.block_us = rules.front().block_us;
  findings.promises = check_promises(log);
  findings.headers = header_findings(log, limiter.claims(), rules);
  findings.interrupted = loop.interrupted();
}

void find_clock(const ProbeOptions& options, RedisSession& session, const PacedLimiter& limiter,
                const ExaminationPace& pace, ProbeFindings& findings) {
  const std::vector<Hypothesis> open = findings.examination.open();
  if (findings.is_over() || open.empty()) return;
  for (const Hypothesis& one : open)
    findings.ahead_us = std::max(findings.ahead_us, 2 * one.memory_us());
  const ClockFinding found =
      session.run(whose_clock(limiter, {open.front().limit_high, findings.ahead_us}));
  findings.clock = found.owner;
  findings.sent_beside.emplace_back("to see whose clock it follows", found.requests);
  if (found.is_undecided) look_if_lost(options, limiter, pace, findings);
  findings.interrupted = session.loop().interrupted();
  if (findings.is_over()) findings.clock.reset();
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
  const ExaminationPace pace = pace_of(options, target.url.shown);
  ProbeFindings findings = examined(options, loop, limiter, {}, pace);
  find_burst(options, loop, *client, target, pace, findings);
  find_truth(options, loop, limiter, pace, findings);
  const auto address = settings.addresses.empty() ? parse_host_address(target.url.host)
                                                  : std::optional(settings.addresses.front());
  find_identity(options, loop, findings,
                {.spec = options.http.spec(timeout_us),
                 .settings = settings,
                 .pace = pace,
                 .sources = address ? other_sources(*address) : std::vector<std::string>{}});
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
  RedisSession session(options.redis, OnReplica::refuse, Loop::Timers::precise);
  const std::string run_id = make_run_id();
  const std::string key = key_prefix_of_run(run_id) + "{probe}";
  const std::unique_ptr<Limiter> limiter = make_limiter(session.redis(), call);
  const Attempt attempt{key, 1, kNoTime};
  const ExaminationPace pace = pace_of(options, name);
  const auto remove_keys = [&] {
    const std::string left =
        session.run(remove_keys_of_run(session.redis(), run_id, session.deployment().endpoint()));
    if (!left.empty()) tell(left);
  };
  std::optional<ProbeFindings> findings;
  try {
    findings = examined(options, session.loop(), *limiter, attempt, pace);
    find_clock(options, session, {session.loop(), *limiter, attempt, pace.gap_us}, pace, *findings);
  } catch (const Error&) {  // no decision
    remove_keys();
    throw;
  }
  remove_keys();
  return tell_findings(*findings, name, options);
}

// What is sent depends on the answers, so these are the steps and their bounds.
std::string plan_of_trials(const ProbeOptions& options) {
  const IdentityTrials list =
      identity_trials(options.http.spec(options.redis.timeout_us()), other_sources({}));
  std::vector<std::string> always;
  std::string text;
  for (const IdentityTrial& trial : list.trials)
    if (trial.only_after.empty()) always.push_back(escape_for_terminal(trial.name));
  text = fmt::format(
      "  6. who is a client: while it is denied, up to 3 changed requests and an unchanged one for "
      "each of {} and another source address; up to {} more for addresses in X-Forwarded-For\n"
      "     each up to 3 times if there is room again too soon, and 3 times more if it seems to "
      "buy "
      "a fresh quota\n",
      joined(always), list.trials.size() - always.size());
  for (const PartLeftOut& one : list.left_out)
    if (one.name != "another source address")
      text += fmt::format("     not changed: {}: {}\n", escape_for_terminal(one.name), one.why);
  return text;
}

Exit print_plan(const ProbeOptions& options) {
  const ExaminationLimits limits = limits_of(options);
  const std::string budget =
      limits.requests > 0 ? counted(limits.requests, "request")
                          : "10 times the limit that is found, or 300 if that is\n"
                            "     more; twice as many if no single rule explains the answers";
  print(
      fmt::format("nothing is sent. The steps, one request after another{}:\n"
                  "  1. up to {} requests, until two in a row are denied\n"
                  "  2. one request now and then, until one is admitted again\n"
                  "  3. requests that tell apart the kinds of limit that still fit; if none fits, "
                  "all that once\n"
                  "     more, after a rest\n"
                  "     steps 1 to 3 together: at most {}; no longer than {}\n",
                  options.rate.empty() ? "" : ", no more than " + options.rate,
                  format_count(limits.up_to), budget, format_duration(limits.longest_us)));
  const std::string bursts =
      options.rate.empty()
          ? fmt::format(
                "4, 8, 16 … up to {} requests at once, the last of them up to {} times more",
                kMostAtOnce, kBurstChecks)
          : "nothing more, because of --rate";
  if (options.http.given())
    print("  4. if none was denied: " + bursts +
          "\n  5. it is filled again for one request that obeys Retry-After, if there is one\n" +
          plan_of_trials(options));
  print(options.budget.empty()
            ? fmt::format("In all: the requests of steps 1 to 3, and for {} at most {} times the "
                          "limit, or {} if that is more\n",
                          options.http.given() ? "steps 5 and 6" : "the question whose clock it is",
                          kBesidePerLimit, kLeastBeside)
            : "In all: no more than " + options.budget + "\n");
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
  if (options.log == "-")
    throw Error(Exit::usage, "--log: standard output is used for the result", "name a file");
  check_output_files({options.scenario, options.log}, options.http.urls());
  if (options.dry_run) return print_plan(options);
  return options.http.given() ? probe_service(options) : probe_script(options);
}

Action add_probe_options(Options& app) {
  auto options = std::make_shared<ProbeOptions>();
  app.add_option("service", options->target, "the HTTP service").type_name("URL");
  options->limiter.add_to(app, "");
  app.add_option(
         "--up-to", options->up_to,
         "stop the search for a limit after N requests without a denial; then send up to 256 at "
         "once, for a queue or a limit in flight [1000]")
      .type_name("N");
  app.add_option("--budget", options->budget,
                 "all requests together [10 times the limit, at least 300, and as many again if no "
                 "single rule explains the answers; 3 times the limit, at least 300, for who is a "
                 "client]; a second rule is found if 3 to 8 windows of the first one fill it")
      .type_name("N");
  app.add_option(
         "--rate", options->rate,
         "no more requests than this, such as 20/1s; with it, nothing is sent at once [no bound]")
      .type_name("N/DURATION");
  app.add_option("--for", options->longest,
                 "the longest examination; 15m is enough for windows of 30s, often of 1m [15m]")
      .type_name("DURATION");
  app.add_option("--scenario", options->scenario,
                 "write a scenario that pins what was found, for CI")
      .type_name("FILE");
  app.add_option("--log", options->log,
                 "write the answers to this file, for rlctl verify: JSON Lines, or CSV if named "
                 ".csv")
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
