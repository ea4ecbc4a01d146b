#include "cli/options/policy_options.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"
#include "cli/output/output.h"
#include "limiter/wrapper.h"
#include "policy/rules_text.h"

namespace rlctl {
namespace {

void require_some(const Rules& rules, const std::string& option) {
  if (rules.empty()) throw Error(Exit::usage, option + ": none is no policy", "for example 20/1m");
}

}  // namespace

void RegistryOptions::add_to(Options& app) {
  app.add_option(
         "--lua-dir", directories_,
         "a folder of *.lua files, which add to or replace the shipped ones; may be repeated")
      .type_name("DIR");
}

Registry RegistryOptions::registry() const {
  Registry registry;
  for (const std::string& directory : directories_) registry.add_directory(directory);
  return registry;
}

void LayoutOptions::add_to(Options& app) {
  app.add_option("--as", as_, "the library that wrote the keys [by their names]")
      .type_name("LAYOUT");
  app.add_option(
         "--layouts", files_,
         "a file with more layouts, such as those of rlctl algos --known-keys; may be repeated")
      .type_name("FILE");
}

Layouts LayoutOptions::layouts() const {
  Layouts layouts;
  for (const std::string& file : files_) layouts.add_file(file);
  if (!as_.empty()) layouts.use_only(as_);
  return layouts;
}

void RunOption::add_to(Options& app) {
  app.add_option(
         "--run", place_,
         "server: one atomic step in Redis; client: each redis.call is a round trip [as in the "
         "manifest]")
      .one_of(all_words<RunPlace>());
}

Script RunOption::placed(Script script) const {
  if (place_.empty()) return script;
  return run_at(std::move(script), *meaning_of<RunPlace>(place_));
}

void PolicyOptions::add_rules_to(Options& app, const std::string& shown_default) {
  app.add_option("--policy", rules_,
                 "what must hold: 100/1m, '100/1m fixed', '100/1m first-hit', 'bucket 20 + 10/1s', "
                 "'5 in flight', or several, joined by &" +
                     shown_default)
      .type_name("RULES");
  app.add_option("--limit", limit_, "with --window, short for --policy LIMIT/WINDOW")
      .type_name("N");
  app.add_option("--window", window_, "length of the window, such as 60s or 1m30s")
      .type_name("DURATION");
}

void PolicyOptions::add_optional_to(Options& app) { add_rules_to(app, ""); }

void PolicyOptions::add_for_logs_to(Options& app) {
  add_rules_to(app, " [from the log's header]");
  add_block_to(app);
}

void PolicyOptions::add_to(Options& app, const std::string& shown_default) {
  add_rules_to(app, " [" + shown_default + "]");
  add_block_to(app);
  app.add_option("--block-key", block_key_,
                 "the key of the block flag [<key>:blocked; a suffix such as :minute is replaced]")
      .type_name("KEY");
}

void PolicyOptions::add_block_to(Options& app) {
  app.add_option("--block", block_,
                 "after a denial, deny everything for this long: short for ', block 60s' in the "
                 "policy")
      .type_name("DURATION");
}

bool PolicyOptions::given() const {
  return !(rules_ + limit_ + window_ + block_ + block_key_).empty();
}

Rules PolicyOptions::short_form(const Rule& missing) const {
  const bool no_limit = limit_.empty() && missing.limit == 0;
  const bool no_window = window_.empty() && missing.window_us == 0;
  if (no_limit || no_window)
    throw Error(Exit::usage,
                no_limit && no_window ? "the policy is missing"
                : no_limit            ? "--limit is missing"
                                      : "--window is missing",
                "add --policy 20/1m, or --limit 20 --window 60s");
  Rule rule = missing;
  if (!limit_.empty()) rule.limit = parse_count(limit_, "--limit", 0);
  if (!window_.empty()) rule.window_us = parse_positive_duration_us(window_, "--window");
  return {rule};
}

Rules PolicyOptions::rules_or(const Rule& missing) const {
  if (!rules_.empty() && !(limit_ + window_).empty())
    throw Error(Exit::usage, "use --policy, or --limit and --window, not both");
  Rules rules = rules_.empty() ? short_form(missing) : parse_rules(rules_, "--policy");
  require_some(rules, "--policy");
  if (!block_.empty() && !rules.front().has_window())
    throw Error(Exit::usage, "--block: a rule without a window has no block", "remove --block");
  if (!block_.empty()) rules.front().block_us = parse_positive_duration_us(block_, "--block");
  return rules;
}

Policy PolicyOptions::policy_or(const Rule& missing) const {
  Rules rules = rules_or(missing);
  require_usable(rules, rules_.empty() ? "--limit" : "--policy");
  Policy policy = policy_of(std::move(rules));
  policy.block_key = block_key_;
  return policy;
}

void tell_first_rule(const Rules& rules) {
  if (rules.size() < 2) return;
  tell("note: the script is given the first rule only, " + rules_text({rules.front()}) +
       ": the others are not enforced (simulate, run and bench judge them)");
}

void tell_other_promise(const Script& script, const Policy& policy, const Registry& registry) {
  Rule asked = policy.rules.front();
  asked.per.clear();  // a script counts by the key that it is given
  const auto keeps = [&](const Rules& promised) { return std::ranges::count(promised, asked) > 0; };
  const Rules promised = script.manifest.promises(policy.numbers());
  if (promised.empty() || keeps(promised)) return;
  const std::string fitting = asked.row().algorithm;
  const bool is_kept = keeps(registry.find(fitting).manifest.promises(policy.numbers()));
  tell("note: " + escape_for_terminal(script.name) + " promises " +
       in_quotes(rules_text(promised)) + ", not " + in_quotes(rules_text({asked})) +
       (is_kept ? "; " + fitting + " promises that" : ""));
}

void require_usable(const Rules& rules, const std::string& option) {
  require_some(rules, option);
  for (const Rule& rule : rules)
    if (const auto problem = unusable(rule))
      throw Error(Exit::usage, option + ": " + problem->what(), problem->hint());
}

void require_windows(const Rules& rules, const std::string& verb) {
  for (const Rule& rule : rules)
    if (!rule.has_window())
      throw Error(Exit::usage,
                  verb + " needs rules with a window, not " + in_quotes(rules_text({rule})),
                  "simulate, run and verify judge it");
}

Policy PolicyOptions::optional_policy() const { return given() ? policy() : Policy(); }

}  // namespace rlctl
