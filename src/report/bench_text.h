// The result of a bench as people read it: one table, metrics down, algorithms across, then
// sentences that say what it means. Pure; computes no figure of its own but medians and spreads.
#pragma once

#include <string>

#include "core/bench_result.h"

namespace rlctl {

// As many algorithms side by side as fit `width` columns; the rest below, under the same metrics.
std::string bench_table(const BenchResult& result, std::size_t width);

// What the figures mean, a sentence a line; `next` steps and warnings with their remedies included.
std::string bench_in_words(const BenchResult& result);

}  // namespace rlctl
