#include "run/explore/known_instants.h"

#include <algorithm>

#include "verdict/rule_judges.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostChoices = 4096;

// Counts through all choices: one instant for each admission, and for each hit whether it opens a
// window if it can.
class Choices {
 public:
  Choices(const KnownInstants& known, bool windows_open_by_hits) : known_(known) {
    for (const auto& instants : known.admitted) sizes_.push_back(instants.size());
    if (windows_open_by_hits) sizes_.resize(sizes_.size() + known.hits.size(), 2);
    chosen_.assign(sizes_.size(), 0);
  }

  bool too_many() const {
    std::size_t count = 1;
    for (const std::size_t size : sizes_)
      if ((count *= size) > kMostChoices) return true;
    return false;
  }

  bool next() {
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      if (++chosen_[i] < sizes_[i]) return true;
      chosen_[i] = 0;
    }
    return false;
  }

  // A hit that opens a window is an admission that costs nothing.
  History history() const {
    History history;
    const std::size_t admitted = known_.admitted.size();
    for (std::size_t i = 0; i < admitted; ++i) add(history, known_.admitted[i][chosen_[i]], 1);
    for (std::size_t i = admitted; i < sizes_.size(); ++i)
      if (chosen_[i] == 1) add(history, known_.hits[i - admitted], 0);
    std::ranges::stable_sort(history.admitted, {}, &Placement::low_us);
    history.from_us = history.admitted.front().low_us;
    return history;
  }

 private:
  static void add(History& history, std::int64_t at_us, std::int64_t cost) {
    history.admitted.push_back({at_us, at_us, cost, 0});
  }

  const KnownInstants& known_;
  std::vector<std::size_t> sizes_, chosen_;
};

}  // namespace

bool over_admits(const KnownInstants& known, const Rules& rules, std::int64_t tolerance_us) {
  if (known.admitted.empty()) return false;
  const bool by_hits =
      std::ranges::any_of(rules, [](const Rule& rule) { return rule.kind == RuleKind::first_hit; });
  Choices choices(known, by_hits);
  if (choices.too_many()) return false;
  JudgeOptions options;
  options.fresh = true;
  options.tolerance_us = tolerance_us;
  do {
    const History history = choices.history();
    const auto kept = [&](const Rule& rule) {
      return judge_by_kind(history, rule, options).figures.over_admission != OverAdmission::certain;
    };
    if (std::ranges::all_of(rules, kept)) return false;
  } while (choices.next());
  return true;
}

}  // namespace rlctl
