// Warnings about what makes the figures of a bench unreliable, each with what to do: a busy
// machine, outlier rounds, traffic that was not as intended. Pure.
#pragma once

#include <string>

#include "result/bench_result.h"

namespace rlctl {

// One "note: …" per line; empty if there is no warning.
std::string bench_warnings(const BenchResult& bench);

}  // namespace rlctl
