// Which limit, and whom would it have hit: what policies would have denied in a log, if every
// request of it is taken as wanted.
//
// Owns no state and reads no clock. Throws Error(Exit::usage) for what a log or an option lacks.
// Times are µs. O(n log n) for each policy and way of telling clients apart.
//
// Three figures for each client. *Certain*: denied for every placement of the arrivals in their
// intervals, by any limiter that keeps the policy. *Possible*: an exact limiter may deny them,
// depending on when in its interval each request came. *As stamped*: what an exact limiter denies
// if each came at the end of its interval: one possible case, and the only one that tells which
// requests, so hours are counted by it.
//
// The room plan: limits for a log.
// - It includes verdict, log, policy and base. It is pure.
// - It must not judge by other rules than verdict does: a policy is judged as if a limiter had
//   admitted everything. It must not know how a plan is shown.
//
// Begin with this file. Then: denial_range.h (one client), most_denials.h and first_hit_bounds.h
// (the most that may be denied), exact_limiter.h (as stamped), clients.h (who is one client),
// request_filter.h (which requests), advice.h (the smallest limits), changes.h (against the policy
// in force), replay_scenario.h (for CI).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "log/log_parser.h"
#include "plan/clients.h"
#include "plan/request_filter.h"
#include "policy/rule.h"
#include "verdict/figures.h"

namespace rlctl {

struct PlanOptions {
  std::vector<RequestFilter> only;
  std::vector<RequestFilter> exclude;
  WorkWatcher watcher;  // may be empty
};

struct ClientPlan {
  std::uint32_t client = 0;  // index into PolicyPlan::clients
  std::int64_t requests = 0;
  std::int64_t denied_in_log = 0;  // in the log
  OverAdmission denied = OverAdmission::none;
  std::int64_t certain = 0;
  std::int64_t possible = 0;  // at most, with the certain ones
  std::int64_t as_stamped = 0;
  std::int64_t worst = 0;  // its most requests in one window (first rule with one), certainly
  std::int64_t worst_possible = 0;       // wherever in their intervals they came
  std::int64_t worst_from_us = kNoTime;  // of the possible ones; kNoTime: not looked for
  std::int64_t worst_to_us = kNoTime;
  // Of the times between its requests: standard deviation / mean; empty: too few, or too coarse.
  std::optional<double> irregularity;
};

// A client that only one of two policies hits, or may hit.
struct ClientChange {
  bool newly = false;  // by the planned policy; otherwise freed by it
  ClientPlan figures;  // under the policy that hits it
};

struct HourPlan {
  std::int64_t requests = 0;
  std::int64_t denied = 0;  // as stamped
  std::int64_t clients_denied = 0;
};

// One policy, and one way of telling clients apart.
struct PolicyPlan {
  Rules rules;
  ClientBy by;
  std::vector<std::string> names;  // of clients
  std::int64_t requests = 0;
  std::int64_t without_client = 0;  // requests that lack a value to count by
  std::int64_t denied_in_log = 0;
  std::array<std::int64_t, 3> clients{};  // by OverAdmission
  std::int64_t certain = 0;
  std::int64_t possible = 0;
  std::int64_t as_stamped = 0;
  std::vector<std::int64_t> worst;  // of every client, ascending
  std::vector<std::int64_t> worst_possible;
  std::vector<ClientPlan> hit;  // those that are or may be denied, the worst first
  // Against the policy in force: see changes.h. Empty without one.
  std::vector<ClientChange> changes;
  std::map<std::int64_t, HourPlan> hours;  // by the hour's start; those with denials

  // Of the first rule that has a window; a minute if none has.
  std::int64_t window_us() const;
  bool has_window() const;
};

struct Plan {
  std::vector<PolicyPlan> policies;
  Rules in_force;             // empty: nothing to compare with
  std::int64_t requests = 0;  // looked at
  std::int64_t left_out = 0;  // by filters
  std::int64_t from_us = 0;
  std::int64_t to_us = 0;
  bool lacks_durations = false;
  std::int64_t typical_width_us = 0;  // of the intervals: the median
  std::vector<std::string> notes;
};

// The requests of a log as arrivals, with what the log says was denied.
class Arrivals {
 public:
  // Takes the log's histories as one. Sets the outcome of each request to allowed. Throws
  // Error(Exit::usage) if the filters leave no request.
  Arrivals(Log& log, std::span<const std::string> columns, const PlanOptions& options);

  const Log& log() const { return log_; }
  bool was_denied(std::size_t record) const { return was_denied_[record]; }
  // Requests that are not looked at belong to no client.
  void tell_apart(const ClientBy& by);
  const std::vector<std::uint32_t>& numbers() const { return clients_.of_record; }
  const std::vector<std::string>& names() const { return clients_.names; }
  std::int64_t left_out() const { return left_out_; }
  std::int64_t without_client() const { return without_client_; }

 private:
  Log& log_;
  std::span<const std::string> columns_;
  std::vector<bool> kept_;
  std::vector<bool> was_denied_;
  ToldApart by_key_;  // as the log has them
  ToldApart clients_;
  std::int64_t left_out_ = 0;
  std::int64_t without_client_ = 0;
};

// Facts about the log: all but the policies.
Plan begin_plan(const Arrivals& arrivals);

// What a reader has to know beside the figures.
std::vector<std::string> notes_on_plan(const Plan& plan);

// `arrivals` tells clients apart `by` already.
std::vector<PolicyPlan> plan_policies(const Arrivals& arrivals, const ClientBy& by,
                                      const std::vector<Rules>& policies,
                                      const PlanOptions& options);

}  // namespace rlctl
