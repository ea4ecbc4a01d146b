#include "verdict/outcome/fault_figures.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>

namespace rlctl {
namespace {

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max() - 1;

struct Span {
  std::int64_t from_us = 0;
  std::int64_t to_us = 0;

  bool contains(const Record& record) const {
    return record.intended_us >= from_us && record.intended_us < to_us;
  }
};

bool is_decided(const Record& record) { return record.outcome <= Outcome::denied; }

using JudgedWith = std::function<JudgeOptions(const Log&)>;

// How many were certainly admitted too many by requests before this time.
std::int64_t excess_before(const Log& log, const JudgedWith& judged_with, std::int64_t time_us) {
  const Log part = log.only([&](std::size_t i) { return log.records[i].intended_us < time_us; });
  if (part.records.empty()) return 0;
  return judge(part, judged_with(part)).policy.totals.excess_certain;
}

std::int64_t excess_in(const Log& log, const JudgedWith& judged_with, const Span& span) {
  return excess_before(log, judged_with, span.to_us) -
         excess_before(log, judged_with, span.from_us);
}

// The request with which the excess reached its number at the end of the span, found by halving.
std::int64_t last_excess_in(const FaultedLog& faulted, const Span& span) {
  std::vector<std::int64_t> times;
  for (const Record& record : faulted.log.records)
    if (span.contains(record)) times.push_back(record.intended_us);
  std::ranges::sort(times);
  const std::int64_t excess = excess_before(faulted.log, faulted.judged_with, span.to_us);
  const auto is_less = [&](std::int64_t time_us) {
    return excess_before(faulted.log, faulted.judged_with, time_us + 1) < excess;
  };
  const auto found = std::ranges::partition_point(times, is_less);
  return found == times.end() ? span.from_us : *found;
}

void count(const Record& record, FaultCounts& counts) {
  counts.allowed += record.outcome == Outcome::allowed;
  counts.denied += record.outcome == Outcome::denied;
  counts.unknown += record.outcome == Outcome::unknown;
  counts.failed += record.outcome == Outcome::failed;
}

// A counter in the memory of one service: a sliding window over what it admitted itself.
class LocalCounter {
 public:
  explicit LocalCounter(const Policy& policy)
      : limit_(policy.limit), window_us_(policy.window_us) {}

  bool admits(const Record& record) {
    auto& [times, sum] = keys_[record.key];
    while (!times.empty() && times.front().first <= record.intended_us - window_us_) {
      sum -= times.front().second;
      times.pop_front();
    }
    if (sum + record.cost > limit_) return false;
    times.emplace_back(record.intended_us, record.cost);
    sum += record.cost;
    return true;
  }

 private:
  struct Admitted {
    std::deque<std::pair<std::int64_t, std::int64_t>> times;  // with their cost
    std::int64_t sum = 0;
  };
  std::int64_t limit_;
  std::int64_t window_us_;
  std::map<std::uint32_t, Admitted> keys_;
};

std::vector<std::size_t> undecided_in(const Log& log, const Span& span) {
  std::vector<std::size_t> undecided;
  for (std::size_t i = 0; i < log.records.size(); ++i)
    if (span.contains(log.records[i]) && !is_decided(log.records[i])) undecided.push_back(i);
  std::ranges::sort(undecided, {}, [&](std::size_t i) { return log.records[i].intended_us; });
  return undecided;
}

// Answered at the moment at which it was asked for.
void answer(Record& record, bool admitted) {
  record.outcome = admitted ? Outcome::allowed : Outcome::denied;
  record.sent_us = record.received_us = record.intended_us;
  record.server_us = kNoTime;
}

void add_unwaited(Log& log, const Span& span, FallbackFigures& figures) {
  for (Record& record : log.records) {
    if (!span.contains(record) || !is_unconfirmed(record)) continue;
    record.outcome = Outcome::allowed;
    ++figures.admitted;
  }
}

void add_answers(Log& log, const Span& span, FallbackFigures& figures) {
  LocalCounter counter(log.policy);
  for (const std::size_t index : undecided_in(log, span)) {
    Record& record = log.records[index];
    const bool admitted = figures.fallback == Fallback::fail_open ||
                          (figures.fallback == Fallback::local && counter.admits(record));
    (admitted ? figures.admitted : figures.denied) += 1;
    answer(record, admitted);
  }
}

void add_fallback(const FaultedLog& faulted, const Span& span, FallbackFigures& figures) {
  Log log = faulted.log;
  (figures.fallback == Fallback::unwaited ? add_unwaited : add_answers)(log, span, figures);
  figures.over_admitted += excess_in(log, faulted.judged_with, span);
}

class Measured {
 public:
  // `calm`: before the first fault.
  Measured(std::span<const FaultedLog> logs, FaultTime fault, Span span, Span calm)
      : logs_(logs), fault_(fault), span_(span), calm_(calm) {}

  FaultFigures measure() {
    for (const FaultedLog& faulted : logs_) find_wrong(faulted);
    figures_.during.lasted_us = consequences_end_us() - span_.from_us;
    for (const FaultedLog& faulted : logs_) count_after(faulted);
    if (!figures_.admits_after_us)
      for (const FaultedLog& faulted : logs_) find_shut(faulted);
    measure_before();
    measure_fallbacks();
    return std::move(figures_);
  }

 private:
  std::int64_t consequences_end_us() const { return std::max(wrong_us_, fault_.ended_us); }

  void find_wrong(const FaultedLog& faulted) {
    const std::int64_t excess = excess_in(faulted.log, faulted.judged_with, span_);
    if (excess > 0) {
      figures_.during.over_admitted += excess;
      wrong_us_ = std::max(wrong_us_, last_excess_in(faulted, span_));
    }
    for (const Record& record : faulted.log.records)
      if (span_.contains(record) && !is_decided(record))
        wrong_us_ = std::max(wrong_us_, record.intended_us);
  }

  void count_after(const FaultedLog& faulted) {
    for (const Record& record : faulted.log.records) {
      if (!span_.contains(record)) continue;
      if (record.intended_us <= consequences_end_us()) count(record, figures_.during);
      figures_.asked_after += record.intended_us >= fault_.ended_us;
      if (!is_decided(record)) continue;
      if (record.intended_us > wrong_us_) keep_first(figures_.right_after_us, record);
      if (record.outcome == Outcome::allowed && record.intended_us >= fault_.ended_us)
        keep_first(figures_.admits_after_us, record);
    }
  }

  void keep_first(std::optional<std::int64_t>& first_us, const Record& record) const {
    const std::int64_t after_us = record.received_us - fault_.at_us;
    first_us = std::min(first_us.value_or(after_us), after_us);
  }

  void find_shut(const FaultedLog& faulted) {
    std::set<std::uint32_t> wrong;
    for (const KeyFigures& key : faulted.verdict.policy.keys)
      wrong.insert(key.figures.certain_false_denials.begin(),
                   key.figures.certain_false_denials.end());
    for (std::uint32_t i = 0; i < faulted.log.records.size(); ++i) {
      const Record& record = faulted.log.records[i];
      if (!span_.contains(record) || record.intended_us < fault_.ended_us) continue;
      if (is_decided(record) && !wrong.contains(i)) continue;
      figures_.shut_us = std::max(figures_.shut_us, record.intended_us - fault_.ended_us);
    }
  }

  void measure_before() {
    figures_.before.lasted_us = calm_.to_us - calm_.from_us;
    if (figures_.before.lasted_us == 0) return;
    for (const FaultedLog& faulted : logs_) {
      for (const Record& record : faulted.log.records)
        if (calm_.contains(record)) count(record, figures_.before);
      figures_.before.over_admitted += excess_in(faulted.log, faulted.judged_with, calm_);
    }
  }

  void measure_fallbacks() {
    const auto all_decided = [&](const FaultedLog& faulted) {
      return undecided_in(faulted.log, span_).empty();
    };
    if (std::ranges::all_of(logs_, all_decided)) return;
    for (const Word<Fallback>& word : kFallbackWords) {
      FallbackFigures figures{.fallback = word.meaning};
      for (const FaultedLog& faulted : logs_) add_fallback(faulted, span_, figures);
      if (word.meaning == Fallback::unwaited && figures.admitted == 0) continue;
      figures_.fallbacks.push_back(figures);
    }
  }

  std::span<const FaultedLog> logs_;
  FaultTime fault_;
  Span span_;
  Span calm_;
  std::int64_t wrong_us_ = 0;  // when the last wrong decision was asked for
  FaultFigures figures_;
};

// From the first request of the run to its first fault.
Span calm_of(std::span<const FaultedLog> logs, const FaultTime& first) {
  Span calm{first.at_us, first.at_us};
  for (const FaultedLog& faulted : logs)
    for (const Record& record : faulted.log.records)
      if (record.intended_us != kNoTime) calm.from_us = std::min(calm.from_us, record.intended_us);
  return calm;
}

// Until when it had no decision, as far as is known. What was never sent failed when it would have
// been, which may have been a little later than planned.
std::int64_t undecided_until_us(const Record& record, const Log& log, std::int64_t late_after_us) {
  if (record.received_us != kNoTime) return record.received_us;
  if (record.sent_us != kNoTime) return record.sent_us + log.timeout_us;
  return record.intended_us + late_after_us;
}

// The requests as if they were asked for when their fault began: those in flight at that moment
// belong to it, unless an earlier fault still lasted when they were asked for.
Log with_those_in_flight(const FaultedLog& faulted, std::span<const FaultTime> faults) {
  const std::int64_t late_after_us = faulted.judged_with(faulted.log).budgets.late_after_us;
  Log moved = faulted.log;
  for (Record& record : moved.records) {
    const auto next = std::ranges::upper_bound(faults, record.intended_us, {}, &FaultTime::at_us);
    if (next == faults.end()) continue;
    if (next != faults.begin() && record.intended_us < std::prev(next)->ended_us) continue;
    if (undecided_until_us(record, moved, late_after_us) >= next->at_us)
      record.intended_us = next->at_us;
  }
  return moved;
}

}  // namespace

std::vector<FaultFigures> fault_figures(std::span<const FaultedLog> logs,
                                        std::span<const FaultTime> faults) {
  if (faults.empty()) return {};
  std::vector<Log> moved;
  moved.reserve(logs.size());
  std::vector<FaultedLog> faulted;
  for (const FaultedLog& one : logs)
    faulted.push_back(
        {moved.emplace_back(with_those_in_flight(one, faults)), one.verdict, one.judged_with});
  const auto calm = calm_of(faulted, faults.front());
  std::vector<FaultFigures> all;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const std::int64_t to_us = i + 1 < faults.size() ? faults[i + 1].at_us : kEnd;
    all.push_back(Measured(faulted, faults[i], {faults[i].at_us, to_us}, calm).measure());
  }
  return all;
}

}  // namespace rlctl
