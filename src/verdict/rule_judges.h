// The judge and the bound of each kind of rule, keyed by the rows of policy/rule.h. Pure; never
// fails. Times are µs.
#pragma once

#include <cstdint>

#include "verdict/judge_key.h"

namespace rlctl {

// Judges one key by the rule's kind. Figures that all kinds share are left out: judge_key() adds
// them.
RuleOpinion judge_by_kind(const History& history, const Rule& rule, const JudgeOptions& options);

// The most that the rules allow in a closed span of this length (>= 0), wherever the span begins;
// the largest number if there are no rules. Sliding: L for each W begun. Fixed and first hit: L
// more, because a span may begin just before an edge. Bucket: the capacity and the refill during
// the span. In flight: no bound, because each may be over at once.
std::int64_t most_promised(const Rules& rules, std::int64_t span_us);

// The shortest span in which the rules can admit so many; at most 100 years.
std::int64_t shortest_span(const Rules& rules, std::int64_t units);

}  // namespace rlctl
