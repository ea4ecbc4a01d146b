#include <fmt/format.h>

#include "scenario/read/keys.h"
#include "scenario/read/part_readers.h"

namespace rlctl {
namespace {

bool takes_down(FaultKind kind) {
  return kind == FaultKind::redis_restart || kind == FaultKind::redis_pause;
}

void refuse_strangers(ObjectFields& fields, FaultKind kind) {
  const auto refuse = [&](const char* name, bool takes) {
    if (fields.has(name) && !takes)
      fields.complain(name, fmt::format("has no effect with \"{}\"", name_of(kind)));
  };
  refuse("down", takes_down(kind));
  refuse("by", kind == FaultKind::clock_skew);
  refuse("steps", kind == FaultKind::client_crash);
}

}  // namespace

void read_faults(const JsonValue& value, const std::string& pointer, ScenarioContext& context) {
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    ObjectFields fields(value.items[i], pointer_to(pointer, i), keys_of(ScenarioObject::fault),
                        context.problems);
    Fault fault;
    fault.place = context.place_of(fields.span());
    fields.require("at", "when it happens: \"mixed+10s\", or \"10s\" after the start");
    fields.require("do", one_of(all_words<FaultKind>()));
    fault.at = read_moment(fields, "at", context.scenario.phases);
    const std::size_t wrong_before = context.problems.size();
    fault.kind = fields.word("do", FaultKind::script_flush);
    if (context.problems.size() == wrong_before && fields.has("do"))
      refuse_strangers(fields, fault.kind);
    if (takes_down(fault.kind)) fields.require("down", "how long Redis is down: \"down\": \"2s\"");
    if (fault.kind == FaultKind::clock_skew)
      fields.require("by", "how far the clock jumps: \"by\": \"+1500ms\"");
    fault.down_us = fields.positive_duration("down", 0);
    fault.by_us = fields.signed_duration("by", 0);
    fault.steps = fields.count("steps", 1, {1, 1'000});
    context.scenario.faults.push_back(fault);
  }
}

}  // namespace rlctl
