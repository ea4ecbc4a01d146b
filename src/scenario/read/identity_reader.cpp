#include <fmt/format.h>

#include "arrivals/identity_set.h"
#include "base/escape.h"
#include "base/host_address.h"
#include "base/units.h"
#include "scenario/read/keys.h"
#include "scenario/read/part_readers.h"

namespace rlctl {
namespace {

void read_file(ObjectFields& fields, IdentitySpec& spec, ScenarioContext& context) {
  for (const char* other : {"ip", "user", "count"})
    if (fields.has(other)) fields.complain(other, "can't be combined with \"file\"");
  const std::string path = context.path_of(fields, "file");
  if (path.empty()) return;
  try {
    spec.listed = parse_identity_csv(context.files.read(path));
    spec.count = static_cast<std::int64_t>(spec.listed.size());
  } catch (const Error& error) {
    fields.complain("file", error.what(), error.hint());
  }
}

void read_templates(ObjectFields& fields, IdentitySpec& spec) {
  spec.ip = fields.text("ip");
  spec.user = fields.text("user");
  const bool numbered = spec.user.find("<n>") != std::string::npos;
  const std::int64_t count = fields.count("count", 1, {1, kMostIdentities});
  spec.count = count;
  if (const auto problem = template_problem(spec.user))
    fields.complain("user", problem->what(), problem->hint());
  if (spec.user.find("<user>") != std::string::npos || spec.user.find("<ip>") != std::string::npos)
    fields.complain("user", "only <n> can be used here", "write \"u<n>\"");
  if (spec.ip.empty()) return;
  const auto network = parse_host_network(spec.ip);
  if (!network)
    return fields.complain("ip", in_quotes(spec.ip) + " is neither an address nor a network",
                           "write 203.0.113.7, 10.0.0.0/16 or fd00::/64, without host bits");
  if (network->hosts() > 1 && !fields.has("count"))
    return fields.complain("ip", "is a network, but \"count\" does not say how many clients",
                           "add \"count\": 100, for example");
  if (count > network->hosts() && network->hosts() > 1 && !numbered)
    fields.complain(
        "count", fmt::format("{} has only {} addresses", spec.ip, format_count(network->hosts())),
        "use a larger network, or distinguish clients by \"user\": \"u<n>\"");
}

void read_pick(ObjectFields& fields, IdentitySpec& spec) {
  spec.pick = fields.word("pick", Pick::round_robin);
  spec.skew = fields.decimal("skew", 1, 0, 10);
  if (fields.has("skew") && spec.pick != Pick::zipf)
    fields.complain("skew", "has no effect without \"pick\": \"zipf\"");
}

}  // namespace

void read_identities(const JsonValue& value, const std::string& pointer, ScenarioContext& context) {
  if (value.kind != JsonKind::object) {
    context.problems.add(value.span, pointer,
                         fmt::format("expected an object, not {}", name_of(value.kind)),
                         R"(clients by name: {"bot": {"ip": "203.0.113.7"}})");
    return;
  }
  for (const JsonMember& member : value.members) {
    const std::string inner = pointer_to(pointer, member.name);
    context.check_name(member.name, member.name_span, inner);
    ObjectFields fields(member.value, inner, keys_of(ScenarioObject::identity), context.problems);
    IdentitySpec spec;
    spec.name = member.name;
    spec.place = context.place_of(member.name_span);
    if (fields.has("file")) {
      read_file(fields, spec, context);
    } else {
      read_templates(fields, spec);
    }
    read_pick(fields, spec);
    context.scenario.identities.push_back(std::move(spec));
  }
}

}  // namespace rlctl
