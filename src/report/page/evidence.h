// The records that prove a verdict, for all formats: their intervals as the judge used them, their
// place in the log, and which records of a window are above the limit. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/page/report.h"
#include "verdict/outcome/verify_result.h"

namespace rlctl {

struct DecidedSpan {
  std::int64_t from_us = 0;
  std::int64_t to_us = 0;
};

// As the judge used it: the limiter's own stamp if the record has one.
DecidedSpan decided_in(const Record& record);

// "line 12"; "file:12" if there are several files; the phase if the log was just played.
std::string place_in_log(const VerifyResult& result, const JudgedHistory& history,
                         std::uint32_t record);

// Sorted by the earliest time at which each may have been decided.
std::vector<std::uint32_t> in_time_order(const Log& log, std::vector<std::uint32_t> records);

// How many records fit into a window: the limit for sliding and fixed contracts, else no bound.
std::int64_t fitting(const Rule& rule);

// Index of the first record that exceeds `limit`; records.size() if there is none.
std::size_t first_over(const Log& log, const std::vector<std::uint32_t>& records,
                       std::int64_t limit);

// Which rows to show: `at_ends` rows at each end, and `at_limit` rows on each side of the place
// where the limit was crossed.
std::vector<bool> shown_rows(std::size_t count, std::size_t over, std::size_t at_ends,
                             std::size_t at_limit);

// The decisions of which each can be explained by itself, but for which there is no order that
// explains all of them, or none was found. Empty if they are too many to name all of them.
struct Contradiction {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // at most `most`, in time order
  std::size_t all = 0;
};
std::optional<Contradiction> contradiction_of(const VerifyResult& result,
                                              const JudgedHistory& history,
                                              const Judgement& judgement, std::size_t most);

// The worst window of a judgement; empty if it has none.
std::optional<Evidence> evidence_of(const VerifyResult& result, const JudgedHistory& history,
                                    const Judgement& judgement);

// If too many admissions are only possible: those that one window possibly holds
// (CloseUp::possible_records).
std::optional<Evidence> possible_evidence_of(const VerifyResult& result,
                                             const JudgedHistory& history,
                                             const Judgement& judgement,
                                             const std::vector<std::uint32_t>& records);

// The highest number of admissions of the key that is possible in the window before the denial,
// for any time of decision within the intervals of both.
std::int64_t most_before(const Log& log, std::uint32_t denial, const Rule& rule);

// True if the admissions alone determine how full the window was.
bool explained_by_admissions(const Rule& rule);

// In what the rows of a table of keys count: "1s"; "a window", if they are of different rules.
std::string span_of_keys(const Judgement& judgement);

}  // namespace rlctl
