#include "run/guarded_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/units.h"
#include "io/clock.h"
#include "io/http/server/forwarded.h"
#include "limiter/limiter.h"
#include "limiter/script_limiter.h"
#include "limiter/wrapper.h"
#include "policy/identity.h"
#include "policy/key.h"

namespace rlctl {
namespace {

constexpr std::string_view kHealthPath = "/healthz";
constexpr std::size_t kMostUserBytes = 256;
constexpr std::size_t kMostTold = 16;
constexpr std::size_t kMostChecked = 65'536;

HttpAnswer json_answer(int status, const Json& body) {
  return {status, {{"Content-Type", "application/json"}}, dump_json(body) + "\n"};
}

bool is_plain_path(std::string_view path) {
  const auto plain = [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\\'; };
  return path.starts_with('/') && path.find_first_of("?#") == path.npos &&
         std::ranges::all_of(path, plain);
}

void check_route(const GuardedRoute& route) {
  const std::string name = "route " + in_quotes(route.path);
  if (!is_plain_path(route.path))
    throw Error(Exit::usage, name + " is not a request path",
                "write it as clients send it, without a query: /v4/movies");
  if (route.path == kHealthPath)
    throw Error(Exit::usage, name + " is reserved for the health check, which has no limiter",
                "choose another path");
  if (route.policy.key.empty())
    throw Error(Exit::usage, name + " has no key", "add one, such as ratelimit:ip:<ip>");
  if (!route.policy.block_key.empty())
    throw Error(Exit::usage, name + ": remove its block key: it would block all clients at once",
                "rlctl keeps a block flag for each client, next to its key");
  const std::array known{KeyFilling{"ip", ""}, KeyFilling{"user", ""}};
  fill_key_template(route.policy.key, known);
}

// A bucket has no window: it admits its capacity at once, and more than that within any window.
QuotaPolicy quota_of(const std::string& name, const Rules& promised, const Policy& policy) {
  if (!promised.empty() && promised.front().row().takes_capacity)
    return {name, promised.front().capacity, kNoTime};
  return {name, policy.limit, policy.window_us};
}

// The header has only whole seconds: any other window is left out, because rounding would be wrong.
std::string policy_field_of(QuotaPolicy said) {
  if (said.window_us % kSecondUs != 0) said.window_us = kNoTime;
  return format_rate_limit_policy(std::array{said});
}

// Whether or not it has a block flag.
bool is_same(const Script& one, const Script& other) {
  return one.name == other.name && one.origin == other.origin &&
         one.manifest.command == other.manifest.command;
}

using KeyTemplate = ScriptCall::KeyTemplate;

// The keys in which two limiters meet. What `may_share` allows is the same key for the same thing;
// a block flag, which all limiters write alike, may always be shared.
std::optional<std::pair<KeyTemplate, KeyTemplate>> shared_key(const ScriptCall& one,
                                                              const ScriptCall& other,
                                                              bool may_share) {
  const std::vector<KeyTemplate> others = other.key_templates();
  for (const KeyTemplate& ours : one.key_templates())
    for (const KeyTemplate& theirs : others) {
      const bool is_fine = ours.role == theirs.role && (may_share || ours.role == "<block_key>");
      if (!is_fine && may_meet(ours.text, theirs.text)) return std::pair{ours, theirs};
    }
  return std::nullopt;
}

bool runs_on_client(const ScriptCall& call) {
  return call.script().manifest.run == RunPlace::client;
}

std::vector<std::string_view> values_of(const HttpHead& head, std::string_view name) {
  std::vector<std::string_view> values;
  for (const HttpField& field : head.fields)
    if (equals_ignoring_case(field.name, name)) values.push_back(field.value);
  return values;
}

}  // namespace

GuardedServer::GuardedServer(Loop& loop, Deployment& redis, ServePlan plan, Notice notice)
    : loop_(loop),
      deployment_(redis),
      listen_(std::move(plan.listen)),
      trusted_proxies_(std::move(plan.trusted_proxies)),
      on_error_(plan.on_error),
      notice_(std::move(notice)),
      server_(
          loop, [this](const HttpRequest& request) { return answer(request); }, plan.bounds),
      redis_(redis.client(notice_)) {
  for (GuardedRoute& route : plan.routes) add_route(std::move(route));
}

void GuardedServer::add_route(GuardedRoute guarded) {
  check_route(guarded);
  if (find_route(guarded.path) != nullptr)
    throw Error(Exit::usage, "route " + in_quotes(guarded.path) + " is defined twice",
                "give each path one policy");
  const Policy& policy = guarded.policy;
  Script script = std::move(guarded.script);
  if (guarded.run != RunChoice::as_manifest)
    script = run_at(std::move(script),
                    guarded.run == RunChoice::client ? RunPlace::client : RunPlace::server);
  QuotaPolicy quota = quota_of(guarded.path, script.manifest.promises(policy.numbers()), policy);
  if (policy.block_us > 0) script = with_block(std::move(script));
  std::string field = policy_field_of(quota);
  routes_.push_back(
      std::make_unique<Route>(Route{guarded.path, policy, ScriptCall(std::move(script), policy),
                                    std::move(quota), std::move(field), std::move(guarded.check)}));
  Route& route = *routes_.back();
  refuse_shared_key(route);
  if (!runs_on_client(route.call))
    route.limiter = std::make_unique<ScriptLimiter>(*redis_, route.call);
}

// Two limiters in one key would overwrite each other's state, or count under the other's numbers.
void GuardedServer::refuse_shared_key(const Route& added) const {
  for (const auto& route : routes_) {
    if (route.get() == &added) continue;
    const bool is_same_limiter = is_same(route->call.script(), added.call.script());
    const bool may_share = is_same_limiter && route->policy.numbers() == added.policy.numbers();
    const auto shared = shared_key(route->call, added.call, may_share);
    if (!shared) continue;
    const auto& [one, other] = *shared;
    const bool keeps_same = one.role == other.role;
    throw Error(Exit::usage,
                "routes " + in_quotes(route->path) + " and " + in_quotes(added.path) +
                    (one.text == other.text ? " share the key " + in_quotes(one.text)
                                            : " share each key that both " + in_quotes(one.text) +
                                                  " and " + in_quotes(other.text) + " can name") +
                    ", but not " +
                    (!keeps_same ? "what they store there"
                                 : (is_same_limiter ? "the policy" : "the algorithm")),
                keeps_same ? "give each route its own key, or both the same algorithm and policy"
                           : "begin the key of each route with a word of its own");
  }
}

GuardedServer::Route* GuardedServer::find_route(std::string_view path) {
  for (const auto& route : routes_)
    if (route->path == path) return route.get();
  return nullptr;
}

Task<> GuardedServer::start() {
  co_await redis_->connect();
  if (deployment_.is_cluster())
    for (const auto& route : routes_) route->call.require_one_slot();
  for (const auto& route : routes_)
    if (!runs_on_client(route->call)) co_await load(route->call.script());
  server_.listen(listen_);
}

// A script that does not compile ends the start. A node of a cluster that is away does not: the
// others decide, and ScriptLimiter gives the script to a node that lacks it.
Task<> GuardedServer::load(const Script& script) {
  try {
    co_await load_script_into(*redis_, script);
  } catch (const Error& error) {
    if (redis_->is_open()) throw;
    if (notice_)
      notice_(std::string(error.what()) + "; its clients get no decision until it is back");
  }
}

Task<> GuardedServer::stop(std::int64_t grace_us) { co_await server_.stop(grace_us); }

ServeCounts GuardedServer::counts() const {
  ServeCounts counts = counts_;
  counts.refused = server_.refused();
  return counts;
}

Task<HttpAnswer> GuardedServer::answer(const HttpRequest& request) {
  const HttpHead& head = request.head;
  if (head.path == kHealthPath) co_return answer_health();
  Route* route = find_route(head.path);
  if (route == nullptr) co_return answer_unknown_path();
  Identity identity;
  identity.ip = format_host_address(
      client_address(request.peer, values_of(head, "x-forwarded-for"), trusted_proxies_));
  if (const HttpField* user = head.find("x-user-id")) identity.user = user->value;
  if (identity.user.size() > kMostUserBytes) {
    ++counts_.other;
    co_return json_answer(400, Json{{"error", "X-User-Id is too long"}});
  }
  co_return co_await decide(*route, std::move(identity));
}

Task<HttpAnswer> GuardedServer::decide(Route& route, Identity identity) {
  ++counts_.requests;
  const std::string key = key_of(route.policy.key, identity);
  Attempt attempt;
  attempt.key = key;
  attempt.identity = &identity;
  const Decision decision = co_await checked(route, attempt);
  if (decision.outcome > Outcome::denied) co_return answer_without_decision(decision);
  if (decision.outcome == Outcome::denied) co_return answer_denied(route, decision);
  // A queueing limiter admits the request now but delays it.
  if (decision.delay_us > 0) co_await loop_.until(now_us() + decision.delay_us);
  co_return answer_allowed(route, decision);
}

// Only the first decision of a key is checked. When too many keys are known, all are forgotten.
Task<Decision> GuardedServer::checked(Route& route, const Attempt& attempt) {
  const std::size_t hash = std::hash<std::string_view>()(attempt.key);
  if (route.check && !checked_.contains(hash)) {
    Decision none;
    none.outcome = Outcome::failed;
    try {
      const auto stranger = co_await route.check(*redis_, std::string(attempt.key));
      // All its strangers are told as the first one: there may be as many as clients.
      if (stranger && route.stranger.empty())
        route.stranger = with_hint(stranger->what(), stranger->hint());
      if (stranger) none.problem = route.stranger;
    } catch (const Error& error) {
      none.problem = error.what();
    }
    if (!none.problem.empty()) co_return none;
    if (checked_.size() >= kMostChecked) checked_.clear();
    checked_.insert(hash);
  }
  auto asked = route.limiter ? route.limiter->decide(attempt) : ask_alone(route, attempt);
  co_return co_await std::move(asked);
}

// Owned before it connects, and reused after a failure: a connection must outlive the coroutine
// that it resumes.
RedisClient* GuardedServer::unconnected() {
  if (unconnected_.empty()) {
    exclusive_.push_back(deployment_.client());
    return exclusive_.back().get();
  }
  RedisClient* again = unconnected_.back();
  unconnected_.pop_back();
  return again;
}

// A script that runs step by step (WATCH, MULTI) needs a connection to itself.
Task<Decision> GuardedServer::ask_alone(Route& route, const Attempt& attempt) {
  Decision none;
  none.outcome = Outcome::failed;
  if (free_.empty()) {
    RedisClient* made = unconnected();
    try {
      co_await made->connect();
    } catch (const Error& error) {
      none.problem = error.what();
    }
    (none.problem.empty() ? free_ : unconnected_).push_back(made);
    if (!none.problem.empty()) co_return none;
  }
  RedisClient& alone = *free_.back();
  free_.pop_back();
  const std::unique_ptr<Limiter> limiter = make_limiter(alone, route.call);
  Decision decision = co_await limiter->decide(attempt);
  free_.push_back(&alone);
  co_return decision;
}

HttpAnswer GuardedServer::answer_health() {
  ++counts_.other;
  const bool answers = redis_->is_open() || on_error_ == OnError::open;
  return json_answer(answers ? 200 : 503, Json{{"status", answers ? "ok" : "unavailable"},
                                               {"redis", redis_->is_open() ? "up" : "away"}});
}

HttpAnswer GuardedServer::answer_unknown_path() {
  ++counts_.other;
  return json_answer(404, Json{{"error", "no such path"}});
}

HttpAnswer GuardedServer::answer_allowed(const Route& route, const Decision& decision) {
  ++counts_.allowed;
  Json body{{"allowed", true}, {"limit", route.quota.quota}};
  if (decision.remaining >= 0) body["remaining"] = decision.remaining;
  HttpAnswer answer = json_answer(200, body);
  add_limit_fields(answer, route, decision);
  return answer;
}

HttpAnswer GuardedServer::answer_denied(const Route& route, const Decision& decision) {
  ++counts_.denied;
  Json body{{"error", "rate limit exceeded"}, {"limit", route.quota.quota}};
  if (route.quota.window_us != kNoTime) body["window"] = format_duration(route.quota.window_us);
  if (decision.remaining >= 0) body["remaining"] = decision.remaining;
  HttpAnswer answer = json_answer(429, body);
  // Below zero: waiting does not help, so no header. Zero would mean "at once", which was just
  // denied.
  if (decision.retry_after_us >= 0)
    answer.fields.emplace_back(
        "Retry-After", format_retry_after(std::max<std::int64_t>(1, decision.retry_after_us)));
  add_limit_fields(answer, route, decision);
  return answer;
}

void GuardedServer::add_limit_fields(HttpAnswer& answer, const Route& route,
                                     const Decision& decision) {
  answer.fields.emplace_back("RateLimit-Policy", route.policy_field);
  if (decision.remaining < 0) return;
  ServiceLimit limit{route.path, decision.remaining};
  // Only a denial has a reset time; for an admission it is not known.
  if (decision.outcome == Outcome::denied && decision.retry_after_us >= 0)
    limit.reset_us = std::max<std::int64_t>(1, decision.retry_after_us);
  answer.fields.emplace_back("RateLimit", format_rate_limit(std::array{limit}));
}

// The end of a connection was told when it ended. On a cluster the other nodes go on, and have
// problems of their own.
void GuardedServer::tell_once(const std::string& problem) {
  if (!notice_ || (!redis_->is_open() && !deployment_.is_cluster())) return;
  if (told_.size() >= kMostTold) told_.clear();
  if (told_.insert(problem).second) notice_("no decision: " + problem);
}

HttpAnswer GuardedServer::answer_without_decision(const Decision& decision) {
  ++counts_.errors;
  tell_once(decision.problem);
  HttpAnswer answer = on_error_ == OnError::open
                          ? json_answer(200, Json{{"allowed", true}, {"limiter", "unavailable"}})
                          : json_answer(503, Json{{"error", "the limiter is unavailable"}});
  answer.fields.emplace_back("Rlctl-Limiter", "unavailable");
  if (on_error_ == OnError::closed) answer.fields.emplace_back("Retry-After", "1");
  return answer;
}

}  // namespace rlctl
