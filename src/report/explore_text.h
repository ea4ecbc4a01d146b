// What an exploration found, for people: how much was looked at, and every violation as a trace
// with a column per client. Pure.
#pragma once

#include <string>

#include "core/explore_result.h"

namespace rlctl {

std::string explore_text(const ExploreResult& result);

}  // namespace rlctl
