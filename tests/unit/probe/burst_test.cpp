#include "probe/burst.h"

#include <doctest/doctest.h>

#include <vector>

namespace rlctl {
namespace {

// Requests of one instant: the answers come every 500 ms, and the last ones never.
std::vector<Record> queued(int answered, int unanswered, int denied) {
  std::vector<Record> burst;
  for (int i = 0; i < answered + unanswered + denied; ++i) {
    Record& one = burst.emplace_back();
    one.sent_us = 0;
    one.outcome = i < answered                ? Outcome::allowed
                  : i < answered + unanswered ? Outcome::unknown
                                              : Outcome::denied;
    if (one.outcome == Outcome::allowed) one.received_us = 1'000 + 500'000 * i;
    if (one.outcome == Outcome::denied) one.received_us = 1'000;
  }
  return burst;
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a queue is told with its size and its pace") {
  const BurstFinding found = burst_finding(queued(5, 0, 3), true);
  CHECK(found.kind == BurstKind::queue);
  CHECK(rules_of(found).size() == 1);
  CHECK(holds(burst_text(found), "policy: bucket 5 + 2/1s"));
}

TEST_CASE("requests without an answer may have been admitted: how many it holds is not known") {
  const BurstFinding found = burst_finding(queued(5, 1, 2), true);
  CHECK(found.kind == BurstKind::queue);
  CHECK(found.undecided.unanswered == 1);
  CHECK(rules_of(found).empty());
  const std::string text = burst_text(found);
  CHECK(holds(text, "how many it holds is not known"));
  CHECK(holds(text, "1 was not answered"));
  CHECK(holds(text, "--timeout"));
  CHECK_FALSE(holds(text, "policy:"));
}

}  // namespace
}  // namespace rlctl
