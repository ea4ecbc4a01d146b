#include "policy/contract.h"

#include <fmt/format.h>

#include "base/units.h"

namespace rlctl {
namespace {

std::string filled(const char* sentence, const Contract& contract) {
  return fmt::format(fmt::runtime(sentence), fmt::arg("limit", format_count(contract.limit)),
                     fmt::arg("window", format_duration(contract.window_us)),
                     fmt::arg("capacity", format_count(contract.capacity)));
}

}  // namespace

Contract contract_of(ContractKind kind, const Policy& policy) {
  Contract contract;
  contract.kind = kind;
  contract.limit = policy.limit;
  contract.window_us = policy.window_us;
  contract.capacity = policy.bucket_capacity();
  contract.block_us = policy.block_us;
  return contract;
}

std::string contract_in_words(const Contract& contract) {
  std::string text = filled(contract.row().summary, contract);
  if (contract.has_unknown_phase()) text += ", phase unknown";
  if (contract.counts_denied) text += ", denied requests count";
  if (contract.block_us > 0)
    text += ", blocked for " + format_duration(contract.block_us) + " after a denial";
  return text;
}

std::string promise_in_words(const Contract& contract) {
  return filled(contract.row().promise, contract);
}

std::string rate_in_words(const Contract& contract) {
  return filled(contract.row().rate, contract);
}

std::string span_in_words(const Contract& contract) {
  return filled(contract.row().span, contract);
}

}  // namespace rlctl
