#include "result/run_document.h"

#include "scenario/scenario_result.h"

namespace rlctl {
void describe(Fields& fields, PhaseCountsDocument& counts) {
  fields.count({"started_us", "after the start of the run"}, counts.started_us);
  fields.count({"ended_us", "after the start of the run"}, counts.ended_us);
  fields.count({"offered", "planned, sent or not; of a log without its end: begun"},
               counts.offered);
  fields.count({"allowed"}, counts.allowed);
  fields.count({"denied"}, counts.denied);
  fields.count({"unknown", "sent, but not answered"}, counts.unknown);
  fields.count({"failed", "certainly not decided"}, counts.failed);
  fields.count({"late", "sent late"}, counts.late);
  fields.count({"dropped", "planned, but never sent; null: of a log without its end", kOrNull},
               counts.dropped);
  fields.count({"completed", "items that consumers finished; null: as above", kOrNull},
               counts.completed);
}

void describe(Fields& fields, RunPhaseDocument& phase) {
  fields.text({"name"}, phase.name);
  fields.text({"policy"}, phase.policy);
  describe(fields, phase.counts);
}

void describe(Fields& fields, RunPolicyDocument& policy) {
  fields.text({"name"}, policy.name);
  describe(fields, policy.judged);
}

void describe(Fields& fields, ExpectationDocument& expectation) {
  fields.bytes({"that", "as written"}, expectation.that);
  fields.bytes({"why", "the author's explanation", kIfAny}, expectation.why);
  fields.word<Held>({"result"}, expectation.result);
  fields.text({"measured", "or why it could not be measured"}, expectation.measured);
  fields.count({"line", "of the scenario file"}, expectation.line);
  fields.count({"column"}, expectation.column);
}

void describe(Fields& fields, FaultCountsDocument& counts) {
  fields.count({"lasted_us", "0: it was the first request"}, counts.lasted_us);
  fields.count({"allowed"}, counts.allowed);
  fields.count({"denied"}, counts.denied);
  fields.count({"unknown"}, counts.unknown);
  fields.count({"failed"}, counts.failed);
  fields.count({"over_admitted", "certainly"}, counts.over_admitted);
}

void describe(Fields& fields, FallbackDocument& fallback) {
  fields.word<Fallback>({"fallback"}, fallback.fallback);
  fields.count({"admitted", "of the requests without a decision"}, fallback.admitted);
  fields.count({"denied", "likewise"}, fallback.denied);
  fields.count({"over_admitted", "certainly, of all requests until the next fault"},
               fallback.over_admitted);
}

void describe(Fields& fields, FaultDocument& fault) {
  fields.word<FaultKind>({"kind"}, fault.kind);
  fields.count({"at_us", "after the start of the run"}, fault.at_us);
  fields.count({"lasted_us"}, fault.lasted_us);
  fields.count({"counted_us", "how long what follows was counted", kIfAny}, fault.counted_us);
  fields.count({"allowed", "while it lasted and until decisions were right again"}, fault.allowed);
  fields.count({"denied", "likewise"}, fault.denied);
  fields.count({"unknown", "likewise"}, fault.unknown);
  fields.count({"failed", "likewise"}, fault.failed);
  fields.count({"over_admitted", "certainly, until the next fault"}, fault.over_admitted);
  fields.count(
      {"right_after_us", "from its start to the first answer of those that are all right", kOrNull},
      fault.right_after_us);
  fields.count({"admits_after_us",
                "from its start to the first admission after its end; null: none", kOrNull},
               fault.admits_after_us);
  fields.object({"before", "the run before its first fault", kIfAny}, fault.before);
  fields.list(
      {"fallbacks", "computed: what a service might have answered to requests without a decision",
       kIfAny},
      fault.fallbacks);
}

void describe(Fields& fields, ExpectedDocument& expected) {
  fields.word<VerdictKind>({"verdict", "null: any", kOrNull}, expected.verdict);
  fields.word<VerdictKind>({"own_contract", "null: part of the verdict", kOrNull},
                           expected.own_contract);
}

void describe(Fields& fields, FoundDocument& found) {
  fields.word<VerdictKind>({"verdict"}, found.verdict);
  fields.word<VerdictKind>({"own_contract", "", kOrNull}, found.own_contract);
  fields.text({"reason", "of the worst verdict"}, found.reason);
  fields.text({"own_contract_reason", "of the worst one, if it does not hold", kIfAny},
              found.own_contract_reason);
}

void describe(Fields& fields, MistakeDocument& mistake) {
  fields.count({"line", "of the scenario file"}, mistake.line);
  fields.count({"column"}, mistake.column);
  fields.text({"pointer", "of the value: RFC 6901", kIfAny}, mistake.pointer);
  fields.text({"what"}, mistake.what);
  fields.text({"hint", "what to do", kIfAny}, mistake.hint);
}

void describe(Fields& fields, ScenarioDocument& scenario) {
  fields.bytes({"name"}, scenario.name);
  fields.bytes({"file"}, scenario.file);
  fields.word<ScenarioOutcome>({"outcome"}, scenario.outcome);
  fields.text({"sentence", "the outcome in words: what failed before what was expected"},
              scenario.sentence);
  fields.count({"exit"}, scenario.exit);
  fields.text({"command", "that repeats it"}, scenario.command);
  fields.word<ScenarioClock>({"clock", "null: the file has mistakes", kOrNull}, scenario.clock);
  fields.count({"seed", "null: likewise", kOrNull}, scenario.seed);
  fields.text({"run_id"}, scenario.run_id);
  fields.count({"duration_us"}, scenario.duration_us);
  fields.flag({"complete"}, scenario.complete);
  fields.flag({"interrupted"}, scenario.interrupted);
  fields.object({"expected", "null: the file has mistakes", kOrNull}, scenario.expected);
  fields.object({"found", "null: nothing was judged", kOrNull}, scenario.found);
  fields.text({"problem", "why it could not be played to its end", kOrNull}, scenario.problem);
  fields.list({"mistakes", "of the file, for which nothing was sent", kIfAny}, scenario.mistakes);
  fields.flag({"too_late", "more was sent late than the budget allows"}, scenario.too_late);
  fields.list({"reasons", "why it did not pass"}, scenario.reasons);
  fields.list({"notes"}, scenario.notes);
  fields.list({"policies"}, scenario.policies);
  fields.list({"phases"}, scenario.phases);
  fields.list({"faults", "what each did", kIfAny}, scenario.faults);
  fields.list({"expectations"}, scenario.expectations);
}

void describe(Fields& fields, RunDocument& document) {
  fields.heading(RunDocument::kSchema, document.version);
  fields.count({"exit"}, document.exit);
  fields.count({"passed", "scenarios"}, document.passed);
  fields.count({"failed", "scenarios"}, document.failed);
  fields.count({"inconclusive", "scenarios"}, document.inconclusive);
  fields.count({"could_not_run", "scenarios"}, document.could_not_run);
  fields.count({"duration_us"}, document.duration_us);
  fields.list({"scenarios"}, document.scenarios);
}

void describe(Fields& fields, TimelineDocument& timeline) {
  fields.count({"start_us"}, timeline.start_us);
  fields.count({"slice_us", "the length of a slice"}, timeline.slice_us);
  fields.list({"slices", "allowed, denied and other requests"}, timeline.slices);
}

void describe(Fields& fields, SimulatePhaseDocument& phase) {
  fields.text({"name"}, phase.name);
  describe(fields, phase.counts);
  fields.object({"timeline", "", kIfAny}, phase.timeline);
}

void describe(Fields& fields, SimulateDocument& document) {
  fields.heading(SimulateDocument::kSchema, document.version);
  fields.text({"pattern"}, document.pattern);
  fields.word<ScenarioOutcome>({"outcome"}, document.outcome);
  fields.text({"sentence", "the outcome in words"}, document.sentence);
  fields.text({"command", "that repeats it"}, document.command);
  fields.word<VerdictKind>({"expected", "null: any", kOrNull}, document.expected);
  fields.word<VerdictKind>({"expected_own_contract", "null: part of what is expected", kOrNull},
                           document.expected_own_contract);
  fields.word<ScenarioClock>({"clock"}, document.clock);
  fields.count({"threads", "that sent; without it: 1", kIfAny}, document.threads);
  fields.count({"seed"}, document.seed);
  fields.text({"run_id"}, document.run_id);
  fields.count({"duration_us"}, document.duration_us);
  fields.flag({"interrupted"}, document.interrupted);
  fields.flag({"complete"}, document.complete);
  describe(fields, document.judged);
  fields.list({"phases"}, document.phases);
  fields.list({"faults", "what each did", kIfAny}, document.faults);
  fields.list({"answers", "to the pattern's own questions"}, document.answers);
}

}  // namespace rlctl
