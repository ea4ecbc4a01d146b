// What the engines found, as the documents that are published (result/). Pure. The version is left
// empty, because only the program knows its own.
#pragma once

#include <span>

#include "compare/run_comparison.h"
#include "plan/plan.h"
#include "result/bench_document.h"
#include "result/bench_result.h"
#include "result/explore_document.h"
#include "result/plan_document.h"
#include "result/run_document.h"
#include "result/verify_document.h"
#include "scenario/scenario.h"
#include "scenario/scenario_result.h"
#include "verdict/outcome/explore_result.h"
#include "verdict/outcome/verify_result.h"

namespace rlctl {

BenchDocument document_of(const BenchResult& result);
JudgedLogsDocument document_of(const VerifyResult& result);
ScenarioDocument document_of(const Scenario& scenario, const ScenarioResult& result);
// A pattern that `simulate` played.
SimulateDocument pattern_document(const Scenario& scenario, const ScenarioResult& result);
ExploreDocument document_of(const ExploreResult& result);
// `most_clients`: of each policy, the worst ones; 0: all.
PlanDocument document_of(const Plan& plan, std::size_t most_clients);
ComparisonDocument document_of(const RunComparison& comparison,
                               std::span<const FailCondition> conditions);

}  // namespace rlctl
