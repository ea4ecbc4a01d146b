#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/units.h"
#include "log/rule_keys.h"
#include "report/documents.h"
#include "verdict/outcome/kept_records.h"

namespace rlctl {
namespace {

std::vector<Text> names_of(const Violations& violations) {
  std::vector<Text> names;
  if (violations.over_admission) names.emplace_back("over_admission");
  if (violations.false_denial) names.emplace_back("false_denial");
  return names;
}

Violations either_of(const Verdict& verdict) {
  Violations either = verdict.policy.violations;
  if (verdict.own) {
    either.over_admission = either.over_admission || verdict.own->violations.over_admission;
    either.false_denial = either.false_denial || verdict.own->violations.false_denial;
  }
  return either;
}

std::optional<JudgedPolicyDocument> document_of(const Policy& policy, const Judgement& judgement) {
  if (policy.rules.empty()) return std::nullopt;
  return JudgedPolicyDocument{.rules = document_of(policy.rules),
                              .key = policy.key,
                              .block_key = policy.block_key,
                              .verdict = name_of(judgement.verdict)};
}

std::optional<BucketDocument> document_of(const std::optional<InferredBucket>& bucket) {
  if (!bucket) return std::nullopt;
  return BucketDocument{bucket->capacity, bucket->rate_per_window};
}

InferenceDocument document_of(const Inference& inference) {
  InferenceDocument document{.admissions = inference.admissions,
                             .limit = inference.limit,
                             .window_us = inference.window_us,
                             .tightest_limit = inference.tightest_limit,
                             .possible_limit = inference.possible_limit,
                             .widest_window_us = inference.widest_window_us,
                             .bucket_at_rate = document_of(inference.bucket_at_rate),
                             .bucket_at_limit = document_of(inference.bucket_at_limit)};
  for (const EnvelopePoint& point : inference.envelope)
    document.envelope.push_back({point.span_us, point.admissions});
  return document;
}

// The documents of one history, whose figures name records by their lines.
class HistoryPublisher {
 public:
  HistoryPublisher(const VerifyResult& result, const JudgedHistory& history)
      : result_(result), history_(history) {}

  HistoryDocument document() const {
    const Log& log = history_.log();
    HistoryDocument document{.algorithm = log.algorithm, .history = log.history};
    if (history_.verdict) add_verdict(*history_.verdict, document);
    if (history_.inference) document.inferred = document_of(*history_.inference);
    return document;
  }

 private:
  void add_verdict(const Verdict& verdict, HistoryDocument& document) const {
    document.verdict = name_of(verdict.verdict);
    document.violations = names_of(either_of(verdict));
    document.reason = verdict.reason;
    document.remedy = verdict.remedy;
    document.notes = texts_of(verdict.notes);
    document.policy = document_of(history_.log().policy, verdict.policy);
    if (verdict.own)
      document.own_contract = {.rules = document_of(verdict.own->rules),
                               .verdict = name_of(verdict.own->verdict),
                               .violations = names_of(verdict.own->violations),
                               .reason = verdict.own->reason,
                               .totals = figures(verdict.own->totals),
                               .by_rule = by_rule(*verdict.own)};
    document.totals = figures(verdict.policy.totals);
    document.by_rule = by_rule(verdict.policy);
    for (const TargetCounts& count : verdict.targets)
      document.targets.push_back(
          {count.target, count.requests, count.allowed, count.denied, count.unknown, count.failed});
    for (const KeyFigures& key : verdict.policy.keys) {
      if (result_.most_keys > 0 && document.keys.size() >= result_.most_keys) break;
      document.keys.push_back(key_document(verdict.policy, key));
    }
  }

  KeyDocument key_document(const Judgement& judgement, const KeyFigures& key) const {
    const Rule& rule = judgement.rules[key.figures.rule];
    if (rule.per.empty() && !have_different_keys(judgement.rules))
      return {.key = history_.log().keys[key.key], .figures = figures(key.figures)};
    return {.key = rule.per.empty() ? history_.log().keys[key.key] : key.text,
            .rule = rules_text({rule}),
            .figures = figures(key.figures)};
  }

  std::vector<JudgedRuleDocument> by_rule(const Judgement& judgement) const {
    const std::vector<RuleDocument> rules = document_of(judgement.rules);
    std::vector<JudgedRuleDocument> documents;
    for (std::size_t i = 0; i < judgement.by_rule.size(); ++i)
      documents.push_back({rules[i], figures(judgement.by_rule[i])});
    return documents;
  }

  // The counts next to the lists are always complete.
  std::size_t shown(const std::vector<std::uint32_t>& records) const {
    return result_.most_keys == 0 ? records.size() : std::min(kMostLinesListed, records.size());
  }

  std::vector<Number> lines(const std::vector<std::uint32_t>& records) const {
    std::vector<Number> lines;
    for (std::size_t i = 0; i < shown(records); ++i)
      lines.emplace_back(history_.parsed.lines.line_of(records[i]).line);
    return lines;
  }

  // Only with several files, where a line number alone is ambiguous.
  std::optional<std::vector<Text>> files(const std::vector<std::uint32_t>& records) const {
    if (result_.source.files.size() <= 1) return std::nullopt;
    std::vector<Text> files;
    for (std::size_t i = 0; i < shown(records); ++i) {
      const auto& name = result_.source.files.at(history_.parsed.lines.line_of(records[i]).file);
      files.emplace_back(escape_for_terminal(name));
    }
    return files;
  }

  FiguresDocument figures(const Figures& figures) const {
    FiguresDocument document{.operations = figures.operations,
                             .allowed = figures.allowed,
                             .denied = figures.denied,
                             .unknown = figures.unknown,
                             .failed = figures.failed,
                             .max_certain = figures.max_certain,
                             .max_possible = figures.max_possible,
                             .over_admission = name_of(figures.over_admission),
                             .proof = name_of(figures.proof),
                             .excess_certain = figures.excess_certain,
                             .certain_false_denials = figures.certain_false_denials.size(),
                             .certain_false_denial_lines = lines(figures.certain_false_denials),
                             .certain_false_denial_files = files(figures.certain_false_denials),
                             .unverifiable_denials = figures.unverifiable_denials,
                             .peak = figures.peak,
                             .burst_factor = figures.burst_factor,
                             .overshoot = figures.overshoot,
                             .slack_us = figures.slack_us,
                             .undecided = figures.undecided};
    if (figures.admitted_in_blocks > 0) document.admitted_in_blocks = figures.admitted_in_blocks;
    if (figures.in_flight_share) document.in_flight_share = *figures.in_flight_share;
    if (figures.together != Together::explained) {
      document.together = name_of(figures.together);
      document.against_lines = lines(figures.against);
      document.against_files = files(figures.against);
    }
    if (figures.decisions > 0) {
      document.accuracy_low = figures.accuracy_low;
      document.accuracy_high = figures.accuracy_high;
    }
    const WorstWindow& window = figures.worst_window;
    if (!window.records.empty())
      document.worst_window = {window.from_us, window.to_us, lines(window.records),
                               files(window.records)};
    return document;
  }

  const VerifyResult& result_;
  const JudgedHistory& history_;
};

}  // namespace

JudgedLogsDocument document_of(const VerifyResult& result) {
  JudgedLogsDocument document{.worst = HistoryPublisher(result, worst_of(result)).document(),
                              .lines = result.source.lines,
                              .bad_lines = result.source.bad_lines,
                              .bad_line_examples = texts_of(result.source.examples)};
  for (const std::string& note : result.source.notes) document.worst.notes.emplace_back(note);
  if (result.histories.size() > 1)
    for (const JudgedHistory& history : result.histories)
      document.histories.push_back(HistoryPublisher(result, history).document());
  return document;
}

}  // namespace rlctl
