// Answers that neither admit nor deny: by their status, and those that never came. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "log/record.h"

namespace rlctl {

struct Undecided {
  std::map<int, std::int64_t> by_status;  // of those that came
  std::int64_t unanswered = 0;

  std::int64_t total() const;
};
Undecided undecided_of(std::span<const Record> answers);
// For people: a line for each status, with what to do about it.
std::string undecided_lines(const Undecided& undecided);

}  // namespace rlctl
