// The records that prove a verdict, in time order, so that a reader can check it by hand.
// At most `width` columns wide if possible; 0: no bound. Pure.
#pragma once

#include <string>

#include "verdict/outcome/verify_result.h"

namespace rlctl {

// The worst window of a judgement as a small drawing: a line for each record (of many, only some at
// the ends and at the limit), with the interval in which it was decided, on a common scale. Empty
// if there is no worst window. Where there is no room for the drawing, the figures stand alone.
std::string draw_worst_window(const VerifyResult& result, const JudgedHistory& history,
                              const Judgement& judgement, std::size_t width = 0);

// The first few wrong denials and their places in the log. Empty if there are none.
std::string list_false_denials(const VerifyResult& result, const JudgedHistory& history,
                               const Judgement& judgement, std::size_t width = 0);

// The first few decisions that no order explains together. Empty if there is none.
std::string list_contradiction(const VerifyResult& result, const JudgedHistory& history,
                               const Judgement& judgement, std::size_t width = 0);

}  // namespace rlctl
