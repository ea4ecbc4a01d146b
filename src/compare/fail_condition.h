// What makes a comparison fail: "p99 > +10%", "accuracy < 100%", "p99{algo=fixed,traffic=denied} >
// 5ms". A value with a sign is a change against the base; a value without one is a value of the new
// run. Pure. Throws Error(Exit::usage) that names the mistake and shows a correct example.
#pragma once

#include <string>
#include <string_view>

#include "verdict/condition/condition.h"

namespace rlctl {

struct FailCondition {
  std::string text;  // as it was written, escaped
  const MetricRow* metric = nullptr;
  std::string subject = {};  // empty: every algorithm or policy
  std::string traffic = {};  // of bench, or a log's phase; empty: each
  Comparison comparison = Comparison::more;
  bool relative = false;
  double value = 0;  // relative: the ratio to the base, 1.1 for +10%; else in the metric's unit
};

FailCondition parse_fail_condition(std::string_view text);

}  // namespace rlctl
