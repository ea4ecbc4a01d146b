// The figures of one key under "N in flight": at most N units are held at any instant.
//
// An admission is held from its decision, in [low, high], to its end, in [from, to] (history.h: its
// finish, or the answer over HTTP), and no longer than the lease, if the rule has one. So it is
// held for certain between high and from, and possibly from low to to. If those that are certain
// overlap too often, that is a proof. Otherwise the placement that decides as late and ends as
// early as possible is a witness. Work that is known to take D but may begin at several instants is
// a job of length D: then the question is one of scheduling (feasibility.h).
//
// A denial is explained if N units may be held at some instant of it. Pure.
#pragma once

#include "policy/rule.h"
#include "verdict/algorithm/feasibility.h"
#include "verdict/history.h"
#include "verdict/judge_key.h"

namespace rlctl {

// Needs History::ends.
RuleOpinion judge_in_flight(const History& history, const Rule& rule, const JudgeOptions& options);

// Whether one placement keeps the rule and explains every denial for which `denials` has found
// neither a certain reason nor none.
Schedulable place_in_flight(const History& history, const Rule& rule, const JudgeOptions& options,
                            const std::vector<Opinion>& denials);

}  // namespace rlctl
