// What makes a bench's figures less sure than they look, each with what to do
// about it: a busy machine, rounds that stand out, traffic that was not what it
// should be. Pure.
#pragma once

#include <string>

#include "core/bench_result.h"

namespace rlctl {

// "note: …" a line each; empty when there is nothing to say.
std::string bench_warnings(const BenchResult& bench);

}  // namespace rlctl
