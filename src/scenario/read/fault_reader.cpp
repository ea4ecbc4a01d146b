#include <fmt/format.h>

#include <string_view>

#include "scenario/read/keys.h"
#include "scenario/read/part_readers.h"

namespace rlctl {
namespace {

// The members that only some kinds take.
constexpr const char* kOwnMembers[] = {"down", "by", "steps"};

void check_members(ObjectFields& fields, const FaultRow& row) {
  for (const std::string_view member : kOwnMembers)
    if (fields.has(member) && member != row.takes)
      fields.complain(member, fmt::format("has no effect with \"{}\"", row.name));
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
    const FaultRow& row = fault.row();
    if (context.problems.size() == wrong_before && fields.has("do")) check_members(fields, row);
    if (*row.required != 0) fields.require(row.takes, row.required);
    fault.down_us = fields.positive_duration("down", 0);
    fault.by_us = fields.signed_duration("by", 0);
    fault.steps = fields.count("steps", 1, {1, 1'000});
    context.scenario.faults.push_back(fault);
  }
}

}  // namespace rlctl
