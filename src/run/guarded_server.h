// GuardedServer: an HTTP server whose routes are guarded by limiters: the reference target.
//
// Each request to a route is one decision: 200, or 429 with Retry-After (whole seconds, rounded up,
// so that a retry is not too early) and the RateLimit fields of the IETF draft. If Redis is away,
// the answer is 200 with a remark, or 503. Owns its connections to clients and to Redis; borrows
// the loop, which the caller runs, and the deployment. The constructor throws Error(Exit::usage)
// for an invalid route; start() throws Error(Exit::target). One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "base/host_address.h"
#include "io/http/listener.h"
#include "io/http/server/http_server.h"
#include "io/loop.h"
#include "io/redis/deployment/deployment.h"
#include "limiter/limiter.h"
#include "limiter/registry.h"
#include "limiter/script_call.h"
#include "policy/policy.h"
#include "policy/rate_limit_fields.h"
#include "scenario/scenario.h"

namespace rlctl {

// Asked before the first decision of a key: why there must be none, and what to do; empty: there
// may be one. Throws Error(Exit::target) if Redis does not answer.
using KeyCheck = std::function<Task<std::optional<Error>>(Redis& redis, std::string key)>;

struct GuardedRoute {
  std::string path;  // the whole path of a request, without its query
  Script script;     // without block flag: it is added here
  Policy policy;     // its key may contain <ip> and <user>
  RunChoice run = RunChoice::as_manifest;
  KeyCheck check = {};  // empty: none
};

struct ServePlan {
  ListenAddress listen;
  std::vector<GuardedRoute> routes;
  std::vector<HostNetwork> trusted_proxies;
  OnError on_error = OnError::closed;  // when Redis gives no decision
  HttpBounds bounds;
};

struct ServeCounts {
  std::uint64_t requests = 0;  // requests to routes
  std::uint64_t allowed = 0;
  std::uint64_t denied = 0;
  std::uint64_t errors = 0;   // requests without a decision, whatever the answer was
  std::uint64_t other = 0;    // /healthz, unknown paths, requests with an invalid client name
  std::uint64_t refused = 0;  // not HTTP, or beyond the bounds
};

class GuardedServer {
 public:
  // Called with a text when Redis goes away or comes back, and when there was no decision.
  using Notice = RedisClient::Notice;

  GuardedServer(Loop& loop, Deployment& redis, ServePlan plan, Notice notice = {});

  // Connects to Redis, loads the scripts, listens.
  Task<> start();
  // Refuses new requests and finishes those in flight, for up to `grace_us`.
  Task<> stop(std::int64_t grace_us);

  std::uint16_t port() const { return server_.port(); }
  const std::string& url() const { return server_.url(); }
  ServeCounts counts() const;

 private:
  struct Route {
    std::string path;  // and the policy's name in RateLimit fields
    Policy policy;
    ScriptCall call;
    QuotaPolicy quota;         // what answers say of the limit
    std::string policy_field;  // the same as RateLimit-Policy
    KeyCheck check;
    std::string stranger = {};                   // the first key that was refused, in words
    std::unique_ptr<Limiter> limiter = nullptr;  // null: the script runs step by step
  };

  void add_route(GuardedRoute guarded);
  void refuse_shared_key(const Route& added) const;
  Task<> load(const Script& script);
  Route* find_route(std::string_view path);
  Task<HttpAnswer> answer(const HttpRequest& request);
  Task<HttpAnswer> decide(Route& route, Identity identity);
  Task<Decision> checked(Route& route, const Attempt& attempt);
  RedisClient* unconnected();
  Task<Decision> ask_alone(Route& route, const Attempt& attempt);
  HttpAnswer answer_health();
  HttpAnswer answer_unknown_path();
  HttpAnswer answer_allowed(const Route& route, const Decision& decision);
  HttpAnswer answer_denied(const Route& route, const Decision& decision);
  void tell_once(const std::string& problem);
  HttpAnswer answer_without_decision(const Decision& decision);
  static void add_limit_fields(HttpAnswer& answer, const Route& route, const Decision& decision);

  Loop& loop_;
  Deployment& deployment_;
  ListenAddress listen_;
  std::vector<HostNetwork> trusted_proxies_;
  OnError on_error_;
  Notice notice_;
  std::set<std::string> told_;  // problems, so that a notice is not repeated
  std::vector<std::unique_ptr<Route>> routes_;
  std::unordered_set<std::size_t> checked_;  // hashes of keys, so that each takes little
  ServeCounts counts_;
  std::vector<RedisClient*> free_;         // of exclusive_
  std::vector<RedisClient*> unconnected_;  // of exclusive_
  // The order matters: redis_ is destroyed before server_, because its pending commands belong to
  // handlers of the server, whose frames must still exist.
  HttpServer server_;
  std::unique_ptr<RedisClient> redis_;
  std::vector<std::unique_ptr<RedisClient>> exclusive_;  // for scripts that run step by step
};

}  // namespace rlctl
