// All figures of one key under rules that must all hold: each rule's judge, and what they say
// together. A denial is explained if any rule may be full; an admission is right if every rule had
// room.
#pragma once

#include <vector>

#include "verdict/history.h"
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

JudgedKey judge_key(const History& history, const Rules& rules, const JudgeOptions& options);

// The totals of several keys: sums, and the worst value of figures that cannot be added.
class Totals {
 public:
  void add(const Figures& key);
  Figures take();

 private:
  Figures sums_;
  Figures worst_;
  bool any_ = false;
};

// Whether a is worse than b: first by what is proven (admissions above the limit, wrong denials),
// then by what is possible. For lists of keys.
bool guiltier(const Figures& a, const Figures& b);

}  // namespace rlctl
