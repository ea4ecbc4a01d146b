// What is concluded from the logs of a scenario, whether rlctl has just played it or reads them
// again: verdicts, what faults did, expectations. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
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

// A target that made no decision, or whose answers mostly mean neither allowed nor denied, was not
// measured: a wrong path or a missing server is no verdict on a limiter. `first_problem`: of a
// request. Empty: there are verdicts, or nothing was asked.
std::optional<Error> why_no_verdict(const Scenario& scenario, const ScenarioResult& result,
                                    const std::string& first_problem);

}  // namespace rlctl
