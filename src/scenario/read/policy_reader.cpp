#include <fmt/format.h>

#include "base/escape.h"
#include "base/units.h"
#include "scenario/read/keys.h"
#include "scenario/read/part_readers.h"

namespace rlctl {
namespace {

// Buckets keep limit × window in a Lua number, which is exact below 2^53.
constexpr std::int64_t kMostProduct = std::int64_t{1} << 53;

void read_limit(ObjectFields& fields, Policy& policy) {
  fields.require("limit", "set the admissions per window: \"limit\": 20");
  fields.require("window", "set the window: \"window\": \"60s\"");
  policy.limit = fields.count("limit", 1);
  policy.window_us = fields.positive_duration("window", 1'000'000);
  if (policy.window_us < kShortestWindowUs) {
    fields.complain("window", "the shortest window is 1ms");
    return;
  }
  if (policy.limit > kMostProduct / policy.window_us)
    fields.complain("limit",
                    fmt::format("{} per {} is too large for Lua", format_count(policy.limit),
                                format_duration(policy.window_us)),
                    "limit × window in µs must stay below 2^53: use a shorter window");
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
  if (spec.algorithm.find('/') != std::string::npos || spec.algorithm.ends_with(".lua"))
    fields.complain("algo", in_quotes(spec.algorithm) + " is a file, not an algorithm",
                    "write \"script\": \"FILE.lua\"");
  if (fields.has("algo") && fields.has("script"))
    fields.complain("script", "use \"algo\" or \"script\", not both", "remove one of them");
  for (const std::string& line : fields.texts("manifest")) spec.manifest += line + '\n';
  spec.run = fields.word("run", RunChoice::as_manifest);
  if (fields.has("contract")) spec.contract = fields.word("contract", ContractKind::none);
  spec.counts_denied = fields.boolean("counts_denied", false);
}

PolicySpec read_spec(const JsonMember& member, const std::string& pointer,
                     ScenarioContext& context) {
  ObjectFields fields(member.value, pointer, keys_of(ScenarioObject::policy), context.problems);
  PolicySpec spec;
  spec.name = member.name;
  spec.place = context.place_of(member.name_span);
  read_limiter(fields, spec, context);
  read_policy(fields, spec.policy);
  if (fields.has("tolerance")) spec.tolerance_us = fields.duration("tolerance", 0);
  if (spec.tolerance_us && *spec.tolerance_us >= spec.policy.window_us)
    fields.complain("tolerance", "the tolerance must be shorter than the window",
                    "use a few milliseconds");
  spec.allowed_false_denials = fields.share("allow_false_denials", 0);
  return spec;
}

}  // namespace

void read_policy(ObjectFields& fields, Policy& policy) {
  read_limit(fields, policy);
  fields.require("key", "set the key to count by: \"key\": \"ratelimit:ip:<ip>\"");
  read_key(fields, "key", policy.key);
  read_key(fields, "block_key", policy.block_key);
  policy.block_us = fields.positive_duration("block", 0);
  policy.capacity = fields.count("capacity", 0, {1, kMostCapacity});
  if (fields.has("block_key") && !fields.has("block"))
    fields.complain("block_key", "\"block_key\" needs \"block\"");
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
