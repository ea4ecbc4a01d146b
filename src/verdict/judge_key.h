// All figures of one key under rules that must all hold: each rule's judge, and what they say
// together. A denial is explained if any rule may be full; an admission is right if every rule had
// room.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "verdict/history.h"
#include "verdict/joint_placement.h"
#include "verdict/opinion.h"
#include "verdict/verdict.h"

namespace rlctl {

// What a rule's judge concludes: the figures of over-admission, and one opinion per decision.
struct RuleOpinion {
  Figures figures;
  std::vector<Opinion> denials;     // one per History::denied
  std::vector<Opinion> admissions;  // one per History::admitted
};

struct JudgedKey {
  Figures together;
  std::vector<Figures> by_rule;  // empty: there is only one rule
};

// What every history of a log is made of.
struct JudgedLog {
  const Log& log;
  Frame frame;
  std::int64_t from_us = 0;  // History::from_us
  const JudgeOptions& options;
};
History history_of(const JudgedLog& judged, std::span<const std::uint32_t> records,
                   const Rules& rules);
// For KeyHistoryBuilder, of such a log: empty if no rule holds units.
std::optional<WorkEnds> work_ends(const Log& head, const Rules& rules, const JudgeOptions& options);

JudgedKey judge_key(const History& history, const Rules& rules, const JudgeOptions& options);

// The parts, for rules that count by different keys.

// What one rule says. Its figures have no counts. `alone`: no other rule may explain a denial.
RuleOpinion opinion_by(const History& history, const Rule& rule, const JudgeOptions& options,
                       bool alone);

// One rule that may be full explains a denial.
Opinion either(Opinion a, Opinion b);
// One rule that is certainly full forbids an admission.
Opinion both(Opinion a, Opinion b);

// The figures of `opinion`, with the counts of the history.
Figures counted_figures(const History& history, RuleOpinion opinion);

// What one placement of all decisions, or its absence, adds to the figures.
void add_joint(JointPlacement joint, bool admissions_too, Figures& figures);

// What one placement that keeps every rule settles of each.
void add_witness(Figures& figures);

// Of a log that is not whole: what the rest may explain is left undecided, which are the denials
// that nothing here explains, and the admissions that were right without the others.
void leave_open(Figures& figures);

// The totals of several keys: sums, and the worst value of figures that cannot be added.
class Totals {
 public:
  // `number`: of keys that are equally bad, the lowest one is described.
  void add(const Figures& key, std::uint32_t number);
  void join(const Totals& other);
  Figures take();
  // All that name records, unsorted.
  void each_figures(const std::function<void(const Figures&)>& see) const {
    see(sums_);
    see(worst_);
  }
  const std::vector<std::uint32_t>& false_denials() const { return sums_.certain_false_denials; }
  // With these sums in place of those of the keys: a request may count under several of them.
  Figures take_with(Figures sums);
  auto members() { return std::tie(sums_, worst_, worst_number_, against_number_); }

 private:
  void add_largest(const Figures& key, std::uint32_t against_number);
  void describe(const Figures& key, std::uint32_t number);

  Figures sums_;
  Figures worst_;
  static constexpr std::uint32_t kNoKey = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t worst_number_ = kNoKey;    // of the key in worst_
  std::uint32_t against_number_ = kNoKey;  // of the key that gave sums_.against
};

// Whether a is worse than b: first by what is proven (admissions above the limit, wrong denials),
// then by what is possible. For lists of keys.
bool guiltier(const Figures& a, const Figures& b);

}  // namespace rlctl
