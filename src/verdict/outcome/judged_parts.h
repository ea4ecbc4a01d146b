// Judges a log by parts of its keys (log/log_parts.h), of which only those that are being judged
// are in memory as records. The verdict is that of judge() on the whole log. The records that prove
// it are kept: they are a log of their own, to which the verdict refers. Pure; the caller brings
// the threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "log/log_builder.h"
#include "log/log_parts.h"
#include "log/record.h"
#include "verdict/algorithm/log_facts.h"
#include "verdict/judged_keys.h"
#include "verdict/outcome/header_truth.h"
#include "verdict/outcome/kept_records.h"
#include "verdict/verdict.h"

namespace rlctl {

// Calls `judge` with every number below `parts`, on any threads, and after it `join` with the same
// number, one at a time.
using PartWork = std::function<void(std::size_t part)>;
using EachPart =
    std::function<void(std::size_t parts, const PartWork& judge, const PartWork& join)>;

struct JudgedParts {
  Verdict verdict;
  Log log;  // the records that the verdict names, as far as they are shown
  LineMap lines;
  KeptPromises promises;  // as of waits_in(); without their records
};

// Whether all of these rules count a request by its key.
bool can_judge_parts(const Rules& rules);

// `head`: the log without its records. `most_keys`: so many are wanted, the worst; 0: all.
// JudgeOptions::watcher is not called.
JudgedParts judge_parts(const Log& head, LogParts& parts, const JudgeOptions& options,
                        std::size_t most_keys, const EachPart& each);

// Several machines may each judge some of the parts of the same log: every count-th.
struct Portion {
  std::size_t index = 0;
  std::size_t count = 1;
};

// Keys that were judged in one way.
struct SummedKeys {
  KeySums sums;
  KeptRecords kept;
};

// What one machine knows: of the log as a whole, and of the keys in its portion.
struct JudgedPortion {
  Log head;
  LogFacts facts;
  std::int64_t assumed_us = 0;  // UnansweredBounds::assumed_us()
  KeptPromises promises;
  std::vector<SummedKeys> ways;  // by the calls of each_way()
};

JudgedPortion judge_portion(const Log& head, LogParts& parts, const JudgeOptions& options,
                            std::size_t most_keys, const EachPart& each, const Portion& portion);

// The result of judge_parts(), of all portions of a log, with the same options. Not empty.
JudgedParts join_portions(std::vector<JudgedPortion> portions, const JudgeOptions& options);

}  // namespace rlctl
