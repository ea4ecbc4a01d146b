// The result of a bench as JSON ("rlctl.bench/1", README): medians on top, every round below. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include "compare/bench_result.h"

namespace rlctl {

nlohmann::ordered_json bench_json(const BenchResult& result);

}  // namespace rlctl
