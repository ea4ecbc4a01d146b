// The figures of one key under "N in flight": at most N units are held at any instant.
//
// An admission is held from its decision, in [low, high], to its end, in [from, to] (history.h: its
// finish, or the answer over HTTP), and no longer than the lease, if the rule has one. So it is
// held for certain between high and from, and possibly from low to to. If those that are certain
// overlap too often, that is a proof. If those that are possible do not, so is that. The search for
// one placement (joint_placement.h) settles the rest.
//
// A denial is explained if N units may be held at some instant of it. Pure.
#pragma once

#include "policy/rule.h"
#include "verdict/history.h"
#include "verdict/judge_key.h"

namespace rlctl {

// Needs History::ends.
RuleOpinion judge_in_flight(const History& history, const Rule& rule, const JudgeOptions& options);

}  // namespace rlctl
