#include "policy/policy.h"

#include <fmt/format.h>

#include "base/units.h"

namespace rlctl {

std::string contract_in_words(const Contract& contract) {
  const std::string window = format_duration(contract.window_us);
  const std::string limit = format_count(contract.limit);
  std::string text = fmt::format("{}, {} per {}", name_of(contract.kind), limit, window);
  if (contract.kind == ContractKind::bucket)
    text = fmt::format("bucket of {}, refilled {} per {}", format_count(contract.capacity), limit,
                       window);
  if (contract.kind == ContractKind::fixed && !contract.phase_us) text += ", phase unknown";
  if (contract.counts_denied) text += ", denied requests count";
  if (contract.block_us > 0)
    text += ", blocked for " + format_duration(contract.block_us) + " after a denial";
  return text;
}

}  // namespace rlctl
