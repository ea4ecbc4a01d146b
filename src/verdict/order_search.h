// Tries all orders of a cluster's decisions, stretch by stretch. Exact, within its budget.
//
// A stretch is a group of requests whose ranges overlap, directly or through others. All of a
// stretch are decided before those of the next one, so orders are tried within stretches only: of
// requests at exact times there is one order, however many they are.
//
// A stretch that is too large ends the search, and what comes before it is a prefix. Whatever a
// rule answers depends on what was decided before, and on nothing later. So a placement of
// everything, cut at the end of the prefix, is a placement of the prefix: its answered requests are
// all decided by then, an unanswered one is decided by then or never, what is held ends when it
// does, and what requests before the log left behind is the same. Hence, if the prefix has no
// placement, nothing has. If it has one, that says nothing of the rest.
//
// Pure; one thread.
#pragma once

#include "policy/rule.h"
#include "verdict/algorithm/feasibility.h"
#include "verdict/decision_sequence.h"

namespace rlctl {

struct OrderBudget {
  std::int64_t steps = 20'000;  // decisions tried; twice as many as there are requests are added
  std::size_t stretch = 40;     // requests of one stretch, at most
};

// no, yes: proven. `requests` are sorted by the beginnings of their ranges.
Schedulable search_orders(const Requests& requests, const Lanes& lanes, const JointFrame& frame,
                          const OrderBudget& budget = {});

}  // namespace rlctl
