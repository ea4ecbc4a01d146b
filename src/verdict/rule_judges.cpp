#include "verdict/rule_judges.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "base/units.h"
#include "verdict/judge_anchored.h"
#include "verdict/judge_bucket.h"
#include "verdict/judge_in_flight.h"
#include "verdict/judge_unknown_phase.h"
#include "verdict/judge_windows.h"

namespace rlctl {
namespace {

RuleOpinion judge_fixed(const History& history, const Rule& contract, const JudgeOptions& options) {
  return contract.phase_us ? judge_windows(history, contract, options)
                           : judge_unknown_phase(history, contract, options);
}

Wide most_in_any_window(const Rule& contract, std::int64_t span_us) {
  return Wide{contract.limit} * (span_us / contract.window_us + 1);
}

Wide most_around_edges(const Rule& contract, std::int64_t span_us) {
  return Wide{contract.limit} * (span_us == 0 ? 1 : (span_us - 1) / contract.window_us + 2);
}

Wide most_from_bucket(const Rule& contract, std::int64_t span_us) {
  if (contract.step_us == 0)
    return contract.capacity + Wide{contract.limit} * span_us / contract.window_us;
  const std::int64_t steps = (span_us + contract.step_us - 1) / contract.step_us;
  return contract.capacity + Wide{contract.refill_per_step()} * steps;
}

Wide any_number(const Rule&, std::int64_t) { return std::numeric_limits<std::int64_t>::max(); }

struct RuleJudge {
  RuleKind kind;
  RuleOpinion (*judge)(const History&, const Rule&, const JudgeOptions&);
  Wide (*most)(const Rule&, std::int64_t span_us);
};

constexpr RuleJudge kJudges[] = {
    {RuleKind::sliding, judge_windows, most_in_any_window},
    {RuleKind::fixed, judge_fixed, most_around_edges},
    {RuleKind::first_hit, judge_anchored, most_around_edges},
    {RuleKind::bucket, judge_bucket, most_from_bucket},
    {RuleKind::in_flight, judge_in_flight, any_number},
};
static_assert(std::ranges::equal(kJudges, kRuleRows, {}, &RuleJudge::kind, &RuleRow::meaning));

const RuleJudge& judge_of(RuleKind kind) { return kJudges[static_cast<std::size_t>(kind)]; }

}  // namespace

RuleOpinion judge_by_kind(const History& history, const Rule& contract,
                          const JudgeOptions& options) {
  return judge_of(contract.kind).judge(history, contract, options);
}

std::int64_t most_promised(const Rules& rules, std::int64_t span_us) {
  Wide most = std::numeric_limits<std::int64_t>::max();
  for (const Rule& rule : rules) most = std::min(most, judge_of(rule.kind).most(rule, span_us));
  return static_cast<std::int64_t>(most);
}

std::int64_t shortest_span(const Rules& rules, std::int64_t units) {
  std::int64_t too_short = -1;
  std::int64_t enough = kLongestDurationUs;
  while (enough - too_short > 1) {
    const std::int64_t middle = too_short + (enough - too_short) / 2;
    (most_promised(rules, middle) >= units ? enough : too_short) = middle;
  }
  return enough;
}

}  // namespace rlctl
