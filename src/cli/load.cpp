// rlctl load: puts the limiters into a Redis, as scripts or as a function library.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/escape.h"
#include "base/json.h"
#include "base/table.h"
#include "base/text.h"
#include "cli/options/policy_options.h"
#include "cli/options/redis_options.h"
#include "cli/output/output.h"
#include "cli/verb.h"
#include "io/clock.h"
#include "io/redis/redis_error.h"
#include "limiter/script_store.h"

namespace rlctl {
namespace {

struct LoadOptions {
  RedisOptions redis;
  RegistryOptions registry;
  std::vector<std::string> names;
  bool dry_run = false;
  bool function = false;
  bool replace = false;
  bool json = false;
};

// A loaded script: its name in Redis, and in `state` whether it was there.
struct Row {
  std::string name;    // of the algorithm
  std::string called;  // SHA-1, or the function's name
  std::string origin;
  std::string state;
};

std::vector<Script> scripts_to_load(const LoadOptions& options) {
  const Registry registry = options.registry.registry();
  std::vector<Script> scripts;
  for (const std::string& name : options.names.empty() ? registry.sound_names() : options.names) {
    Script script = registry.find(name);
    // rlctl itself interprets client scripts, so they are loaded only if they were named.
    if (options.names.empty() && script.manifest.run == RunPlace::client) continue;
    const std::shared_ptr<const Script> finish = script.finish;
    scripts.push_back(std::move(script));
    if (finish && !finish->manifest.is_command()) scripts.push_back(*finish);
  }
  return scripts;
}

constexpr const char* kThere = "already there";
constexpr const char* kNotKnown = "not known";

// A server, or one node of a cluster: each has its own script cache. A replica gets functions from
// its master.
struct LoadNode {
  bool is_replica = false;
  std::unique_ptr<RedisClient> redis;
};

struct LoadNodes {
  std::vector<LoadNode> reached;
  std::vector<std::string> unreached;  // in words
};

LoadNodes connect_all(RedisSession& session) {
  LoadNodes nodes;
  const auto found = session.run(session.deployment().nodes(session.redis()));
  if (!found.unseen.empty())
    tell("nodes that have just joined the cluster may be missing: CLUSTER NODES: " +
         error_with_hint(found.unseen));
  for (const Deployment::Node& node : found.all) {
    LoadNode one{node.is_replica, session.deployment().is_cluster()
                                      ? session.deployment().client_of(node.endpoint)
                                      : session.deployment().client()};
    try {
      session.run(one.redis->connect());
      nodes.reached.push_back(std::move(one));
    } catch (const Error& error) {
      const std::string problem = error.what();
      const std::string name = escape_for_terminal(node.endpoint.name());
      nodes.unreached.push_back(problem.find(name) == problem.npos ? name + ": " + problem
                                                                   : problem);
    }
  }
  return nodes;
}

// The states of one script on the nodes that were reached as one: "new on 2 of 6 nodes", of all.
std::string joined_state(const std::vector<std::string>& states, const LoadNodes& nodes) {
  const auto other =
      std::ranges::find_if(states, [](const std::string& state) { return state != kThere; });
  const std::string state = other == states.end() ? kThere : *other;
  const auto same = static_cast<std::size_t>(std::ranges::count(states, state));
  const std::size_t all = states.size() + nodes.unreached.size();
  return same == all ? state : fmt::format("{} on {} of {} nodes", state, same, all);
}

std::string cache_state(const std::optional<std::vector<bool>>& cached, std::size_t script,
                        bool dry_run) {
  if (!cached) return dry_run ? kNotKnown : "loaded";
  if (cached->at(script)) return kThere;
  return dry_run ? "missing" : "new";
}

std::vector<Row> load_scripts(RedisSession& session, LoadNodes& nodes,
                              const std::vector<Script>& scripts, const LoadOptions& options) {
  std::vector<std::string> sha1s;
  for (const Script& script : scripts) sha1s.push_back(script.sha1);
  std::vector<std::vector<std::string>> states(scripts.size());
  bool may_ask = true;
  for (const LoadNode& node : nodes.reached) {
    const auto cached = session.run(find_cached(*node.redis, sha1s));
    may_ask = may_ask && cached;
    if (!options.dry_run) session.run(load_into_cache(*node.redis, scripts));
    for (std::size_t i = 0; i < scripts.size(); ++i)
      states[i].push_back(cache_state(cached, i, options.dry_run));
  }
  if (!may_ask)
    tell(
        "this user may not run SCRIPT EXISTS (the rule +script|exists grants it): which scripts "
        "were "
        "there is not known");
  std::vector<Row> rows;
  for (std::size_t i = 0; i < scripts.size(); ++i)
    rows.push_back(
        {scripts[i].name, scripts[i].sha1, scripts[i].origin, joined_state(states[i], nodes)});
  return rows;
}

// Functions of the library that the new one would lack, escaped: applications may call them.
std::vector<std::string> functions_lost(const FoundLibrary& before,
                                        const std::vector<Script>& scripts) {
  std::vector<std::string> lost;
  for (const std::string& name : before.functions)
    if (std::ranges::find(scripts, name, function_name) == scripts.end())
      lost.push_back(escape_for_terminal(name));
  std::ranges::sort(lost);
  return lost;
}

void refuse_to_lose(const std::vector<std::string>& lost) {
  if (lost.empty()) return;
  throw Error(
      Exit::usage,
      fmt::format("nothing was loaded: the library '{}' would lose {}", kLibraryName, joined(lost)),
      "name these algorithms too, or remove them with --replace");
}

std::string library_state(LibraryState before, bool dry_run) {
  if (before == LibraryState::same) return kThere;
  if (before == LibraryState::missing) return dry_run ? "missing" : "new";
  return dry_run ? "differs" : "replaced";
}

// Masters pass functions on to their replicas by themselves, soon. False: not until the deadline.
Task<bool> wait_for_replica(Loop& loop, Redis& replica, std::string text,
                            std::int64_t deadline_us) {
  constexpr std::int64_t kAskAgainUs = 10'000;
  for (;;) {
    const FoundLibrary found = co_await find_library(replica, text);
    if (found.state == LibraryState::same) co_return true;
    if (now_us() >= deadline_us) co_return false;
    co_await loop.until(now_us() + kAskAgainUs);
  }
}

std::vector<Row> load_functions(RedisSession& session, LoadNodes& nodes,
                                const std::vector<Script>& scripts, const LoadOptions& options) {
  const bool dry_run = options.dry_run;
  const std::string text = library_text(scripts);
  std::vector<std::string> states;
  std::vector<FoundLibrary> before;
  for (const LoadNode& node : nodes.reached) {
    before.push_back(session.run(find_library(*node.redis, text)));
    if (!dry_run && !options.replace) refuse_to_lose(functions_lost(before.back(), scripts));
  }
  if (!dry_run)
    for (std::size_t i = 0; i < before.size(); ++i)
      if (!nodes.reached[i].is_replica && before[i].state != LibraryState::same)
        session.run(load_library(*nodes.reached[i].redis, text));
  for (std::size_t i = 0; i < before.size(); ++i) {
    const LoadNode& node = nodes.reached[i];
    const std::int64_t deadline_us = now_us() + session.deployment().endpoint().timeout_us;
    const bool has_it =
        dry_run || !node.is_replica ||
        session.run(wait_for_replica(session.loop(), *node.redis, text, deadline_us));
    states.push_back(library_state(before[i].state, dry_run || !has_it));
  }
  std::vector<Row> rows;
  for (const Script& script : scripts)
    rows.push_back(
        {script.name, function_name(script), script.origin, joined_state(states, nodes)});
  return rows;
}

bool is_not_known(const Row& row) { return row.state.starts_with(kNotKnown); }

void print_rows(const std::vector<Row>& rows, const LoadNodes& nodes, const LoadOptions& options) {
  const char* called = options.function ? "function" : "sha1";
  if (!options.json) {
    Table table({{"name"}, {called}, {"in Redis"}});
    for (const Row& row : rows)
      table.add_row({escape_for_terminal(row.name), row.called, row.state});
    return print(table.text(columns_or(0)));
  }
  Json body;
  if (options.function) body["library"] = kLibraryName;
  body["nodes"] = nodes.reached.size();
  body["complete"] = nodes.unreached.empty() && std::ranges::none_of(rows, is_not_known);
  body["scripts"] = Json::array();
  for (const Row& row : rows) {
    Json script;
    put_bytes(script, "name", row.name);
    script[called] = row.called;
    put_bytes(script, "origin", row.origin);
    script["state"] = row.state;
    body["scripts"].push_back(std::move(script));
  }
  print_json("load", std::move(body));
}

Exit run_load(const LoadOptions& options) {
  const std::vector<Script> scripts = scripts_to_load(options);
  if (options.replace && !options.function)
    throw Error(Exit::usage, "--replace needs --function",
                "scripts in the cache stand beside each other: none is replaced");
  RedisSession session(options.redis, OnReplica::go_on);
  LoadNodes nodes = connect_all(session);
  const auto load = options.function ? load_functions : load_scripts;
  const std::vector<Row> rows = load(session, nodes, scripts, options);
  print_rows(rows, nodes, options);
  for (const std::string& problem : nodes.unreached)
    tell(std::string(options.dry_run ? "partial: not seen: " : "partial: not loaded: ") + problem);
  if (!nodes.unreached.empty()) return Exit::inconclusive;
  const bool complete =
      std::ranges::all_of(rows, [](const Row& row) { return row.state == kThere; });
  if (!options.dry_run || complete) return Exit::done;
  if (std::ranges::any_of(rows, is_not_known)) return Exit::inconclusive;
  std::string names;
  for (const std::string& name : options.names) names += " " + shell_word(name);
  tell(options.function ? "this Redis lacks the library, or has another version; to load it: " +
                              session.command("load --function" + names)
                        : "some scripts are missing in this Redis; to load them: " +
                              session.command("load" + names));
  return Exit::violated;
}

Action add_load_options(Options& app) {
  auto options = std::make_shared<LoadOptions>();
  app.add_option("name", options->names, "algorithms of `rlctl algos`, or files [all shipped]")
      .type_name("NAME|FILE.lua");
  app.add_flag("--dry-run", options->dry_run, "load nothing; exit 1 if one is missing");
  app.add_flag("--function", options->function,
               "load them as the function library `rlctl` (Redis 7)");
  app.add_flag("--replace", options->replace,
               "with --function: also remove the library's other functions");
  app.add_flag("--json", options->json, "print one JSON object");
  options->registry.add_to(app);
  options->redis.add_to(app, WithoutUrl::local);
  return [options] { return run_load(*options); };
}

}  // namespace

const Verb kLoadVerb{"load",
                     "Loads the algorithms into Redis; prints name, SHA-1 and whether it is new.",
                     "  rlctl load\n"
                     "  rlctl load sliding-list ./mine.lua --redis redis://10.0.0.5:6379\n"
                     "  rlctl load --dry-run\n"
                     "  rlctl load --function && redis-cli FUNCTION LIST",
                     add_load_options};

}  // namespace rlctl
