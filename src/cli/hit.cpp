// rlctl hit: makes real decisions from the command line.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "base/escape.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/hit_http.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/output/output.h"
#include "cli/verb.h"
#include "limiter/make_limiter.h"
#include "limiter/wrapper.h"

namespace rlctl {
namespace {

struct HitOptions {
  RedisOptions redis;
  HttpOptions http;
  RegistryOptions registry;
  RunOption run;
  PolicyOptions policy;
  std::string key;
  std::string algorithm = "sliding-list";
  std::string cost = "1";
  std::string count = "1";
  bool json = false;
};

struct Hits {
  std::vector<Decision> decisions;
  bool interrupted = false;
};

Task<Hits> hit(RedisSession& session, ScriptCall& call, Attempt attempt, std::int64_t count) {
  const std::unique_ptr<Limiter> limiter = make_limiter(session.connection(), call);
  Hits hits;
  while (static_cast<std::int64_t>(hits.decisions.size()) < count) {
    hits.interrupted = session.loop().interrupted();
    if (hits.interrupted) break;
    hits.decisions.push_back(co_await limiter->decide(attempt));
    if (hits.decisions.back().outcome > Outcome::denied) break;
  }
  co_return hits;
}

std::string in_words(const Decision& decision, std::int64_t limit, std::int64_t cost) {
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

nlohmann::ordered_json to_json(const Decision& decision) {
  nlohmann::ordered_json json{{"allowed", decision.outcome == Outcome::allowed}};
  if (decision.remaining >= 0) json["remaining"] = decision.remaining;
  if (decision.retry_after_us != kNoTime) json["retry_after_us"] = decision.retry_after_us;
  if (decision.delay_us > 0) json["delay_us"] = decision.delay_us;
  if (decision.decided_us != kNoTime) json["server_us"] = decision.decided_us;
  json["latency_us"] = decision.received_us - decision.sent_us;
  return json;
}

void print_hits(const Hits& hits, const HitOptions& options, const Policy& policy,
                std::int64_t cost) {
  if (!options.json) {
    for (const Decision& decision : hits.decisions)
      if (decision.outcome <= Outcome::denied) print(in_words(decision, policy.limit, cost) + "\n");
    return;
  }
  nlohmann::ordered_json body;
  put_bytes(body, "key", options.key);
  body["algorithm"] = options.algorithm;
  body["limit"] = policy.limit;
  body["window_us"] = policy.window_us;
  body["decisions"] = nlohmann::ordered_json::array();
  for (const Decision& decision : hits.decisions)
    if (decision.outcome <= Outcome::denied) body["decisions"].push_back(to_json(decision));
  print_json("hit", std::move(body));
}

Exit run(const HitOptions& options) {
  options.http.check_company(
      {"KEY", "--cost", "--limit", "--window", "--capacity", "--block", "--block-key"});
  const std::int64_t count = parse_count(options.count, "--count");
  if (options.http.given())
    return hit_http(options.http, options.redis.timeout_us(), count, options.json);
  if (options.key.empty())
    throw Error(Exit::usage, "the key is empty or missing",
                "check that your shell variable is set; for an HTTP service, use --target URL");
  const Policy policy = options.policy.policy();
  const std::int64_t cost = parse_count(options.cost, "--cost");
  Script script = options.run.placed(options.registry.registry().find(options.algorithm));
  if (policy.block_us > 0) script = with_block(std::move(script));
  ScriptCall call(std::move(script), policy);
  RedisSession session(options.redis);
  const Attempt attempt{options.key, cost, kNoTime};
  const Hits hits = session.run(hit(session, call, attempt, count));
  print_hits(hits, options, policy, cost);
  if (!call.remark().empty()) tell("note: " + call.remark());
  if (hits.interrupted) return Exit::interrupted;
  const Decision& last = hits.decisions.back();
  if (last.outcome > Outcome::denied)
    throw Error(
        Exit::target, "no decision from " + in_quotes(options.algorithm) + ": " + last.problem,
        last.problem.starts_with("WRONGTYPE") ? "inspect the key with rlctl inspect KEY" : "");
  for (const Decision& decision : hits.decisions)
    if (decision.outcome == Outcome::denied) return Exit::violated;
  return Exit::done;
}

Action add_options(Options& app) {
  auto options = std::make_shared<HitOptions>();
  app.add_option("key", options->key, "the limiter's key").type_name("KEY");
  app.add_option("--algo", options->algorithm,
                 "an algorithm of `rlctl algos`, or a file [sliding-list]")
      .type_name("NAME|FILE.lua");
  app.add_option("--cost", options->cost, "cost of each hit, in admissions [1]").type_name("N");
  app.add_option("--count", options->count, "number of hits, one after another [1]").type_name("N");
  app.add_flag("--json", options->json, "print one JSON object");
  options->policy.add_with_defaults_to(app, "required with KEY");
  options->registry.add_to(app);
  options->run.add_to(app);
  options->redis.add_to(app, WithoutUrl::local);
  options->http.add_to(app);
  return [options] { return run(*options); };
}

}  // namespace

const Verb kHitVerb{"hit", "Makes real decisions from the command line; exit 1 if one was denied.",
                    "  rlctl hit ratelimit:ip:203.0.113.7 --limit 20 --window 60s\n"
                    "  rlctl hit api:u1 --algo token-bucket --limit 100 --window 1m --count 5\n"
                    "  rlctl hit --target http://127.0.0.1:8080/v4/movies --count 25",
                    add_options};

}  // namespace rlctl
