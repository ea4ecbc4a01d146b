// The words of scenario files and what they mean, in both directions. Pure; never fails.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/scenario.h"

namespace rlctl {

template <typename Meaning>
struct Word {
  const char* name;
  Meaning meaning;
};

// The argument only selects the list.
std::span<const Word<ScenarioClock>> words_of(ScenarioClock);
std::span<const Word<RunChoice>> words_of(RunChoice);
std::span<const Word<ContractKind>> words_of(ContractKind);
std::span<const Word<VerdictKind>> words_of(VerdictKind);
std::span<const Word<TargetKind>> words_of(TargetKind);
std::span<const Word<OnError>> words_of(OnError);
std::span<const Word<Pick>> words_of(Pick);
std::span<const Word<ArrivalPattern>> words_of(ArrivalPattern);
std::span<const Word<OnDeny>> words_of(OnDeny);
std::span<const Word<Anchor>> words_of(Anchor);
std::span<const Word<TrafficModel>> words_of(TrafficModel);
std::span<const Word<FaultKind>> words_of(FaultKind);
std::span<const Word<Metric>> words_of(Metric);
std::span<const Word<Statistic>> words_of(Statistic);
std::span<const Word<Comparison>> words_of(Comparison);

template <typename Meaning>
std::optional<Meaning> meaning_of(std::string_view name) {
  for (const Word<Meaning>& word : words_of(Meaning{}))
    if (word.name == name) return word.meaning;
  return std::nullopt;
}

// Returns "" for a value that has no word in scenario files.
template <typename Meaning>
const char* word_for(Meaning meaning) {
  for (const Word<Meaning>& word : words_of(meaning))
    if (word.meaning == meaning) return word.name;
  return "";
}

template <typename Meaning>
std::vector<std::string> all_words() {
  std::vector<std::string> names;
  for (const Word<Meaning>& word : words_of(Meaning{})) names.emplace_back(word.name);
  return names;
}

// "latency.p99", "over_admitted".
std::string metric_name(Metric metric, Statistic statistic);

}  // namespace rlctl
