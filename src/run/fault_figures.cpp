#include "run/fault_figures.h"

#include <algorithm>
#include <limits>

#include "run/policy_play.h"

namespace rlctl {
namespace {

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

// The time of a fault's consequences: until the next fault.
struct Span {
  std::int64_t from_us;
  std::int64_t to_us;

  bool contains(const Record& record) const {
    return record.intended_us >= from_us && record.intended_us < to_us;
  }
};

// How many were certainly admitted too many by requests before this time.
std::int64_t excess_before(const Scenario& scenario, const PolicyResult& policy,
                           std::int64_t time_us) {
  const std::vector<Record>& records = policy.log.records;
  const Log part = policy.log.only([&](std::size_t i) { return records[i].intended_us < time_us; });
  if (part.records.empty()) return 0;
  const PolicySpec& spec = scenario.policies[policy.policy];
  return judge(part, judge_options_of(scenario, spec, part)).policy.totals.excess_certain;
}

std::vector<std::int64_t> times_in(const Log& log, const Span& span) {
  std::vector<std::int64_t> times;
  for (const Record& record : log.records)
    if (span.contains(record)) times.push_back(record.intended_us);
  std::ranges::sort(times);
  return times;
}

// The request with which the excess reached this number, found by halving.
std::int64_t time_of_excess(const Scenario& scenario, const PolicyResult& policy, const Span& span,
                            std::int64_t excess) {
  const std::vector<std::int64_t> times = times_in(policy.log, span);
  const auto is_less = [&](std::int64_t time_us) {
    return excess_before(scenario, policy, time_us + 1) < excess;
  };
  const auto found = std::ranges::partition_point(times, is_less);
  return found == times.end() ? span.from_us : *found;
}

class Measured {
 public:
  Measured(const Scenario& scenario, const ScenarioResult& result, PlayedFault& fault, Span span)
      : scenario_(scenario), result_(result), fault_(fault), span_(span) {}

  void measure() {
    for (const PolicyResult& policy : result_.policies) find_wrong(policy);
    for (const PolicyResult& policy : result_.policies)
      for (const Record& record : policy.log.records)
        if (span_.contains(record)) count(record);
  }

 private:
  void find_wrong(const PolicyResult& policy) {
    const std::int64_t after = excess_before(scenario_, policy, span_.to_us);
    const std::int64_t excess = after - excess_before(scenario_, policy, span_.from_us);
    if (excess > 0) {
      fault_.over_admitted += excess;
      wrong_us_ = std::max(wrong_us_, time_of_excess(scenario_, policy, span_, after));
    }
    for (const Record& record : policy.log.records)
      if (span_.contains(record) && record.outcome > Outcome::denied)
        wrong_us_ = std::max(wrong_us_, record.intended_us);
  }

  void count(const Record& record) {
    if (record.intended_us <= std::max(wrong_us_, fault_.ended_us)) {
      fault_.allowed += record.outcome == Outcome::allowed;
      fault_.denied += record.outcome == Outcome::denied;
      fault_.unknown += record.outcome == Outcome::unknown;
      fault_.failed += record.outcome == Outcome::failed;
    }
    fault_.asked_after += record.intended_us >= fault_.ended_us;
    if (record.outcome > Outcome::denied) return;
    if (record.intended_us > wrong_us_) keep_first(fault_.right_after_us, record);
    if (record.outcome == Outcome::allowed && record.intended_us >= fault_.ended_us)
      keep_first(fault_.admits_after_us, record);
  }

  void keep_first(std::optional<std::int64_t>& first_us, const Record& record) const {
    const std::int64_t after_us = record.received_us - fault_.at_us;
    first_us = std::min(first_us.value_or(after_us), after_us);
  }

  const Scenario& scenario_;
  const ScenarioResult& result_;
  PlayedFault& fault_;
  Span span_;
  std::int64_t wrong_us_ = 0;  // when the last wrong decision was asked for
};

}  // namespace

void add_fault_figures(const Scenario& scenario, ScenarioResult& result) {
  for (std::size_t i = 0; i < result.faults.size(); ++i) {
    PlayedFault& fault = result.faults[i];
    const std::int64_t to_us = i + 1 < result.faults.size() ? result.faults[i + 1].at_us : kEnd - 1;
    Measured(scenario, result, fault, {fault.at_us, to_us}).measure();
  }
}

}  // namespace rlctl
