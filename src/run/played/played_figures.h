// PlayedFigures: the figures that a scenario's expectations need, measured from the logs of the
// run. Borrows both; judges parts of the logs on demand and caches those verdicts. One thread.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "scenario/expectation.h"
#include "scenario/scenario_result.h"

namespace rlctl {

class PlayedFigures final : public ScenarioFigures {
 public:
  PlayedFigures(const Scenario& scenario, const ScenarioResult& result)
      : scenario_(scenario), result_(result) {}

  Measurement measure(const MetricRow& row, const Selection& selection) const override;

 private:
  // The records of one phase of a policy, and their verdict.
  struct Part {
    Log log;
    Verdict verdict;
  };
  struct Judged {
    const std::vector<Record>& records;
    const Verdict& verdict;
  };

  bool is_meant(std::uint32_t phase, const Selection& selection) const;
  bool matches(const Record& record, const Log& log, const Selection& selection) const;
  std::vector<Record> records_of(const Selection& selection) const;
  Judged judged(const PolicyResult& policy, const Selection& selection) const;
  Measurement measure_judged(Metric metric, const Selection& selection) const;
  Measurement measure_times(const MetricRow& metric, const Selection& selection) const;
  Measurement measure_count(Metric metric, const Selection& selection) const;
  Measurement measure_promises(const Selection& selection) const;
  Measurement measure_recovery(const Selection& selection) const;
  Measurement measure_fault(Metric metric, const Selection& selection) const;

  const Scenario& scenario_;
  const ScenarioResult& result_;
  mutable std::map<std::pair<std::uint32_t, std::uint32_t>, Part> parts_;  // by policy and phase
};

}  // namespace rlctl
