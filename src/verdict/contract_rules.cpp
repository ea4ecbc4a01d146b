#include "verdict/contract_rules.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "base/units.h"
#include "verdict/judge_anchored.h"
#include "verdict/judge_bucket.h"
#include "verdict/judge_unknown_phase.h"
#include "verdict/judge_windows.h"

namespace rlctl {
namespace {

Figures judge_fixed(const History& history, const Contract& contract, const JudgeOptions& options) {
  return contract.phase_us ? judge_windows(history, contract, options)
                           : judge_unknown_phase(history, contract, options);
}

Wide most_in_any_window(const Contract& contract, std::int64_t span_us) {
  return Wide{contract.limit} * (span_us / contract.window_us + 1);
}

Wide most_around_edges(const Contract& contract, std::int64_t span_us) {
  return Wide{contract.limit} * (span_us == 0 ? 1 : (span_us - 1) / contract.window_us + 2);
}

Wide most_from_bucket(const Contract& contract, std::int64_t span_us) {
  return contract.capacity + Wide{contract.limit} * span_us / contract.window_us;
}

struct ContractRules {
  ContractKind kind;
  Figures (*judge)(const History&, const Contract&, const JudgeOptions&);
  Wide (*most)(const Contract&, std::int64_t span_us);  // null: it promises nothing
};

constexpr ContractRules kRules[] = {
    {ContractKind::sliding, judge_windows, most_in_any_window},
    {ContractKind::fixed, judge_fixed, most_around_edges},
    {ContractKind::anchored, judge_anchored, most_around_edges},
    {ContractKind::bucket, judge_bucket, most_from_bucket},
    {ContractKind::none, judge_windows, nullptr},
};
static_assert(std::ranges::equal(kRules, kContractRows, {}, &ContractRules::kind,
                                 &ContractRow::meaning));

const ContractRules& rules_for(ContractKind kind) {
  return *std::ranges::find(kRules, kind, &ContractRules::kind);
}

}  // namespace

Figures judge_by_kind(const History& history, const Contract& contract,
                      const JudgeOptions& options) {
  return rules_for(contract.kind).judge(history, contract, options);
}

std::optional<std::int64_t> most_promised(const Contract& contract, std::int64_t span_us) {
  const auto most = rules_for(contract.kind).most;
  if (most == nullptr || contract.window_us <= 0 || span_us < 0) return std::nullopt;
  const Wide largest = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(most(contract, span_us), largest));
}

}  // namespace rlctl
