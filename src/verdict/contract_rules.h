// The judge and the bound of each kind of contract, keyed by the rows of policy/contract.h. Pure;
// never fails. Times are µs.
#pragma once

#include <cstdint>
#include <optional>

#include "verdict/history.h"
#include "verdict/verdict.h"

namespace rlctl {

// Judges one key by the contract's kind. Figures that all kinds share are left out: judge_key.h
// adds them.
Figures judge_by_kind(const History& history, const Contract& contract,
                      const JudgeOptions& options);

// The curve of a contract: the most that it allows in a closed span of this length, wherever the
// span begins. Sliding: L for each W begun. Fixed and anchored: L more, because a span may begin
// just before an edge. Bucket: the capacity and the refill during the span. Empty for kind none.
std::optional<std::int64_t> most_promised(const Contract& contract, std::int64_t span_us);

}  // namespace rlctl
