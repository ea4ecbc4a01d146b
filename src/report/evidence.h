// What shows which records prove a verdict, for every format alike: their intervals as the judge
// saw them, where they stand, and which of a window's are too many. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/verify_result.h"
#include "report/report.h"

namespace rlctl {

struct DecidedSpan {
  std::int64_t from_us = 0;
  std::int64_t to_us = 0;
};

// As the judge saw it: the limiter's own stamp where there was one.
DecidedSpan decided_in(const Record& record);

// "line 12"; "file:12" where there are several; the phase of what was just played.
std::string place_in_log(const VerifyResult& result, const JudgedHistory& history,
                         std::uint32_t record);

// By the time at which they may have been decided at the earliest.
std::vector<std::uint32_t> in_time_order(const Log& log, std::vector<std::uint32_t> records);

// Where the limit of a window says how many of its records fit, that many; else all.
std::int64_t fitting(const Contract& contract);

// The first record with which more than `limit` were admitted; as many as there are: none.
std::size_t first_over(const Log& log, const std::vector<std::uint32_t>& records,
                       std::int64_t limit);

// Both ends, and where the limit was crossed: at most `at_ends` on each end, and `at_limit` on each
// side of the crossing.
std::vector<bool> shown_rows(std::size_t count, std::size_t over, std::size_t at_ends,
                             std::size_t at_limit);

// The worst window of a judgement; empty where it has none.
std::optional<Evidence> evidence_of(const VerifyResult& result, const JudgedHistory& history,
                                    const Judgement& judgement);

// The most that may have been admitted to the key in the window before the denial, wherever in
// their intervals both were decided.
std::int64_t most_before(const Log& log, std::uint32_t denial, std::int64_t window_us);

// Only there the admissions alone say what filled the window.
bool explained_by_admissions(const Contract& contract);

}  // namespace rlctl
