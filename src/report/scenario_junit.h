// Played scenarios as JUnit suites. A scenario is a suite with its verdict and the expectations on
// the whole; each phase is a suite with the expectations on that phase. A violation is told with
// the measured value and file:line. Pure.
#pragma once

#include "report/page/junit.h"
#include "scenario/scenario.h"
#include "scenario/scenario_result.h"

namespace rlctl {

void add_scenario(JunitReport& report, const Scenario& scenario, const ScenarioResult& result);

}  // namespace rlctl
