// What is concluded from the logs of a scenario, whether rlctl has just played it or reads them
// again: verdicts, what faults did, expectations. Pure.
#pragma once

#include <string>

#include "scenario/scenario_result.h"
#include "verdict/verdict.h"

namespace rlctl {

// How the decisions under a policy are judged.
JudgeOptions judge_options_of(const Scenario& scenario, const PolicySpec& spec, const Log& log);

// Judges the log of a policy.
void judge_policy(const Scenario& scenario, PolicyResult& policy, ScenarioResult& result);

// Of the faults that were played.
void measure_faults(const Scenario& scenario, ScenarioResult& result);

// `open`: why the figures are not those of the whole run ("in part 1/3 only"), so that they decide
// no expectation; empty: they do.
void evaluate_expectations(const Scenario& scenario, const std::string& open,
                           ScenarioResult& result);

}  // namespace rlctl
