#include <fmt/format.h>

#include "base/escape.h"
#include "base/text.h"
#include "base/units.h"
#include "scenario/read/keys.h"
#include "scenario/read/part_readers.h"

namespace rlctl {
namespace {

// Rules as text in the grammar. A mistake is underlined where it is in the text.
std::optional<Rules> read_rules_text(ObjectFields& fields, const char* name,
                                     const std::optional<RuleNumbers>& names = {}) {
  const std::string text = fields.text(name);
  if (!fields.has(name) || fields.find(name)->kind != JsonKind::string) return std::nullopt;
  TextMistake mistake;
  auto rules = read_rules(text, mistake, names);
  if (!rules) fields.complain_in_text(name, mistake);
  return rules;
}

// "limit" and "window": the short form of one rule.
Rules read_short_form(ObjectFields& fields) {
  fields.require("limit", "set the rules: \"rules\": \"20/1m\"");
  fields.require("window", "set the window: \"window\": \"60s\"");
  Rule rule;
  rule.limit = fields.count("limit", 1);
  rule.window_us = fields.positive_duration("window", 1'000'000);
  return {rule};
}

Rules read_wanted(ObjectFields& fields) {
  if (!fields.has("rules")) return read_short_form(fields);
  for (const char* name : {"limit", "window", "block"})
    if (fields.has(name))
      fields.complain(name, "the rules say this", "remove it, or remove \"rules\"");
  const Rules any{Rule{.limit = 1, .window_us = 1'000'000}};
  const Rules rules = read_rules_text(fields, "rules").value_or(any);
  if (rules.empty()) fields.complain("rules", "none is no policy", "for example \"20/1m\"");
  return rules.empty() ? any : rules;
}

void read_key(ObjectFields& fields, const char* name, std::string& key) {
  key = fields.text(name);
  if (fields.has(name) && key.empty() && fields.find(name)->kind == JsonKind::string)
    fields.complain(name, "the key is empty");
  if (const auto problem = template_problem(key))
    fields.complain(name, problem->what(), problem->hint());
}

void read_limiter(ObjectFields& fields, PolicySpec& spec, const ScenarioContext& context) {
  spec.algorithm = fields.text("algo");
  if (fields.has("script")) spec.script = context.path_of(fields, "script");
  spec.is_command = fields.has("command");
  if (spec.algorithm.find('/') != std::string::npos || spec.algorithm.ends_with(".lua"))
    fields.complain("algo", in_quotes(spec.algorithm) + " is a file, not an algorithm",
                    "write \"script\": \"FILE.lua\"");
  if (fields.has("algo") && fields.has("script"))
    fields.complain("script", "use \"algo\" or \"script\", not both", "remove one of them");
  if (fields.has("command") && (fields.has("algo") || fields.has("script")))
    fields.complain("command", "use a script or a command, not both", "remove one of them");
  if (fields.has("as") && !fields.has("script"))
    fields.complain("as", "\"as\" says which library wrote a script", "add \"script\"");
  spec.manifest = read_manifest(fields);
  spec.run = fields.word("run", RunChoice::as_manifest);
}

void read_targets(ObjectFields& fields, PolicySpec& spec, ScenarioContext& context) {
  spec.route = read_route(fields, context);
  const JsonValue* route = fields.find("route");
  if (fields.has("targets") && route != nullptr && route->find("url") != nullptr)
    fields.complain("targets", "the route has a \"url\" too", "remove one of them");
  spec.targets = fields.texts("targets");
  spec.spread = fields.word("spread", TargetSpread::round);
  if (fields.has("targets") && spec.targets.empty())
    fields.complain("targets", "the list is empty; add a URL");
  if (fields.has("spread") && spec.targets.size() < 2)
    fields.complain("spread", "\"spread\" needs several targets", "add \"targets\"");
  const TargetSpec& target = spec.route ? *spec.route : context.scenario.target;
  for (const std::string& url : spec.targets) check_url(fields, "targets", url, target, context);
  if (const auto problem = unusable_targets(spec.targets))
    fields.complain("targets", problem->what(), problem->hint());
}

void read_wait(ObjectFields& fields, PolicySpec& spec) {
  spec.wait.replicas = fields.count("wait", 0, {1, 1'000});
  if (fields.has("wait_timeout") && !fields.has("wait"))
    fields.complain("wait_timeout", "nobody waits", "add \"wait\": 1");
  spec.wait.timeout_us = fields.positive_duration("wait_timeout", spec.wait.timeout_us);
}

PolicySpec read_spec(const JsonMember& member, const std::string& pointer,
                     ScenarioContext& context) {
  ObjectFields fields(member.value, pointer, keys_of(ScenarioObject::policy), context.problems);
  PolicySpec spec;
  spec.name = member.name;
  spec.place = context.place_of(member.name_span);
  read_limiter(fields, spec, context);
  read_policy(fields, spec.policy);
  spec.contract = read_rules_text(fields, "contract", spec.policy.numbers());
  spec.tell_limiter();
  if (fields.has("tolerance")) spec.tolerance_us = fields.duration("tolerance", 0);
  if (spec.tolerance_us && *spec.tolerance_us >= spec.policy.window_us)
    fields.complain("tolerance", "the tolerance must be shorter than the window",
                    "use a few milliseconds");
  spec.fresh = fields.boolean("fresh", false);
  spec.held_at_least_us = fields.duration("held_at_least", 0);
  if (fields.has("max_inflight")) spec.max_inflight_us = fields.duration("max_inflight", 0);
  read_wait(fields, spec);
  read_targets(fields, spec, context);
  spec.allowed_false_denials = fields.share("allow_false_denials", 0);
  return spec;
}

}  // namespace

std::string read_manifest(ObjectFields& fields) {
  std::string lines;
  for (const std::string& line : fields.texts("manifest")) lines += line + '\n';
  if (fields.has("command") && trimmed(fields.text("command"), kBlanksAndLineEnds).empty())
    fields.complain("command", "the command is empty",
                    "for example: CL.THROTTLE <key> 99 100 60 1");
  else if (fields.has("command"))
    lines += "command = " + one_line(fields.text("command")) + '\n';
  if (const std::string library = fields.text("as"); !library.empty())
    lines += "as = " + one_line(library) + '\n';
  if (const std::string allowed = fields.text("allowed"); !allowed.empty())
    lines += "reply = allowed = " + one_line(allowed) + '\n';
  if (fields.has("allowed") && !fields.has("command"))
    fields.complain("allowed", "\"allowed\" says what the reply of a command means",
                    "add \"command\"");
  return lines;
}

Rules read_policy_rules(ObjectFields& fields) {
  Rules rules = read_wanted(fields);
  const std::int64_t block_us = fields.positive_duration("block", 0);
  if (block_us > 0) rules.front().block_us = block_us;
  for (const Rule& rule : rules)
    if (const auto problem = unusable(rule)) {
      const char* member =
          rule.has_window() && rule.window_us < kShortestWindowUs ? "window" : "limit";
      fields.complain(fields.has("rules") ? "rules" : member, problem->what(), problem->hint());
    }
  return rules;
}

void read_policy(ObjectFields& fields, Policy& policy) {
  policy = policy_of(read_policy_rules(fields));
  fields.require("key", "set the key to count by: \"key\": \"ratelimit:ip:<ip>\"");
  read_key(fields, "key", policy.key);
  read_key(fields, "block_key", policy.block_key);
  if (fields.has("block_key") && policy.block_us == 0)
    fields.complain("block_key", "\"block_key\" needs a block",
                    "add \"block\", or ', block 60s' to the rules");
}

void read_policies(const JsonValue& value, const std::string& pointer, ScenarioContext& context) {
  if (value.kind != JsonKind::object) {
    context.problems.add(
        value.span, pointer, fmt::format("expected an object, not {}", name_of(value.kind)),
        "write policies by name: {\"api\": {\"algo\": …, \"limit\": …, \"window\": …}}");
    return;
  }
  if (value.members.empty())
    context.problems.add(value.span, pointer, "there is no policy to test");
  for (const JsonMember& member : value.members) {
    const std::string inner = pointer_to(pointer, member.name);
    context.check_name(member.name, member.name_span, inner);
    context.scenario.policies.push_back(read_spec(member, inner, context));
  }
}

}  // namespace rlctl
