// The result of `simulate` as text: the timeline of each phase, the pattern's own answers, and the
// verdict with its evidence and next steps. `width`: as in report/verify_text.h. Pure.
#pragma once

#include <string>

#include "scenario/scenario.h"
#include "scenario/scenario_result.h"
#include "verdict/outcome/verify_result.h"

namespace rlctl {

std::string simulate_text(const Scenario& scenario, const ScenarioResult& result,
                          std::size_t width);

// The pattern's own answers: when a bot got its first denial, how long a drain took.
std::vector<std::string> pattern_answers(const Scenario& scenario, const ScenarioResult& result);

// The logs of a played scenario in the form of verify's results, to reuse verify's reports.
VerifyResult as_verified(const ScenarioResult& result);

}  // namespace rlctl
