// Played scenarios for people: a line for each, and of those that did not pass what was expected,
// what was measured, the records that prove it, and what to do next. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "core/scenario.h"
#include "core/scenario_result.h"

namespace rlctl {

// "passed  drain  1.2 s  violated, as expected: …"; ends with a newline.
std::string scenario_line(const Scenario& scenario, const ScenarioResult& result);

// Why it did not pass; "" for one that passed without a note. Lines are indented.
std::string scenario_details(const Scenario& scenario, const ScenarioResult& result);

// The records behind a violated verdict, as a small drawing; "" when there is none.
std::string scenario_evidence(const ScenarioResult& result);

// What is printed beside every verdict, a line each; indented.
std::string scenario_notes(const ScenarioResult& result);

// What each phase sent and got, as a table.
std::string phase_table(const Scenario& scenario, const ScenarioResult& result);

// "boundary.json:31:5" of something that stands in the scenario's file.
std::string place_in_words(const Scenario& scenario, const SourcePlace& place);

struct ScenarioTally {
  std::int64_t passed = 0;
  std::int64_t failed = 0;
  std::int64_t inconclusive = 0;
  std::int64_t could_not_run = 0;
  std::int64_t duration_us = 0;

  void add(const ScenarioResult& result);
};

// "12 scenarios in 41.2 s: 11 passed, 1 FAILED"; ends with a newline.
std::string tally_line(const ScenarioTally& tally);

// Before anything is sent: what each phase will do; --dry-run.
std::string scenario_plan_text(const Scenario& scenario);

}  // namespace rlctl
