// A rule as it is published, in results of several verbs. Plain values.
#pragma once

#include <vector>

#include "policy/rule.h"
#include "result/fields.h"

namespace rlctl {

struct RuleDocument {
  static constexpr const char* kName = "rule";
  Text text;  // in the grammar: "bucket 20 + 10/1s"
  Text kind;
  Number limit, window_us, phase_us, capacity, step_us, block_us, lease_us;
  bool counts_denied = false;
  Text per;  // empty: the key
};

void describe(Fields& fields, RuleDocument& rule);

std::vector<RuleDocument> document_of(const Rules& rules);

// "10/1s & 100/1m".
std::string shown(const std::vector<RuleDocument>& rules);

}  // namespace rlctl
