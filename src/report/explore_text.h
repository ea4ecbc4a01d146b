// The result of an exploration as text: how much was explored, and every violation as a trace with
// one column per client. Pure.
#pragma once

#include <string>

#include "verdict/outcome/explore_result.h"

namespace rlctl {

std::string explore_text(const ExploreResult& result);

}  // namespace rlctl
