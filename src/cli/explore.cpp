// rlctl explore: tries every interleaving of a few clients.
#include "run/explore/explore.h"

#include <algorithm>

#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "base/words.h"
#include "cli/options/policy_options.h"
#include "cli/output/document.h"
#include "cli/output/progress.h"
#include "cli/verb.h"
#include "limiter/shipped/layout_call.h"
#include "limiter/wrapper.h"
#include "report/documents.h"
#include "report/explore_text.h"
#include "run/explore/confirm.h"

namespace rlctl {
namespace {

struct ExploreOptions {
  RegistryOptions registry;
  PolicyOptions policy;
  std::string limiter;
  std::string manifest;
  std::string as;
  std::string run;
  std::string users;
  std::string key = "api:u1";
  std::string contract;
  std::string events;
  std::string time_steps;
  std::string clock_spread;
  std::string replay;
  std::string most_states = "300000";
  std::string random = "10000";
  std::string depth = "3";
  std::string seed = "1";
  std::string server_program;
  bool no_false_denials = false;
  bool json = false;
  bool quiet = false;
};

Script chosen_script(const ExploreOptions& options, const Policy& policy) {
  Script script = options.registry.registry().find(
      options.limiter,
      options.manifest + (options.as.empty() ? "" : "\nas = " + one_line(options.as)));
  if (!options.run.empty()) {
    script.manifest.run = *meaning_of<RunPlace>(options.run);
    if (script.finish && !script.finish->manifest.is_command()) {
      Script finish = *script.finish;
      finish.manifest.run = script.manifest.run;
      script.finish = std::make_shared<const Script>(std::move(finish));
    }
  }
  return policy.block_us > 0 ? with_block(std::move(script)) : script;
}

// With --contract. A block changes the limiter, and is no part of what the numbers stand for.
Rules given_contract(const ExploreOptions& options, const Policy& policy) {
  if (options.contract.empty()) return {};
  RuleNumbers numbers = policy.numbers();
  numbers.block_us = 0;
  return parse_rules(options.contract, "--contract", numbers);
}

void require_finish(const Rules& rules, const Script& script) {
  for (const Rule& rule : rules)
    if (!rule.has_window() && !script.finish)
      throw Error(
          Exit::usage,
          "explore: " + in_quotes(rules_text({rule})) +
              " is about what clients hold until they finish, and this script has no finish",
          "name the script that gives it back: -- rlctl: finish = release.lua");
}

// `letter`: that of its step in a schedule.
struct NamedEvent {
  const char* name;
  char letter;
  bool ExploreEvents::*happens;
};
constexpr NamedEvent kNamedEvents[] = {{"crash", 'c', &ExploreEvents::crash},
                                       {"expiry", 'e', &ExploreEvents::expiry},
                                       {"forget", 'f', &ExploreEvents::forget}};
constexpr const char* kNoEvent = "none";

std::vector<std::string> event_names() {
  std::vector<std::string> names;
  for (const NamedEvent& event : kNamedEvents) names.emplace_back(event.name);
  names.emplace_back(kNoEvent);
  return names;
}

void add_event(const std::string& name, ExploreEvents& events) {
  const auto* const event = std::ranges::find(kNamedEvents, name, &NamedEvent::name);
  if (event == std::end(kNamedEvents))
    throw Error(Exit::usage, "--events: there is no event " + in_quotes(name),
                "write " + joined(event_names(), " or "));
  events.*event->happens = true;
}

void add_named_events(const std::string& text, ExploreEvents& events) {
  const std::vector<std::string> names = split(text, ',');
  if (names == std::vector<std::string>{kNoEvent}) return;
  if (std::ranges::find(names, kNoEvent) != names.end())
    throw Error(Exit::usage, "--events: none and others contradict each other",
                "write none alone, or leave it out");
  for (const std::string& name : names) add_event(name, events);
}

// The steps of a --replay schedule show which events it contains.
ExploreEvents chosen_events(const ExploreOptions& options, const Script& script) {
  ExploreEvents events;
  add_named_events(options.events, events);
  if (options.events.empty())
    events.crash = script.manifest.run == RunPlace::client || script.finish != nullptr;
  for (const NamedEvent& event : kNamedEvents)
    if (options.replay.find(event.letter) != std::string::npos) events.*event.happens = true;
  for (const std::string& step : split(options.time_steps, ','))
    events.time_steps_us.push_back(parse_positive_duration_us(step, "--time-steps"));
  if (events.time_steps_us.size() > 16)
    throw Error(Exit::usage, "--time-steps: there are more than 16", "keep only those that matter");
  return events;
}

std::int64_t parse_bounded(const std::string& text, const char* field, std::int64_t least,
                           std::int64_t most) {
  const std::int64_t count = text == "0" ? 0 : parse_count(text, field);
  if (count < least || count > most)
    throw Error(Exit::usage, std::string(field) + ": " + in_quotes(text) + " is out of range",
                "use " + format_count(least) + " to " + format_count(most));
  return count;
}

ExplorePlan explore_plan(const ExploreOptions& options) {
  ExplorePlan plan;
  plan.policy = options.policy.policy_or({.limit = 2, .window_us = kMinuteUs});
  plan.script = chosen_script(options, plan.policy);
  plan.events = chosen_events(options, plan.script);
  plan.judged = judged_rules(given_contract(options, plan.policy),
                             plan.script.manifest.promises(plan.policy.numbers()),
                             plan.policy.rules, plan.events.let_time_pass());
  require_finish(plan.judged.rules, plan.script);
  require_finish(plan.policy.rules, plan.script);
  if (options.key.empty())
    throw Error(Exit::usage, "--key: the key is empty", "check that your shell variable is set");
  plan.key = options.key;
  plan.clients = options.users.empty()
                     ? usual_clients(plan)
                     : static_cast<std::size_t>(parse_bounded(options.users, "--users", 1,
                                                              std::int64_t{kMostExploredClients}));
  plan.most_states =
      static_cast<std::size_t>(parse_bounded(options.most_states, "--most-states", 1, 100'000'000));
  plan.random_schedules =
      static_cast<std::uint64_t>(parse_bounded(options.random, "--random", 0, 1'000'000'000));
  plan.depth = static_cast<int>(parse_bounded(options.depth, "--depth", 1, 10));
  plan.seed = static_cast<std::uint64_t>(parse_bounded(options.seed, "--seed", 0, INT64_MAX));
  if (!options.clock_spread.empty())
    plan.clock_spread_us = parse_positive_duration_us(options.clock_spread, "--clock-spread");
  plan.deny_is_violation = options.no_false_denials;
  plan.replay = options.replay;
  return plan;
}

// The command that repeats this exploration; --replay is appended to it.
std::string command_of(const ExploreOptions& options, const ExplorePlan& plan) {
  std::string text = "rlctl explore " + shell_word(options.limiter);
  const auto add = [&text](const char* name, const std::string& value) {
    if (!value.empty()) text += std::string(" ") + name + " " + shell_word(value);
  };
  add("--users", std::to_string(plan.clients));
  add("--policy", rules_text(plan.policy.rules));
  add("--as", options.as);
  add("--manifest", options.manifest);
  add("--run", options.run);
  add("--contract", options.contract);
  add("--time-steps", options.time_steps);
  add("--clock-spread", options.clock_spread);
  if (options.key != ExploreOptions().key) add("--key", options.key);
  if (options.no_false_denials) text += " --no-false-denials";
  return text;
}

Exit run_explore(const ExploreOptions& options) {
  ExplorePlan plan = explore_plan(options);
  ExploreConfirmer confirmer(options.server_program);
  ExploreResult result;
  {
    Progress progress(!options.quiet);
    plan.watcher = progress.watcher();
    result = explore(plan,
                     [&](const ExploreRules& rules, StepProgram& program, ExploreViolation& found) {
                       confirmer.confirm(rules, program, plan.script, plan.policy, found);
                     });
  }
  result.server = confirmer.server();
  result.command = command_of(options, plan);
  if (options.json)
    print_document(document_of(result));
  else
    print(fitted(explore_text(result, columns_or(0))));
  return row_of(result.verdict).exit;
}

void add_search_options(Options& app, ExploreOptions& options) {
  app.add_option("--most-states", options.most_states,
                 "maximum number of states per pass; the search is partial beyond it [300000]")
      .type_name("N");
  app.add_option("--random", options.random,
                 "number of random schedules (PCT) after a partial search [10000]")
      .type_name("N");
  app.add_option("--depth", options.depth,
                 "the most orderings of two steps that a race needs to be looked for at random [3]")
      .type_name("N");
  app.add_option("--seed", options.seed, "seed of the random schedules [1]").type_name("N");
  app.add_option("--replay", options.replay, "replay only this schedule, such as 0,1,0,1")
      .type_name("STEPS");
}

Action add_explore_options(Options& app) {
  auto options = std::make_shared<ExploreOptions>();
  app.add_option("limiter", options->limiter, "an algorithm of `rlctl algos`, or a file")
      .required()
      .type_name("NAME|FILE.lua");
  app.add_option(
         "--users", options->users,
         "number of concurrent clients, one request each [3; if more test more rules: up to 4, or "
         "6 if a decision is one step]")
      .type_name("N");
  app.add_option("--run", options->run,
                 "client: each command is a step; server: the script is one atomic step [as in the "
                 "manifest]")
      .one_of(all_words<RunPlace>());
  app.add_option("--events", options->events,
                 "events that can happen once each between steps: crash, expiry, forget, or none "
                 "[crash if clients run the script or finish their work, otherwise none]")
      .type_name("NAMES")
      .such_as(event_names());
  app.add_option("--time-steps", options->time_steps,
                 "times that can pass between steps, in this order: 500ms,1s")
      .type_name("DURATIONS");
  app.add_option("--clock-spread", options->clock_spread,
                 "how far each client's clock is ahead of the previous client's [0]")
      .type_name("DURATION");
  app.add_option(
         "--contract", options->contract,
         "the rules to check; may name limit, window and capacity [the script's and those of "
         "the policy after its first, else the policy]")
      .type_name("RULES");
  app.add_flag("--no-false-denials", options->no_false_denials,
               "report a denial below the limit as a violation too");
  app.add_option("--key", options->key, "the limiter's key [api:u1]").type_name("KEY");
  app.add_option(
         "--as", options->as,
         "the file is the script of this library, unchanged: " + joined(layouts_with_call()))
      .type_name("LAYOUT")
      .such_as(layouts_with_call());
  app.add_option("--manifest", options->manifest, "manifest lines: 'reply = allowed'")
      .type_name("TEXT");
  app.add_option("--redis-server", options->server_program,
                 "the server program that confirms violations [found on PATH]")
      .type_name("FILE");
  app.add_flag("--json", options->json, "print one JSON object");
  app.add_flag("--quiet", options->quiet, "no progress line");
  options->policy.add_to(app, "2/1m; the script's contract stands in for the first rule");
  options->registry.add_to(app);
  add_search_options(app, *options);
  return [options] { return run_explore(*options); };
}

}  // namespace

const Verb kExploreVerb{
    "explore", "Tries every interleaving of a few clients; exit 1 if one breaks the limit.",
    "  rlctl explore check-then-add --users 3 --limit 2\n"
    "  rlctl explore mine.lua --run client --events crash,expiry --time-steps 30s",
    add_explore_options};

}  // namespace rlctl
