#include "result/verify_document.h"

#include "policy/policy.h"
#include "verdict/figures.h"

namespace rlctl {
namespace {

constexpr const char* kViolations = "over_admission, false_denial";
constexpr const char* kFiles = "the file of each line, if there are several";

void describe_by_rule(Fields& fields, std::vector<JudgedRuleDocument>& by_rule) {
  fields.when(!by_rule.empty(), [&] { fields.list({"by_rule", "if there are several"}, by_rule); });
}

}  // namespace

void describe(Fields& fields, JudgedPolicyDocument& policy) {
  fields.list({"rules", "all of them hold"}, policy.rules);
  fields.bytes({"key", "the template of keys", kIfAny}, policy.key);
  fields.bytes({"block_key", "the template of the block flag's key", kIfAny}, policy.block_key);
  fields.word<VerdictKind>({"verdict"}, policy.verdict);
}

void describe(Fields& fields, WorstWindowDocument& window) {
  fields.count({"from_us"}, window.from_us);
  fields.count({"to_us"}, window.to_us);
  fields.list({"records", "line numbers of its admissions"}, window.records);
  fields.list({"files", kFiles, kIfAny}, window.files);
}

void describe(Fields& fields, FiguresDocument& figures) {
  fields.count({"operations", "allowed, denied and unknown"}, figures.operations);
  fields.count({"allowed"}, figures.allowed);
  fields.count({"denied"}, figures.denied);
  fields.count({"unknown", "sent, but not answered"}, figures.unknown);
  fields.count({"failed", "certainly not decided"}, figures.failed);
  fields.count(
      {"max_certain",
       "most admissions of one of the rule's own windows (of a bucket: of a span), for certain"},
      figures.max_certain);
  fields.count({"max_possible", "the same, at most"}, figures.max_possible);
  fields.word<OverAdmission>({"over_admission"}, figures.over_admission);
  fields.word<Proof>({"proof", "the reason for over_admission"}, figures.proof);
  fields.count({"excess_certain", "admissions above the limit"}, figures.excess_certain);
  fields.count({"admitted_in_blocks", "while a block was certainly active", kIfAny},
               figures.admitted_in_blocks);
  fields.count({"certain_false_denials"}, figures.certain_false_denials);
  fields.list({"certain_false_denial_lines", "line numbers"}, figures.certain_false_denial_lines);
  fields.list({"certain_false_denial_files", kFiles, kIfAny}, figures.certain_false_denial_files);
  fields.word<Together>(
      {"together", "whether one order of all decisions explains them; if not", kIfAny},
      figures.together);
  fields.list({"against_lines", "decisions that stand against each other", kIfAny},
              figures.against_lines);
  fields.list({"against_files", kFiles, kIfAny}, figures.against_files);
  fields.count({"unverifiable_denials", "only requests before the log could explain them"},
               figures.unverifiable_denials);
  fields.count(
      {"peak",
       "most admissions within a window's length, wherever it begins and whatever the rule"},
      figures.peak);
  fields.number({"burst_factor", "peak / what the rule allows in a window"}, figures.burst_factor);
  fields.number({"overshoot", "max_certain / what the rule allows in the worst window"},
                figures.overshoot);
  fields.number(
      {"in_flight_share",
       "0 to 1, of the worst window's actual cost: used by requests in flight at once", kIfAny},
      figures.in_flight_share);
  fields.count({"slack_us", "how much shorter the window must be to leave no proof"},
               figures.slack_us);
  fields.number({"accuracy_low", "percent of the decisions that are right", kOrNull},
                figures.accuracy_low);
  fields.number({"accuracy_high", "percent of the decisions that may be right", kOrNull},
                figures.accuracy_high);
  fields.count({"undecided", "decisions that may be right or wrong"}, figures.undecided);
  fields.object({"worst_window", "", kOrNull}, figures.worst_window);
}

void describe(Fields& fields, JudgedRuleDocument& judged) {
  fields.object({"rule"}, judged.rule);
  fields.object({"totals", "by this rule alone, over all keys"}, judged.totals);
}

void describe(Fields& fields, OwnContractDocument& own) {
  fields.list({"rules", "all of them hold"}, own.rules);
  fields.word<VerdictKind>({"verdict"}, own.verdict);
  fields.list({"violations", kViolations}, own.violations);
  fields.text({"reason"}, own.reason);
  fields.object({"totals"}, own.totals);
  describe_by_rule(fields, own.by_rule);
}

void describe(Fields& fields, TargetDocument& target) {
  fields.bytes({"name"}, target.name);
  fields.count({"requests"}, target.requests);
  fields.count({"allowed"}, target.allowed);
  fields.count({"denied"}, target.denied);
  fields.count({"unknown", "sent, but not answered"}, target.unknown);
  fields.count({"failed", "certainly not decided"}, target.failed);
}

void describe(Fields& fields, KeyDocument& key) {
  fields.bytes({"key"}, key.key);
  fields.text({"rule", "that counts by this key, if it has a name of its own", kIfAny}, key.rule);
  describe(fields, key.figures);
}

void describe(Fields& fields, BucketDocument& bucket) {
  fields.count({"capacity"}, bucket.capacity);
  fields.number({"rate_per_window", "requests refilled per window"}, bucket.rate_per_window);
}

void describe(Fields& fields, EnvelopePointDocument& point) {
  fields.count({"span_us"}, point.span_us);
  fields.count({"admissions", "most within the span"}, point.admissions);
}

void describe(Fields& fields, InferenceDocument& inferred) {
  fields.count({"admissions", "in the whole log"}, inferred.admissions);
  fields.count({"limit", "given; 0: none"}, inferred.limit);
  fields.count({"window_us", "given; 0: none"}, inferred.window_us);
  fields.count({"tightest_limit", "for the window: no window certainly held more", kOrNull},
               inferred.tightest_limit);
  fields.count({"possible_limit", "for the window: no window can have held more", kOrNull},
               inferred.possible_limit);
  fields.count({"widest_window_us", "for the limit; null: the whole log has no more", kOrNull},
               inferred.widest_window_us);
  fields.object({"bucket_at_rate", "the smallest bucket at limit per window", kOrNull},
                inferred.bucket_at_rate);
  fields.object({"bucket_at_limit", "the slowest bucket of the limit", kOrNull},
                inferred.bucket_at_limit);
  fields.list({"envelope"}, inferred.envelope);
}

void describe(Fields& fields, HistoryDocument& history) {
  fields.bytes({"algorithm", "", kIfAny}, history.algorithm);
  fields.bytes({"history", "its name, if there are several", kIfAny}, history.history);
  fields.when(!history.verdict.empty(), [&] {
    fields.word<VerdictKind>({"verdict", "the worse of policy and own contract"}, history.verdict);
    fields.list({"violations", kViolations}, history.violations);
    fields.text({"reason", "one sentence"}, history.reason);
    fields.text({"remedy", "what would decide it", kIfAny}, history.remedy);
    fields.list({"notes"}, history.notes);
    fields.object({"policy", "null: judged by the own contract alone", kOrNull}, history.policy);
    fields.object({"own_contract", "what the limiter itself promises", kOrNull},
                  history.own_contract);
    fields.object({"totals", "by the policy, over all keys"}, history.totals);
    describe_by_rule(fields, history.by_rule);
    fields.when(!history.targets.empty(), [&] {
      fields.list({"targets", "if several decided together"}, history.targets);
    });
    fields.list({"keys", "worst first"}, history.keys);
  });
  fields.object({"inferred", "with --infer", kIfAny}, history.inferred);
}

void describe(Fields& fields, JudgedLogsDocument& logs) {
  describe(fields, logs.worst);
  fields.count({"lines", "read"}, logs.lines);
  fields.count({"bad_lines", "not understood, and left out"}, logs.bad_lines);
  fields.list({"bad_line_examples"}, logs.bad_line_examples);
  // The notes stand with the verdict, if there is one.
  if (logs.worst.verdict.empty()) fields.list({"notes"}, logs.worst.notes);
  fields.when(!logs.histories.empty(), [&] {
    fields.list({"histories", "if there are several"}, logs.histories);
  });
}

void describe(Fields& fields, VerifyDocument& document) {
  fields.heading(VerifyDocument::kSchema, document.version);
  describe(fields, document.logs);
}

}  // namespace rlctl
