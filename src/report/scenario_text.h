// Played scenarios as text: a line for each. For a scenario that did not pass also: the expected
// and the measured values, the records that prove them, and what to do next. Tables are at most
// `width` columns wide if possible; 0: no bound. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scenario/scenario.h"
#include "scenario/scenario_result.h"

namespace rlctl {

// "passed  drain  1.2 s  violated, as expected: …"; ends with a newline.
std::string scenario_line(const Scenario& scenario, const ScenarioResult& result);

// What the user asked for already, so that it is no advice.
struct AskedOfRun {
  std::vector<std::string> logs;  // its files: of --log, or those that are judged
  bool verdict = false;           // by --expect, instead of the scenario's
};

// Why the scenario did not pass; "" if it passed without a note. Lines are indented.
std::string scenario_details(const Scenario& scenario, const ScenarioResult& result,
                             const AskedOfRun& asked = {}, std::size_t width = 0);

// The records behind a violated verdict, as a small drawing; "" if there is none.
std::string scenario_evidence(const ScenarioResult& result, std::size_t width = 0);

// The notes that are printed with every verdict, one per line; indented.
std::string scenario_notes(const ScenarioResult& result);

// What each phase sent and got, as a table.
std::string phase_table(const Scenario& scenario, const ScenarioResult& result,
                        std::size_t width = 0);

// "boundary.json:31:5": a place in the scenario's file.
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

// For --dry-run: what each phase will do, before anything is sent.
std::string scenario_plan_text(const Scenario& scenario, std::size_t width = 0);

}  // namespace rlctl
