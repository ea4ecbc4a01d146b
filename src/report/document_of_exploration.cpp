#include <cmath>

#include "report/documents.h"

namespace rlctl {
namespace {

constexpr double kMostExact = 9007199254740992.0;

ScheduleCountDocument document_of(const ScheduleCount& count) {
  if (count.approximately() > kMostExact) return {{}, count.digits()};
  return {static_cast<std::int64_t>(count.approximately()), {}};
}

ScheduleCountsDocument document_of(const ScheduleCounts& counts) {
  return {document_of(counts.schedules), document_of(counts.violating),
          document_of(counts.refusing), document_of(counts.littering), document_of(counts.leaking)};
}

void add_random(const RandomRuns& random, ExplorePassDocument& document) {
  document.random_schedules = random.runs;
  document.seed = random.seed;
  document.random_threads = random.threads;
  document.random_steps = random.steps;
  for (int depth = 1; depth <= random.depth; ++depth)
    document.depths.push_back({depth, random.counted[static_cast<std::size_t>(depth) - 1],
                               std::pow(10.0, random.log10_missed(depth))});
}

ExplorePassDocument document_of(const ExplorePass& pass) {
  ExplorePassDocument document{.events = pass.events,
                               .coverage = name_of(pass.coverage),
                               .runs = pass.runs,
                               .states = pass.states,
                               .steps = pass.steps};
  if (pass.coverage == Coverage::exhaustive) {
    document.counts = document_of(pass.counts);
    for (const ScheduleCounts& counts : pass.by_preemptions)
      document.by_preemptions.push_back(document_of(counts));
  } else if (pass.coverage != Coverage::replay) {
    document.preemptions_covered = pass.preemptions_covered;
    if (pass.coverage == Coverage::random) add_random(pass.random, document);
  }
  return document;
}

TraceStepDocument document_of(const TraceStep& step) {
  TraceStepDocument document{.kind = name_of(step.kind),
                             .at_us = step.at_us,
                             .outcome = name_of(step.outcome),
                             .admitted = step.admitted,
                             .text = step.text,
                             .reply = step.reply,
                             .interrupted_client = step.interrupted_client,
                             .interrupted = step.interrupted,
                             .breaks = step.breaks};
  if (step.kind <= TraceStep::Kind::crash) document.client = step.client;
  if (step.tries > 1) document.tries = step.tries;
  return document;
}

std::vector<TraceStepDocument> documents_of(const std::vector<TraceStep>& trace) {
  std::vector<TraceStepDocument> steps;
  for (const TraceStep& step : trace) steps.push_back(document_of(step));
  return steps;
}

ExploreViolationDocument document_of(const ExploreViolation& violation) {
  ExploreViolationDocument document{.finding = name_of(violation.finding),
                                    .preemptions = violation.preemptions,
                                    .steps = violation.steps,
                                    .admitted = violation.admitted,
                                    .replay = violation.schedule,
                                    .by_chance = violation.by_chance,
                                    .confirmed = violation.confirmed,
                                    .doubt = violation.doubt,
                                    .trace = documents_of(violation.trace),
                                    .keys_without_expiry = texts_of(violation.keys)};
  for (const Outcome outcome : violation.afterwards)
    document.afterwards.emplace_back(name_of(outcome));
  return document;
}

}  // namespace

ExploreDocument document_of(const ExploreResult& result) {
  ExploreDocument document{.verdict = name_of(result.verdict),
                           .reason = result.reason,
                           .algorithm = result.algorithm,
                           .key = result.key,
                           .clients = result.clients,
                           .run = result.on_client ? "client" : "server",
                           .policy = {document_of(result.policy.rules)},
                           .contract = document_of(result.contract),
                           .most_admitted = result.most_admitted,
                           .least_admitted = result.least_admitted,
                           .refusing_schedule = result.refusing_schedule,
                           .trace = documents_of(result.replayed),
                           .command = result.command,
                           .notes = texts_of(result.notes),
                           .server = result.server};
  for (const ExplorePass& pass : result.passes) document.passes.push_back(document_of(pass));
  for (const ExploreViolation& violation : result.violations)
    document.violations.push_back(document_of(violation));
  return document;
}

}  // namespace rlctl
