// The result of a bench as text: one table with a line per metric and a column per algorithm, then
// sentences that explain it. Pure; the only figures it computes are medians and spreads.
#pragma once

#include <string>

#include "result/bench_result.h"

namespace rlctl {

// Shows as many algorithms side by side as fit into `width` columns; the rest follows in further
// tables with the same metrics.
std::string bench_table(const BenchResult& result, std::size_t width);

// What the figures mean, one sentence per line, including next steps and warnings with remedies.
std::string bench_in_words(const BenchResult& result);

}  // namespace rlctl
