// rlctl hit: makes real decisions from the command line.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/escape.h"
#include "base/glob.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/options/http_options.h"
#include "cli/options/limiter_options.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/options/wait_options.h"
#include "cli/output/output.h"
#include "cli/verb.h"
#include "inspect/hit_check.h"
#include "limiter/http_limiter.h"
#include "limiter/limiter.h"
#include "limiter/script_call.h"
#include "limiter/script_limiter.h"
#include "limiter/wrapper.h"
#include "run/redis_target.h"

namespace rlctl {
namespace {

struct HitOptions {
  RedisOptions redis;
  HttpOptions http;
  RegistryOptions registry;
  LimiterOptions limiter;
  RunOption run;
  PolicyOptions policy;
  std::string key;
  std::string cost = "1";
  std::string requests = "1";
  WaitOptions wait;
  bool json = false;
};

struct Hits {
  std::vector<Decision> decisions;
  std::int64_t wanted = 0;
  bool interrupted = false;
};

Task<Hits> hit(Loop& loop, Limiter& limiter, Attempt attempt, std::int64_t count) {
  Hits hits{.decisions = {}, .wanted = count};
  while (static_cast<std::int64_t>(hits.decisions.size()) < count) {
    hits.interrupted = loop.interrupted();
    if (hits.interrupted) break;
    hits.decisions.push_back(co_await limiter.decide(attempt));
    if (hits.decisions.back().outcome > Outcome::denied) break;
  }
  co_return hits;
}

Task<Hits> hit_redis(RedisSession& session, ScriptCall& call, const ReplicaWait& wait,
                     Attempt attempt, std::int64_t count) {
  if (session.deployment().is_cluster()) call.require_one_slot(std::string(attempt.key));
  if (call.script().manifest.is_command())
    co_await load_script_into(session.redis(), call.script());
  const std::unique_ptr<Limiter> limiter = make_limiter(session.redis(), call, wait);
  co_return co_await hit(session.loop(), *limiter, attempt, count);
}

std::string script_words(const Decision& decision, std::int64_t limit, std::int64_t cost) {
  if (decision.outcome == Outcome::allowed) {
    std::string text = "allowed";
    if (decision.remaining >= 0) text += fmt::format(", {} of {} left", decision.remaining, limit);
    if (decision.delay_us > 0)
      text += ", to be served in " + format_duration_for_people(decision.delay_us);
    return text;
  }
  std::string text = "denied";
  if (decision.retry_after_us > 0)
    text += ", retry after " + format_duration_for_people(decision.retry_after_us);
  else if (cost > limit)
    text += ": the cost is above the limit, so waiting does not help";
  return text;
}

std::string http_words(const Decision& decision) {
  const bool allowed = decision.outcome == Outcome::allowed;
  std::string text = allowed ? "allowed" : "denied";
  if (decision.status != 0) text += fmt::format(", status {}", decision.status);
  if (decision.remaining >= 0) text += fmt::format(", {} left", decision.remaining);
  if (decision.retry_after_us != kNoTime)
    text += ", retry after " + format_duration_for_people(decision.retry_after_us);
  return text;
}

Json decision_json(const Decision& decision) {
  Json json{{"allowed", nullptr}};
  if (decision.outcome <= Outcome::denied) json["allowed"] = decision.outcome == Outcome::allowed;
  if (decision.status != 0) json["status"] = decision.status;
  if (decision.remaining >= 0) json["remaining"] = decision.remaining;
  if (decision.retry_after_us != kNoTime) json["retry_after_us"] = decision.retry_after_us;
  if (decision.delay_us > 0) json["delay_us"] = decision.delay_us;
  if (decision.decided_from_us != kNoTime && decision.decided_from_us != decision.decided_us)
    json["server_from_us"] = decision.decided_from_us;
  if (decision.decided_us != kNoTime) json["server_us"] = decision.decided_us;
  if (decision.received_us != kNoTime) json["latency_us"] = decision.received_us - decision.sent_us;
  return json;
}

// Prints the decisions: as lines, or as one JSON object that begins with `body`.
template <typename Words>
void print_hits(const Hits& hits, bool as_json, Json body, Words words) {
  Json decisions = Json::array();
  for (const Decision& decision : hits.decisions) {
    const bool may_count = decision.outcome == Outcome::unknown &&
                           (decision.received_us == kNoTime || decision.unconfirmed);
    if (decision.outcome > Outcome::denied && !may_count) break;
    if (as_json)
      decisions.push_back(decision_json(decision));
    else if (may_count)
      print("unknown, may have been counted\n");
    else
      print(words(decision) + "\n");
  }
  if (!as_json) return;
  body["decisions"] = std::move(decisions);
  print_json("hit", std::move(body));
}

// `hint`: what to do if a hit got no decision.
Exit exit_of(const Hits& hits, const std::string& limiter, std::string (*hint)(const Decision&)) {
  if (hits.interrupted) {
    tell(fmt::format("interrupted after {} of {}", format_count(std::ssize(hits.decisions)),
                     counted(hits.wanted, "hit")));
    return Exit::interrupted;
  }
  const Decision& last = hits.decisions.back();
  const std::int64_t unsent = hits.wanted - std::ssize(hits.decisions);
  if (last.outcome > Outcome::denied)
    throw Error(
        Exit::target,
        "no decision from " + in_quotes(limiter) + ": " + last.problem +
            (unsent > 0 ? "; " + counted(unsent, "hit was", "hits were") + " not sent" : ""),
        hint(last));
  const auto is_denied = [](const Decision& one) { return one.outcome == Outcome::denied; };
  return std::ranges::any_of(hits.decisions, is_denied) ? Exit::violated : Exit::done;
}

Exit hit_service(const HitOptions& options, std::int64_t count) {
  if (options.http.urls().size() > 1)
    throw Error(Exit::usage, "--target: hit asks one service",
                "remove the others, or use rlctl simulate");
  const std::int64_t timeout_us = options.redis.timeout_us();
  const HttpTarget target = http_target_from(options.http.spec(timeout_us));
  const HttpSettings settings =
      http_settings_for(target, options.http.transport(timeout_us, options.redis.tls()));
  Loop loop;
  loop.watch_signals();
  const auto client = make_http_client(loop, settings);
  RequestNumbers numbers;
  HttpLimiter limiter(*client, target, numbers);
  const Attempt attempt{.key = {}, .cost = parse_count(options.cost, "--cost")};
  const Hits hits = loop.run(hit(loop, limiter, attempt, count));
  Json body;
  put_bytes(body, "target", target.url.shown);
  print_hits(hits, options.json, std::move(body), http_words);
  return exit_of(hits, target.url.shown, http_hint);
}

// A limiter that reads its flag denies and counts nothing.
Hits denied_by(const BlockFlag& block) {
  Decision decision;
  decision.outcome = Outcome::denied;
  if (block.left_us) decision.retry_after_us = *block.left_us;
  return {{decision}};
}

Exit hit_key(const HitOptions& options, RedisSession& session, ScriptCall& call,
             const Policy& policy, const BlockFlag& block) {
  const std::string algorithm = options.limiter.is_command()
                                    ? call.script().name
                                    : options.limiter.name_for(policy.rules.front());
  const std::int64_t cost = parse_count(options.cost, "--cost");
  const Attempt attempt{options.key, cost, kNoTime};
  const Hits hits = block.is_set
                        ? denied_by(block)
                        : session.run(hit_redis(session, call, options.wait.wait(), attempt,
                                                parse_count(options.requests, "--requests")));
  Json body;
  put_bytes(body, "key", options.key);
  body["algorithm"] = algorithm;
  body["policy"] = rules_text(policy.rules);
  if (block.is_set) put_bytes(body, "blocked_by", block.key);
  const std::string time = block.left_us ? " for " + format_duration_for_people(*block.left_us)
                           : block.end_unknown ? ""
                                               : " for ever";
  print_hits(hits, options.json, std::move(body), [&](const Decision& decision) {
    return block.is_set ? "denied, blocked" + time + " by " + in_quotes(block.key)
                        : script_words(decision, policy.bucket_capacity(), cost);
  });
  if (!call.remark().empty()) tell("note: " + call.remark());
  return exit_of(hits, algorithm, script_hint);
}

Exit run_hit(const HitOptions& options) {
  std::vector<std::string> for_redis{"KEY",     "--limit",     "--window", "--capacity",
                                     "--block", "--block-key", "--wait"};
  // Only the message of a rate limit service has a cost.
  if (!std::ranges::any_of(options.http.urls(), is_rls)) for_redis.emplace_back("--cost");
  options.http.check_company(for_redis);
  const std::int64_t count = parse_count(options.requests, "--requests");
  if (options.http.given()) return hit_service(options, count);
  if (options.key.empty())
    throw Error(Exit::usage, "the key is empty or missing",
                "check that your shell variable is set; for an HTTP service, use --target URL");
  const Policy policy = options.policy.policy();
  tell_first_rule(policy.rules);
  if (is_pattern(options.key))
    tell("note: " + in_quotes(options.key) + " is no pattern here, but the name of one key");
  parse_count(options.cost, "--cost");
  const Registry registry = options.registry.registry();
  const std::string algorithm = options.limiter.name_for(policy.rules.front());
  Script script = options.run.placed(
      registry.find(algorithm, options.limiter.manifest(options.http.allowed())));
  check_wait(options.wait.wait(), std::nullopt, options.redis.timeout_us());
  require_one_step(script, options.wait.wait());
  if (policy.block_us > 0) script = with_block(std::move(script));
  ScriptCall call(std::move(script), policy);
  tell_other_promise(call.script(), policy, registry);
  RedisSession session(options.redis, OnReplica::refuse);
  const BlockFlag block = session.run(check_before_hit(
      session.redis(),
      {registry, call.script(), options.limiter.given(), options.key, policy.block_key}));
  return hit_key(options, session, call, policy, block);
}

Action add_hit_options(Options& app) {
  auto options = std::make_shared<HitOptions>();
  app.add_option("key", options->key, "the limiter's key").type_name("KEY");
  options->limiter.add_by_rule_to(app);
  app.add_option("--cost", options->cost, "cost of each hit, in admissions [1]").type_name("N");
  app.add_option("--requests", options->requests, "number of requests, one after another [1]")
      .type_name("N");
  options->wait.add_to(app);
  app.add_flag("--json", options->json, "print one JSON object");
  options->policy.add_to(app, "required with KEY");
  options->registry.add_to(app);
  options->run.add_to(app);
  options->redis.add_to(app, WithoutUrl::local);
  options->http.add_to(app);
  return [options] { return run_hit(*options); };
}

}  // namespace

const Verb kHitVerb{"hit", "Makes real decisions from the command line; exit 1 if one was denied.",
                    "  rlctl hit ratelimit:ip:203.0.113.7 --limit 20 --window 60s\n"
                    "  rlctl hit api:u1 --algo token-bucket --limit 100 --window 1m --requests 5\n"
                    "  rlctl hit --target http://127.0.0.1:8080/v4/movies --requests 25",
                    add_hit_options};

}  // namespace rlctl
