#include "scenario/read/fault_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "scenario/read/keys.h"
#include "scenario/read/part_readers.h"

namespace rlctl {
namespace {

// The members that only some kinds take.
constexpr const char* kOwnMembers[] = {"down", "by", "steps", "jitter", "how"};

void check_members(ObjectFields& fields, const FaultRow& row) {
  for (const std::string_view member : kOwnMembers)
    if (fields.has(member) && !row.does_take(member))
      fields.complain(member, fmt::format("has no effect with \"{}\"", row.name));
}

void read_by(ObjectFields& fields, Fault& fault) {
  const std::size_t wrong_before = fields.problems().size();
  fault.by_us = fields.signed_duration("by", 0);
  fault.jitter_us = fields.duration("jitter", 0);
  const bool is_taken = fault.row().does_take("by") && fields.has("by");
  if (!is_taken || fields.problems().size() != wrong_before) return;
  if (fault.row().by_proxy && fault.by_us < 0)
    fields.complain("by", "nothing arrives before it was sent", "write a time without a sign");
  if (fault.by_us == 0 && fault.jitter_us == 0)
    fields.complain("by", "a time of 0 changes nothing", "write a longer one");
}

Fault read_fault(ObjectFields& fields, std::span<const Phase> phases) {
  Fault fault;
  fields.require("at", "when it happens: \"mixed+10s\", or \"10s\" after the start");
  fields.require("do", one_of(all_words<FaultKind>()));
  fault.at = read_moment(fields, "at", phases);
  const std::size_t wrong_before = fields.problems().size();
  fault.kind = fields.word("do", FaultKind::script_flush);
  const FaultRow& row = fault.row();
  if (fields.problems().size() == wrong_before && fields.has("do")) check_members(fields, row);
  for (const FaultMember& member : row.takes)
    if (*member.required != 0) fields.require(member.name, member.required);
  fault.down_us = fields.positive_duration("down", 0);
  read_by(fields, fault);
  fault.steps = fields.count("steps", 1, {1, 1'000});
  fault.how = fields.word("how", TakeOver::graceful);
  if (fault.kind == FaultKind::failover && fault.how == TakeOver::graceful && fault.down_us > 0)
    fields.complain("down", "a graceful failover waits until the replica has heard everything",
                    R"(write "how": "takeover")");
  return fault;
}

JsonMember member_of(std::string_view name, std::string_view value, JsonKind kind) {
  JsonMember member{std::string(name), {}, {}};
  member.value.kind = kind;
  member.value.text = value;
  return member;
}

// The same object that a scenario file has, so that both are read by the same rules. Removes what
// it takes from the text: a value too many remains.
JsonValue fault_object(std::string_view& text) {
  JsonValue object;
  object.kind = JsonKind::object;
  const std::string_view kind = take_until(text, '@');
  object.members.push_back(member_of("do", kind, JsonKind::string));
  const std::string_view at = take_until(text, ':');
  if (!at.empty()) object.members.push_back(member_of("at", at, JsonKind::string));
  const std::optional<FaultKind> known = meaning_of<FaultKind>(kind);
  if (!known) return object;
  for (const FaultMember& member : row_of(*known).takes) {
    if (text.empty() || *member.name == 0) break;
    const std::string_view value = take_until(text, ':');
    const bool is_count =
        member.name == std::string_view("steps") && !value.empty() && is_digit(value.front());
    object.members.push_back(
        member_of(member.name, value, is_count ? JsonKind::number : JsonKind::string));
  }
  return object;
}

// Of a value that has no name on the command line.
std::string problem_in_words(const SourceProblem& problem, const Fault& fault) {
  const std::string member = problem.pointer.substr(problem.pointer.empty() ? 0 : 1);
  const bool is_value = !member.empty() && fault.row().does_take(member);
  return is_value ? member + ": " + problem.what : problem.what;
}

}  // namespace

std::string fault_form(const FaultRow& row) {
  std::string text = fmt::format("{}@TIME", row.name);
  for (const FaultMember& member : row.takes) {
    const char* shown = *member.values != 0 ? member.values : member.name;
    if (*member.name != 0)
      text += *member.required != 0 ? fmt::format(":{}", shown) : fmt::format("[:{}]", shown);
  }
  return text;
}

Fault parse_fault(std::string_view text, std::string_view where) {
  std::vector<SourceProblem> list;
  SourceProblems problems(list);
  std::string_view surplus = text;
  const JsonValue object = fault_object(surplus);
  ObjectFields fields(object, "", keys_of(ScenarioObject::fault), problems);
  const Fault fault = read_fault(fields, {});
  const bool is_known = fields.has("do") && meaning_of<FaultKind>(fields.text("do"));
  if (is_known && !surplus.empty())
    problems.add({}, "",
                 fmt::format("{} has no effect with \"{}\"", in_quotes(surplus), fault.row().name));
  if (list.empty()) return fault;
  const std::string hint = is_known ? "write " + fault_form(fault.row())
                                    : "the kinds are " + joined(all_words<FaultKind>());
  throw Error(
      Exit::usage,
      fmt::format("{} {}: {}", where, in_quotes(text), problem_in_words(list.front(), fault)),
      hint);
}

void read_faults(const JsonValue& value, const std::string& pointer, ScenarioContext& context) {
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    ObjectFields fields(value.items[i], pointer_to(pointer, i), keys_of(ScenarioObject::fault),
                        context.problems);
    Fault fault = read_fault(fields, context.scenario.phases);
    fault.place = context.place_of(fields.span());
    context.scenario.faults.push_back(fault);
  }
}

}  // namespace rlctl
