#include "result/explore_document.h"

#include "scenario/scenario.h"
#include "verdict/outcome/explore_result.h"

namespace rlctl {
namespace {

void describe_count(Fields& fields, const Member& member, ScheduleCountDocument& count) {
  fields.count_or_digits(member, count.count, count.digits);
}

void describe_counts(Fields& fields, ScheduleCountsDocument& counts) {
  describe_count(fields, {"schedules"}, counts.schedules);
  describe_count(fields, {"violating", "too many were admitted"}, counts.violating);
  describe_count(fields, {"refusing", "fewer were admitted than there was room for"},
                 counts.refusing);
  describe_count(fields, {"littering", "a key without expiry stays"}, counts.littering);
  describe_count(fields, {"leaking", "what a client was given is never given back"},
                 counts.leaking);
}

}  // namespace

void describe(Fields& fields, ScheduleCountsDocument& counts) { describe_counts(fields, counts); }

void describe(Fields& fields, RaceDepthDocument& depth) {
  fields.count({"depth", "orderings of two steps that bring a race about"}, depth.depth);
  fields.count({"runs", "for this depth"}, depth.runs);
  fields.number({"missed_at_most", "probability that these runs missed such a race"},
                depth.missed_at_most);
}

void describe(Fields& fields, ExplorePassDocument& pass) {
  fields.text({"events", "what may happen besides the steps of clients"}, pass.events);
  fields.word<Coverage>({"coverage"}, pass.coverage);
  fields.when(pass.coverage == name_of(Coverage::exhaustive), [&] {
    describe_counts(fields, pass.counts);
    fields.list({"by_preemptions"}, pass.by_preemptions);
  });
  fields.when(pass.preemptions_covered.is_known(), [&] {
    fields.count({"preemptions_covered", "every schedule with at most so many"},
                 pass.preemptions_covered);
  });
  fields.when(pass.coverage == name_of(Coverage::random), [&] {
    fields.count({"random_schedules", "of probabilistic concurrency testing"},
                 pass.random_schedules);
    fields.count({"seed", "of the random schedules"}, pass.seed);
    fields.count({"random_threads", "clients and events"}, pass.random_threads);
    fields.count({"random_steps", "the longest schedule that the depths are for"},
                 pass.random_steps);
    fields.list({"depths", "what the random schedules may have missed"}, pass.depths);
  });
  fields.count({"runs"}, pass.runs);
  fields.count({"states"}, pass.states);
  fields.count({"steps"}, pass.steps);
}

void describe(Fields& fields, TraceStepDocument& step) {
  fields.word<TraceStep::Kind>({"kind"}, step.kind);
  fields.count({"at_us", "since the beginning"}, step.at_us);
  fields.count({"client", "of a command, a decision or a crash", kIfAny}, step.client);
  const bool decides = step.kind == name_of(TraceStep::Kind::decision);
  fields.when(decides, [&] {
    fields.word<Outcome>({"outcome", "of a decision"}, step.outcome);
    fields.count({"admitted", "so far, with this decision"}, step.admitted);
  });
  fields.when(!decides, [&] { fields.text({"text", "the command, or what happened"}, step.text); });
  fields.when(step.kind == name_of(TraceStep::Kind::command), [&] {
    fields.text({"reply", "to a command"}, step.reply);
  });
  fields.count({"tries", "of a command, if there were several", kIfAny}, step.tries);
  fields.when(!step.interrupted.empty(), [&] {
    fields.count({"interrupted_client", "that was preempted"}, step.interrupted_client);
    fields.text({"interrupted", "its next step"}, step.interrupted);
  });
  fields.flag({"breaks", "the contract is broken from here on", kIfAny}, step.breaks);
}

void describe(Fields& fields, ExploreViolationDocument& violation) {
  fields.word<ExploreFinding>({"finding"}, violation.finding);
  fields.count({"preemptions"}, violation.preemptions);
  fields.count({"steps"}, violation.steps);
  fields.count({"admitted"}, violation.admitted);
  fields.text({"replay", "the schedule, for --replay"}, violation.replay);
  fields.flag({"by_chance", "found at random: there may be a shorter one", kIfAny},
              violation.by_chance);
  fields.flag({"confirmed", "on a real Redis"}, violation.confirmed);
  fields.text({"doubt", "why it was not confirmed", kIfAny}, violation.doubt);
  fields.list({"trace"}, violation.trace);
  fields.when(!violation.afterwards.empty(), [&] {
    fields.list({"keys_without_expiry"}, violation.keys_without_expiry);
    fields.list({"afterwards", "the outcomes of clients that come later"}, violation.afterwards);
  });
}

void describe(Fields& fields, ExploreDocument& document) {
  fields.heading(ExploreDocument::kSchema, document.version);
  fields.word<VerdictKind>({"verdict"}, document.verdict);
  fields.text({"reason"}, document.reason);
  fields.text({"algorithm"}, document.algorithm);
  fields.text({"key"}, document.key);
  fields.count({"clients"}, document.clients);
  fields.word<RunChoice>({"run", "where the script runs"}, document.run);
  fields.object({"policy"}, document.policy);
  fields.list({"contract", "that it was checked against"}, document.contract);
  fields.count({"most_admitted", "with all clients alive"}, document.most_admitted);
  fields.count({"least_admitted", "with all clients alive"}, document.least_admitted);
  fields.text({"refusing_schedule", "it denies a client though there was room", kIfAny},
              document.refusing_schedule);
  fields.list({"passes"}, document.passes);
  fields.list({"violations"}, document.violations);
  fields.when(!document.trace.empty(), [&] {
    fields.list({"trace", "of a replay without a violation"}, document.trace);
  });
  fields.text({"command", "without --replay"}, document.command);
  fields.list({"notes"}, document.notes);
  fields.text({"server", "violations were confirmed on it", kIfAny}, document.server);
}

}  // namespace rlctl
