// Played scenarios as JUnit XML, for CI. A scenario is a suite with its verdict and the
// expectations on the whole; each phase is a suite with the expectations on that phase. A violation
// is a <failure> with the measured value and file:line; a check that could not be run or decided is
// an <error>. Well-formed for any bytes (XML 1.0 cannot represent most control characters). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "scenario/scenario.h"
#include "scenario/scenario_result.h"

namespace rlctl {

class JunitReport {
 public:
  void add(const Scenario& scenario, const ScenarioResult& result);

  // The whole document.
  std::string text() const;

 private:
  struct Suite {
    std::string name;
    std::string file;
    std::string cases;
    std::string properties;
    std::int64_t tests = 0;
    std::int64_t failures = 0;
    std::int64_t errors = 0;
    std::int64_t duration_us = 0;
  };
  struct Case {
    std::string suite;
    std::string name;
    SourcePlace place;
    Held held = Held::held;
    std::string message;
    std::string details;
    const char* error_type = "inconclusive";
  };

  static void add_case(Suite& suite, const Case& one);
  static void add_property(Suite& suite, const char* name, const std::string& value);
  void finish(const Suite& suite);
  void add_expectations(Suite& suite, const Scenario& scenario, const ScenarioResult& result,
                        std::int64_t phase) const;

  std::string suites_;
  std::int64_t tests_ = 0;
  std::int64_t failures_ = 0;
  std::int64_t errors_ = 0;
  std::int64_t duration_us_ = 0;
};

}  // namespace rlctl
