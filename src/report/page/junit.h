// Suites and cases as JUnit XML, for CI. A case that failed is a <failure>; a case that could not
// be run or decided is an <error>. Well-formed for any bytes (XML 1.0 cannot represent most control
// characters). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rlctl {

enum class JunitOutcome : std::uint8_t { passed, failure, error };

struct JunitCase {
  std::string name;
  JunitOutcome outcome = JunitOutcome::passed;
  std::string message;
  std::string details;
  std::string file = {};  // "": none
  std::int64_t line = 0;  // 0: none
  const char* error_type = "inconclusive";
};

struct JunitSuite {
  std::string name;  // also the class name of its cases
  std::optional<std::int64_t> duration_us;
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<JunitCase> cases;
};

struct JunitReport {
  std::string name;
  std::optional<std::int64_t> duration_us;
  std::vector<JunitSuite> suites;

  // The whole document.
  std::string text() const;
};

}  // namespace rlctl
