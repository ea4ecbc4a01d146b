// The result of `verify` as it is published ("rlctl.verify/1"). The top level describes the
// worst history; if the logs contain several, `histories` lists them all. Plain values.
#pragma once

#include <optional>
#include <vector>

#include "result/fields.h"
#include "result/rule_document.h"

namespace rlctl {

struct JudgedPolicyDocument {
  static constexpr const char* kName = "judged_policy";
  std::vector<RuleDocument> rules;
  Text key, block_key, verdict;
};

struct WorstWindowDocument {
  static constexpr const char* kName = "worst_window";
  Number from_us, to_us;
  std::vector<Number> records;
  std::optional<std::vector<Text>> files;  // of the records, if there are several files
};

struct FiguresDocument {
  static constexpr const char* kName = "figures";
  Number operations, allowed, denied, unknown, failed, max_certain, max_possible;
  Text over_admission, proof;
  Number excess_certain, admitted_in_blocks, certain_false_denials;
  std::vector<Number> certain_false_denial_lines;
  std::optional<std::vector<Text>> certain_false_denial_files;
  Text together;  // with lines and files: only if no placement of all decisions was found
  std::optional<std::vector<Number>> against_lines;
  std::optional<std::vector<Text>> against_files;
  Number unverifiable_denials, peak, burst_factor, overshoot, in_flight_share, slack_us,
      accuracy_low, accuracy_high, undecided;
  std::optional<WorstWindowDocument> worst_window;
};

// One of several rules.
struct JudgedRuleDocument {
  static constexpr const char* kName = "judged_rule";
  RuleDocument rule;
  FiguresDocument totals;
};

struct OwnContractDocument {
  static constexpr const char* kName = "own_contract";
  std::vector<RuleDocument> rules;
  Text verdict;
  std::vector<Text> violations;
  Text reason;
  FiguresDocument totals;
  std::vector<JudgedRuleDocument> by_rule;  // empty: there is only one
};

// What one of several targets decided.
struct TargetDocument {
  static constexpr const char* kName = "target";
  Text name;
  Number requests, allowed, denied, unknown, failed;
};

struct KeyDocument {
  static constexpr const char* kName = "key";
  Text key;
  Text rule;  // only if rules count by different keys: the one that counts by this key
  FiguresDocument figures;
};

struct BucketDocument {
  static constexpr const char* kName = "bucket";
  Number capacity, rate_per_window;
};

struct EnvelopePointDocument {
  static constexpr const char* kName = "envelope_point";
  Number span_us, admissions;
};

struct InferenceDocument {
  static constexpr const char* kName = "inference";
  Number admissions, limit, window_us, tightest_limit, possible_limit, widest_window_us;
  std::optional<BucketDocument> bucket_at_rate, bucket_at_limit;
  std::vector<EnvelopePointDocument> envelope;
};

struct HistoryDocument {
  static constexpr const char* kName = "history";
  Text algorithm, history;
  Text verdict;  // empty: only --infer was asked for; then nothing up to `keys` is there
  std::vector<Text> violations;
  Text reason, remedy;
  std::vector<Text> notes;
  std::optional<JudgedPolicyDocument> policy;
  std::optional<OwnContractDocument> own_contract;
  FiguresDocument totals;
  std::vector<JudgedRuleDocument> by_rule;  // of the policy; empty: there is only one
  std::vector<TargetDocument> targets;      // empty: one limiter decided
  std::vector<KeyDocument> keys;            // worst first
  std::optional<InferenceDocument> inferred;
};

// What verify says about its logs, without the heading.
struct JudgedLogsDocument {
  HistoryDocument worst;
  Number lines, bad_lines;
  std::vector<Text> bad_line_examples;
  std::vector<HistoryDocument> histories;  // empty: there is only one
};

struct VerifyDocument {
  static constexpr const char* kSchema = "rlctl.verify/1";
  Text version;
  JudgedLogsDocument logs;
};

void describe(Fields& fields, FiguresDocument& figures);
void describe(Fields& fields, HistoryDocument& history);
void describe(Fields& fields, JudgedLogsDocument& logs);
void describe(Fields& fields, VerifyDocument& document);

}  // namespace rlctl
