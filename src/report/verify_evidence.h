// The records that prove a verdict, in time order, for people to check by hand. Pure.
#pragma once

#include <string>

#include "core/verify_result.h"

namespace rlctl {

// The worst window of a judgement as a small drawing: a line for each record (the first and last
// few of many), with the interval in which it was decided on a common scale. Empty without one.
std::string draw_worst_window(const VerifyResult& result, const JudgedHistory& history,
                              const Judgement& judgement);

// The first few denials that nothing explains, and where each stands. Empty without any.
std::string list_false_denials(const VerifyResult& result, const JudgedHistory& history,
                               const Judgement& judgement);

}  // namespace rlctl
