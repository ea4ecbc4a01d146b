// Random small histories for the judge: few instants, so that ties and edges are common.
#pragma once

#include <cstdint>
#include <string>

#include "tools/random_history.h"
#include "unit/verdict/brute_force.h"
#include "verdict/verdict.h"

namespace rlctl::test {

struct Case {
  Log log;
  Rule contract;
  JudgeOptions options;
};

Case case_of(std::uint64_t seed);
std::string show(const Case& c);

// Where the history begins, by the clock of `operations`.
std::int64_t history_from(const Case& c, const brute::Operations& operations,
                          std::int64_t latest_shift);

}  // namespace rlctl::test
