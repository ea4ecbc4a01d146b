// Which rules an exploration judges. What the script promises stands in for the first rule of the
// policy, whose numbers the script is given; the policy's other rules are judged as well. A
// contract that the user gives is judged alone.
//
// Only admissions to one key are judged: no modifier but the lease makes a difference to them, and
// they are left out. What is not judged is refused or told in a note, never dropped in silence.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"

namespace rlctl {

struct JudgedRules {
  Rules rules;
  std::vector<std::string> notes;  // which rules are not judged; sentences without a final stop
};

// `contract`: the user's, or empty. While the clock stands still (no `time_passes`), a rule also
// speaks for every other rule of its sort that admits as many at once.
// Error(Exit::usage) if the user asks for a modifier. A block in the policy is no such question: it
// changes the limiter.
JudgedRules judged_rules(const Rules& contract, const Rules& promised, const Rules& policy,
                         bool time_passes);

}  // namespace rlctl
