// rlctl serve: runs an HTTP server that any policy can guard: the reference target.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/json.h"
#include "base/object_fields.h"
#include "base/suggest.h"
#include "base/units.h"
#include "base/words.h"
#include "cli/options/limiter_options.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/output/output.h"
#include "cli/verb.h"
#include "inspect/own_state.h"
#include "io/byte_source.h"
#include "io/clock.h"
#include "io/open_files.h"
#include "run/guarded_server.h"
#include "run/route_file.h"

namespace rlctl {
namespace {

constexpr std::int64_t kLookForSignalUs = 50'000;
constexpr std::int64_t kGraceUs = 10'000'000;
constexpr std::int64_t kMostConnections = 100'000;

struct ServeOptions {
  RedisOptions redis;
  RegistryOptions registry;
  LimiterOptions limiter;
  PolicyOptions policy;
  std::string listen = "127.0.0.1:8080";
  std::string route;
  std::string key;
  std::string run;
  std::string routes_file;
  std::string on_error = "closed";
  std::vector<std::string> trusted_proxies;
  std::string connections;
  bool json = false;
  bool quiet = false;
};

// The number that was asked for; otherwise the default, or less if the system allows less.
std::size_t allowed_connections(const std::string& asked) {
  if (!asked.empty()) {
    const std::int64_t count = parse_count(asked, "--connections");
    if (count > kMostConnections)
      throw Error(Exit::usage, "--connections: " + in_quotes(asked) + " is too large",
                  "the maximum is " + format_count(kMostConnections));
    allow_open_files(count);
    return static_cast<std::size_t>(count);
  }
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t count = std::min<rlim_t>(HttpBounds{}.most_connections, limit.rlim_max / 2);
  allow_open_files(static_cast<std::int64_t>(count));
  return count;
}

// Prints each mistake with its place in the file; the error only counts them.
std::vector<RouteSpec> read_routes(const std::string& path) {
  RouteFile file = parse_route_file(escape_for_terminal(path), whole_file(path));
  if (file.mistake_count == 0) return std::move(file.routes);
  std::fputs(file.mistakes.c_str(), stderr);
  throw Error(
      Exit::usage,
      fmt::format("--routes: {} in {}", counted(file.mistake_count, "mistake"), in_quotes(path)),
      "nothing was started");
}

RouteSpec route_of(const ServeOptions& options, const Policy& policy) {
  if (policy.limit == 0)
    throw Error(Exit::usage, "serve needs a policy", "add --policy 20/1m, or --routes FILE.json");
  RouteSpec route;
  route.path = options.route.empty() ? "/" : options.route;
  route.algorithm = options.limiter.name_for(policy.rules.front());
  route.manifest = options.limiter.manifest();
  if (!options.run.empty()) route.run = *meaning_of<RunChoice>(options.run);
  route.policy = policy;
  route.policy.key = options.key.empty() ? "rlctl:serve:" + route.path + ":<ip>" : options.key;
  return route;
}

std::vector<RouteSpec> chosen_routes(const ServeOptions& options) {
  if (options.routes_file.empty()) return {route_of(options, options.policy.optional_policy())};
  if (options.policy.given() || options.limiter.given() ||
      !(options.route + options.key + options.run).empty())
    throw Error(Exit::usage, "--routes: the file sets the policies of all routes",
                "remove --route, --key, --algo, --command, --run, --policy, its short form and "
                "--block");
  return read_routes(options.routes_file);
}

void tell_unchecked(const Script& script, const std::string& path) {
  tell(with_hint(
      "note: route " + in_quotes(path) + ": nothing tells what " + in_quotes(script.name) +
          " stores, so rlctl does not see if a key is another program's",
      script.manifest.is_state_in_key() ? "say it in the manifest: state = hash: tokens, at_ms"
                                        : ""));
}

// A private server has no keys of others.
KeyCheck check_of(std::shared_ptr<const Registry> registry, const Script& script,
                  const std::string& path, const ServeOptions& options) {
  if (options.redis.embedded()) return {};
  const std::string algo_option = options.routes_file.empty() ? "--algo" : "the route's \"algo\":";
  auto own = std::make_shared<OwnState>(*registry, script, algo_option);
  if (!own->is_told()) {
    tell_unchecked(script, path);
    return {};
  }
  return [registry = std::move(registry), own](Redis& redis, std::string key) {
    return own->stranger_at(redis, std::move(key));
  };
}

std::vector<GuardedRoute> guarded_routes(const ServeOptions& options) {
  const auto registry = std::make_shared<const Registry>(options.registry.registry());
  std::vector<GuardedRoute> guarded;
  for (RouteSpec& route : chosen_routes(options)) {
    require_windows(route.policy.rules, "serve");
    tell_first_rule(route.policy.rules);
    Script script = registry->find(route.algorithm, route.manifest);
    tell_other_promise(script, route.policy, *registry);
    KeyCheck check = check_of(registry, script, route.path, options);
    guarded.push_back({std::move(route.path), std::move(script), std::move(route.policy), route.run,
                       std::move(check)});
  }
  return guarded;
}

ServePlan serve_plan(const ServeOptions& options) {
  ServePlan plan;
  plan.listen = parse_listen_address(options.listen, "--listen");
  plan.routes = guarded_routes(options);
  for (const std::string& range : options.trusted_proxies)
    plan.trusted_proxies.push_back(parse_host_network(range, "--trust-proxy"));
  plan.on_error = *meaning_of<OnError>(options.on_error);
  plan.bounds.most_connections = allowed_connections(options.connections);
  return plan;
}

// The program that started rlctl may wait for this line, so it is flushed at once. With --json it
// goes to standard error, because standard output is for the JSON object.
bool announce(const std::string& url, bool json) {
  if (json) {
    tell("listening on " + url);
    return true;
  }
  print("listening on " + url + "\n");
  return flush_output();
}

Task<> serve_until_stopped(Loop& loop, GuardedServer& server, bool json) {
  co_await server.start();
  const bool told = announce(server.url(), json);
  while (told && !loop.interrupted()) co_await loop.until(now_us() + kLookForSignalUs);
  co_await server.stop(kGraceUs);
}

std::string serve_words(const ServeCounts& counts) {
  return fmt::format("{}: {} allowed, {} denied, {} errors; {} other, {} refused\n",
                     counted(counts.requests, "request"),
                     format_count(static_cast<std::int64_t>(counts.allowed)),
                     format_count(static_cast<std::int64_t>(counts.denied)),
                     format_count(static_cast<std::int64_t>(counts.errors)),
                     format_count(static_cast<std::int64_t>(counts.other)),
                     format_count(static_cast<std::int64_t>(counts.refused)));
}

Json counts_json(const ServeCounts& counts) {
  return {{"requests", counts.requests}, {"allowed", counts.allowed}, {"denied", counts.denied},
          {"errors", counts.errors},     {"other", counts.other},     {"refused", counts.refused}};
}

Exit run_serve(const ServeOptions& options) {
  ServePlan plan = serve_plan(options);
  GuardedServer::Notice notice;
  if (!options.quiet) notice = [](const std::string& words) { tell(words); };
  RedisSession session(options.redis, OnReplica::refuse);
  GuardedServer server(session.loop(), session.deployment(), std::move(plan), notice);
  session.run(serve_until_stopped(session.loop(), server, options.json));
  if (options.json)
    print_json("serve", counts_json(server.counts()));
  else if (!options.quiet)
    print(serve_words(server.counts()));
  return Exit::done;
}

Action add_serve_options(Options& app) {
  auto options = std::make_shared<ServeOptions>();
  app.add_option("--listen", options->listen,
                 "HOST:PORT; port 0 means any free port, which is printed [127.0.0.1:8080]")
      .type_name("ADDRESS");
  app.add_option("--route", options->route, "the guarded path [/]").type_name("/PATH");
  app.add_option("--key", options->key,
                 "the limiter's key: <ip> is the client's address, <user> its X-User-Id "
                 "[rlctl:serve:PATH:<ip>]")
      .type_name("KEY");
  options->limiter.add_by_rule_with_allowed_to(app);
  app.add_option(
         "--run", options->run,
         "server: one atomic step in Redis; client: each redis.call is a round trip [as in the "
         "manifest]")
      .one_of(all_words<RunChoice>());
  app.add_option(
         "--routes", options->routes_file,
         "guard several routes, from a file: {\"routes\": [{\"path\": \"/v4/movies\", \"key\": "
         "\"api:<ip>\", \"algo\": \"sliding\", \"limit\": 20, \"window\": \"60s\"}]}")
      .type_name("FILE");
  app.add_option("--on-error", options->on_error,
                 "if Redis gives no decision: open answers 200, closed answers 503 [closed]")
      .one_of(all_words<OnError>());
  app.add_option("--trust-proxy", options->trusted_proxies,
                 "proxies whose X-Forwarded-For is trusted; may be repeated [none]")
      .type_name("CIDR");
  app.add_option("--connections", options->connections,
                 "maximum number of concurrent clients; the longest idle gives way [4096]")
      .type_name("N");
  app.add_flag("--json", options->json, "print the summary as one JSON object");
  app.add_flag("--quiet", options->quiet, "print no summary and no messages about Redis");
  options->policy.add_to(app, "required without --routes");
  options->registry.add_to(app);
  options->redis.add_to(app, WithoutUrl::embedded);
  return [options] { return run_serve(*options); };
}

}  // namespace

const Verb kServeVerb{
    "serve", "Runs an HTTP server guarded by a limiter: the reference target.",
    "  rlctl serve --route /v4/movies --key 'ratelimit:ip:<ip>' \\\n"
    "    --limit 20 --window 60s --algo sliding --block 60s\n"
    "  rlctl serve --redis redis://127.0.0.1 --limit 100 --window 1m --on-error open",
    add_serve_options};

}  // namespace rlctl
