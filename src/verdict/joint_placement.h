// One placement of a key's history that keeps all rules and explains every denial.
//
// That each decision can be explained by itself is not enough: limit 1 per 6, denied in [1, 7],
// allowed in [5, 11], denied in [11, 13], denied at 16 has no placement, although each of the four
// is possible. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "policy/rule.h"
#include "verdict/algorithm/feasibility.h"
#include "verdict/figures.h"
#include "verdict/history.h"
#include "verdict/opinion.h"

namespace rlctl {

struct JointPlacement {
  Schedulable answer = Schedulable::yes;
  bool about_denials = false;  // not the admissions alone
  // no, undetermined: the decisions that stand against each other. Indexes into Log::records.
  std::vector<std::uint32_t> against;
};

// The key under which a rule counts a record (log/rule_keys.h; kUncounted: it does not count it),
// for rules that count by different names. Empty: all rules count all records under one key.
using KeyOfRecord = std::function<std::uint32_t(std::size_t rule, std::uint32_t record)>;

// `denials`: what all rules together say of each of history.denied. Those that are right in every
// placement need no explanation, those that requests before the log may explain have one. Without
// `admissions_too`, it is known that the admissions alone have a placement.
JointPlacement place_jointly(const History& history, const Rules& rules,
                             const JudgeOptions& options, const std::vector<Opinion>& denials,
                             bool admissions_too, const KeyOfRecord& key_of = {});

}  // namespace rlctl
