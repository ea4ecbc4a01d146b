#include "probe/undecided.h"

#include <fmt/format.h>

#include "base/status_set.h"
#include "base/units.h"

namespace rlctl {

std::int64_t Undecided::total() const {
  std::int64_t total = unanswered;
  for (const auto& [status, count] : by_status) total += count;
  return total;
}

Undecided undecided_of(std::span<const Record> answers) {
  Undecided undecided;
  for (const Record& answer : answers) {
    if (answer.outcome <= Outcome::denied) continue;
    const bool is_answered = answer.received_us != kNoTime && answer.status != 0;
    ++(is_answered ? undecided.by_status[answer.status] : undecided.unanswered);
  }
  return undecided;
}

std::string undecided_lines(const Undecided& undecided) {
  std::string lines;
  for (const auto& [status, count] : undecided.by_status)
    lines += fmt::format("  {} answered with status {}, neither allowed nor denied: {}\n",
                         counted(count, "was", "were"), status, remedy_for_status(status, false));
  if (undecided.unanswered > 0)
    lines += fmt::format("  {} not answered: allow more with --timeout, or check that it listens\n",
                         counted(undecided.unanswered, "was", "were"));
  return lines;
}

}  // namespace rlctl
