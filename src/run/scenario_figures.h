// PlayedFigures: what a scenario's expectations ask of a run, measured from its logs alone. Borrows
// both; judges parts of the logs as they are asked for and keeps those verdicts. One thread.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/expectation.h"
#include "core/scenario_result.h"

namespace rlctl {

class PlayedFigures final : public ScenarioFigures {
 public:
  PlayedFigures(const Scenario& scenario, const ScenarioResult& result)
      : scenario_(scenario), result_(result) {}

  Measurement measure(Metric metric, Statistic statistic,
                      const Selection& selection) const override;

 private:
  // One phase of a policy, on its own.
  struct Part {
    Log log;
    Verdict verdict;
  };
  struct Judged {
    const std::vector<Record>& records;
    const Verdict& verdict;
  };

  bool matches(const Record& record, const Log& log, const Selection& selection) const;
  std::vector<Record> records_of(const Selection& selection) const;
  Judged judged(const PolicyResult& policy, const Selection& selection) const;
  Measurement measure_judged(Metric metric, const Selection& selection) const;
  Measurement measure_times(Metric metric, Statistic statistic, const Selection& selection) const;
  Measurement measure_count(Metric metric, const Selection& selection) const;
  Measurement measure_promises(const Selection& selection) const;
  Measurement measure_recovery(const Selection& selection) const;

  const Scenario& scenario_;
  const ScenarioResult& result_;
  mutable std::map<std::pair<std::uint32_t, std::uint32_t>, Part> parts_;  // by policy and phase
};

}  // namespace rlctl
