// Judged logs as a Report: a run for each history, with its picture, its evidence and its keys.
// Pure; throws Error(Exit::usage) when a record has no time.
#pragma once

#include <functional>

#include "report/page/report.h"
#include "verdict/outcome/verify_result.h"

namespace rlctl {

// The options with which a log was judged, for the curves of its picture.
using JudgedWith = std::function<JudgeOptions(const Log&)>;

Report report_of_logs(const VerifyResult& result, const JudgedWith& judged_with);

}  // namespace rlctl
