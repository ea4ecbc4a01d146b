// The result of `explore` as it is published ("rlctl.explore/1"). Plain values.
#pragma once

#include <vector>

#include "result/bench_document.h"
#include "result/fields.h"

namespace rlctl {

// A count of schedules: a number, or its digits if it is above 2^53.
struct ScheduleCountDocument {
  Number count;
  Text digits;
};

struct ScheduleCountsDocument {
  static constexpr const char* kName = "schedule_counts";
  ScheduleCountDocument schedules, violating, refusing, littering, leaking;
};

// Runs of one depth, and what they may have missed.
struct RaceDepthDocument {
  static constexpr const char* kName = "race_depth";
  Number depth, runs, missed_at_most;
};

struct ExplorePassDocument {
  static constexpr const char* kName = "pass";
  Text events, coverage;
  ScheduleCountsDocument counts;
  std::vector<ScheduleCountsDocument> by_preemptions;
  Number preemptions_covered, random_schedules, seed;
  Number random_threads, random_steps;
  std::vector<RaceDepthDocument> depths;
  Number runs, states, steps;
};

struct TraceStepDocument {
  static constexpr const char* kName = "trace_step";
  Text kind;
  Number at_us, client;
  Text outcome;
  Number admitted;
  Text text, reply;
  Number tries, interrupted_client;
  Text interrupted;
  bool breaks = false;
};

struct ExploreViolationDocument {
  static constexpr const char* kName = "violation";
  Text finding;
  Number preemptions, steps, admitted;
  Text replay;
  bool by_chance = false;
  bool confirmed = false;
  Text doubt;
  std::vector<TraceStepDocument> trace;
  std::vector<Text> keys_without_expiry, afterwards;
};

struct ExploreDocument {
  static constexpr const char* kSchema = "rlctl.explore/1";
  Text version;
  Text verdict, reason, algorithm, key;
  Number clients;
  Text run;
  PolicyDocument policy;
  std::vector<RuleDocument> contract;
  Number most_admitted, least_admitted;
  Text refusing_schedule;
  std::vector<ExplorePassDocument> passes;
  std::vector<ExploreViolationDocument> violations;
  std::vector<TraceStepDocument> trace;  // of a replay without a violation
  Text command;
  std::vector<Text> notes;
  Text server;
};

void describe(Fields& fields, ExploreDocument& document);

}  // namespace rlctl
