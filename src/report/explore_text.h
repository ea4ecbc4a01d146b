// The result of an exploration as text: how much was explored, and every violation as a trace with
// one column per client, or one line per step if that is wider than the terminal. Pure.
#pragma once

#include <string>

#include "verdict/outcome/explore_result.h"

namespace rlctl {

// `columns`: of the terminal; 0: no bound.
std::string explore_text(const ExploreResult& result, std::size_t columns = 0);

}  // namespace rlctl
