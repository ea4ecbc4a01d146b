#include "plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"
#include "log/rule_keys.h"
#include "plan/denial_range.h"
#include "plan/exact_limiter.h"
#include "plan/most_denials.h"
#include "verdict/containment.h"

namespace rlctl {
namespace {

std::int64_t window_of(const Rules& rules) {
  for (const Rule& rule : rules)
    if (rule.has_window()) return rule.window_us;
  return kMinuteUs;
}

JudgeOptions options_of(const Log& log, const Rules& rules) {
  JudgeOptions options;
  for (const Rule& rule : rules)
    if (!rule.has_window() || rule.window_us > log.terms.tolerance_us)
      options.tolerance_us = log.terms.tolerance_us;
  options.fresh = true;
  return options;
}

// Fewer requests than fit at once are never denied.
std::int64_t least_at_once(const Rules& rules) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Rule& rule : rules) least = std::min(least, rule.most_at_once());
  return least;
}

// A machine asks at equal intervals. Only if a stamp is much sharper than an interval.
std::optional<double> irregularity_of(const std::vector<Placement>& arrivals) {
  constexpr std::size_t kFewest = 20;
  if (arrivals.size() < kFewest) return std::nullopt;
  const auto gaps = static_cast<double>(arrivals.size() - 1);
  const auto span = static_cast<double>(arrivals.back().high_us - arrivals.front().high_us);
  const double mean = span / gaps;
  double squares = 0;
  double width = 0;
  for (std::size_t i = 1; i < arrivals.size(); ++i) {
    const auto gap = static_cast<double>(arrivals[i].high_us - arrivals[i - 1].high_us);
    squares += (gap - mean) * (gap - mean);
    width = std::max(width, static_cast<double>(arrivals[i].high_us - arrivals[i].low_us));
  }
  if (mean <= 0 || mean < 10 * width) return std::nullopt;
  return std::sqrt(squares / gaps) / mean;
}

// One policy, client by client.
class PolicyPlanner {
 public:
  PolicyPlanner(const Arrivals& arrivals, const Rules& rules, PolicyPlan& plan)
      : log_(arrivals.log()),
        rules_(rules),
        judge_(options_of(log_, rules)),
        least_(least_at_once(rules)),
        holds_(any_in_flight(rules)),
        window_(WindowRule::sliding(window_of(rules), 0)),
        plan_(plan) {}

  // `by_stamp`: the history's arrivals, by_high().
  void add(const History& history, const std::vector<Placement>& by_stamp, ClientPlan figures) {
    if (figures.requests > least_ || has_costs(history)) judge(history, by_stamp, figures);
    find_worst_window(history, by_stamp, figures);
    count(figures);
    if (figures.denied != OverAdmission::none) plan_.hit.push_back(std::move(figures));
  }

  void finish() {
    std::ranges::sort(plan_.worst);
    std::ranges::sort(plan_.worst_possible);
    std::stable_sort(plan_.hit.begin(), plan_.hit.end(), is_worse);
  }

 private:
  static bool is_worse(const ClientPlan& a, const ClientPlan& b) {
    return std::tuple(a.certain, a.as_stamped, a.possible) >
           std::tuple(b.certain, b.as_stamped, b.possible);
  }

  static bool has_costs(const History& history) {
    return std::ranges::any_of(history.admitted, [](const Placement& p) { return p.cost != 1; });
  }

  void judge(const History& history, const std::vector<Placement>& by_stamp, ClientPlan& figures) {
    const ClientDenials denials = denials_of(history, rules_, judge_);
    figures.denied = denials.denied;
    figures.certain = denials.least;
    figures.possible = denials.most;
    if (figures.denied != OverAdmission::none) replay(by_stamp, figures);
  }

  // A sliding one, whatever the rules are: policies of one window have the same worst windows.
  void find_worst_window(const History& history, const std::vector<Placement>& by_stamp,
                         ClientPlan& figures) const {
    const FullestWindow fullest = fullest_window(history.admitted, by_stamp, plan_.window_us());
    figures.worst = most_certain(history.admitted, window_, least_).count;
    figures.worst_possible = fullest.count;
    if (figures.denied == OverAdmission::none) return;
    figures.worst_from_us = fullest.from_us;
    figures.worst_to_us = fullest.from_us + plan_.window_us() - 1;
  }

  // As stamped. What is known for certain stays so.
  void replay(const std::vector<Placement>& arrivals, ClientPlan& figures) {
    figures.irregularity = irregularity_of(arrivals);
    ExactLimiter limiter(rules_);
    std::int64_t last_hour = kNoTime;
    for (const Placement& p : arrivals) {
      const std::int64_t end_us =
          holds_ ? std::max(p.high_us, log_.records[p.record].received_us) : p.high_us;
      if (limiter.admits(p.high_us, end_us, p.cost)) continue;
      ++figures.as_stamped;
      const std::int64_t hour = p.high_us - p.high_us % kHourUs;
      HourPlan& bitten = plan_.hours[hour];
      ++bitten.denied;
      bitten.clients_denied += hour != last_hour;
      last_hour = hour;
    }
  }

  void count(const ClientPlan& figures) {
    const auto kind = static_cast<std::size_t>(figures.denied);
    ++plan_.clients[kind];
    plan_.requests += figures.requests;
    plan_.denied_in_log += figures.denied_in_log;
    plan_.certain += figures.certain;
    plan_.possible += figures.possible;
    plan_.as_stamped += figures.as_stamped;
    plan_.worst.push_back(figures.worst);
    plan_.worst_possible.push_back(figures.worst_possible);
  }

  const Log& log_;
  const Rules& rules_;
  JudgeOptions judge_;
  std::int64_t least_;
  bool holds_;  // some rule counts until the work is over
  WindowRule window_;
  PolicyPlan& plan_;
};

[[noreturn]] void refuse_filters(std::int64_t requests, const PlanOptions& options) {
  const char* const which = options.exclude.empty() ? "--only"
                            : options.only.empty()  ? "--exclude"
                                                    : "--only and --exclude";
  throw Error(Exit::usage,
              fmt::format("{}: no request is left of {}", which, format_count(requests)),
              "a pattern has to fit the whole value of its column; * stands for any text");
}

ClientPlan figures_of(const Arrivals& arrivals, std::uint32_t client,
                      std::span<const std::uint32_t> records, const History& history) {
  ClientPlan figures;
  figures.client = client;
  figures.requests = static_cast<std::int64_t>(records.size()) - history.failed;
  for (const std::uint32_t record : records) figures.denied_in_log += arrivals.was_denied(record);
  return figures;
}

}  // namespace

std::int64_t PolicyPlan::window_us() const { return window_of(rules); }

bool PolicyPlan::has_window() const { return std::ranges::any_of(rules, &Rule::has_window); }

Arrivals::Arrivals(Log& log, std::span<const std::string> columns, const PlanOptions& options)
    : log_(log), columns_(columns), kept_(looked_at(log, options.only, options.exclude)) {
  was_denied_.reserve(log.records.size());
  for (Record& record : log.records) {
    was_denied_.push_back(record.outcome == Outcome::denied);
    if (record.outcome != Outcome::failed) record.outcome = Outcome::allowed;
    if (record.received_us == kNoTime) record.received_us = record.sent_us;
  }
  by_key_ = clients_of(log, {"key", {}}, columns);
  std::int64_t requests = 0;
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (log.records[i].outcome == Outcome::failed) continue;
    ++requests;
    left_out_ += !kept_[i];
  }
  if (left_out_ > 0 && left_out_ == requests) refuse_filters(requests, options);
}

void Arrivals::tell_apart(const ClientBy& by) {
  clients_ = by.parts.empty() ? by_key_ : clients_of(log_, by, columns_);
  without_client_ = 0;
  for (std::size_t i = 0; i < log_.records.size(); ++i) {
    without_client_ += kept_[i] && clients_.of_record[i] == kUncounted;
    log_.records[i].key = kept_[i] ? clients_.of_record[i] : kUncounted;
  }
  log_.keys = clients_.names;
}

Plan begin_plan(const Arrivals& arrivals) {
  Plan plan;
  plan.left_out = arrivals.left_out();
  plan.from_us = std::numeric_limits<std::int64_t>::max();
  plan.lacks_durations = arrivals.log().lacks_durations;
  std::vector<std::int64_t> widths;
  for (const Record& record : arrivals.log().records) {
    if (record.outcome == Outcome::failed) continue;
    plan.from_us = std::min(plan.from_us, record.sent_us);
    plan.to_us = std::max(plan.to_us, record.received_us);
    widths.push_back(record.received_us - record.sent_us);
  }
  plan.requests = static_cast<std::int64_t>(widths.size()) - plan.left_out;
  if (widths.empty()) return plan;
  const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
  std::nth_element(widths.begin(), middle, widths.end());
  plan.typical_width_us = *middle;
  return plan;
}

std::vector<PolicyPlan> plan_policies(const Arrivals& arrivals, const ClientBy& by,
                                      const std::vector<Rules>& policies,
                                      const PlanOptions& options) {
  std::vector<PolicyPlan> plans(policies.size());
  std::vector<PolicyPlanner> planners;
  Rules all;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    plans[i].rules = policies[i];
    plans[i].by = by;
    plans[i].names = arrivals.names();
    plans[i].without_client = arrivals.without_client();
    planners.emplace_back(arrivals, policies[i], plans[i]);
    all.insert(all.end(), policies[i].begin(), policies[i].end());
  }
  const Log& log = arrivals.log();
  const JudgeOptions judge;
  const JudgedLog judged{log, frame_of_curves(log, judge), 0, judge};
  const RecordsByKey by_client(log, RuleKeys(log, ""));
  Work work{"planning", "clients", 0, static_cast<std::int64_t>(by_client.keys())};
  for (std::uint32_t client = 0; client < by_client.keys(); ++client) {
    work.done = client;
    if (options.watcher) options.watcher(work);
    if (by_client.of(client).empty()) continue;
    // Ends are there if any rule needs them: they do not change what other rules say.
    const History history = history_of(judged, by_client.of(client), all);
    const ClientPlan figures = figures_of(arrivals, client, by_client.of(client), history);
    const std::vector<Placement> by_stamp = by_high(history.admitted);
    for (PolicyPlanner& planner : planners) planner.add(history, by_stamp, figures);
  }
  for (PolicyPlanner& planner : planners) planner.finish();
  return plans;
}

std::vector<std::string> notes_on_plan(const Plan& plan) {
  std::vector<std::string> notes;
  if (plan.lacks_durations)
    notes.push_back(
        "the log has no durations: what is certain is so if no request took longer than --longest "
        "[0s]; log the duration of each request ($request_time in nginx)");
  else if (plan.typical_width_us >= kSecondUs)
    notes.push_back("the log tells the time of a request to " +
                    format_duration_for_people(plan.typical_width_us + 1) +
                    ": with stamps in milliseconds ($msec in nginx) less would be only possible");
  for (const PolicyPlan& policy : plan.policies)
    if (policy.without_client > 0 && policy.rules == plan.policies.front().rules)
      notes.push_back(counted(policy.without_client, "request") + " without a value of " +
                      in_quotes(policy.by.text) + " were not counted");
  return notes;
}

}  // namespace rlctl
