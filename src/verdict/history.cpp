#include "verdict/history.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/sort.h"
#include "base/units.h"
#include "verdict/algorithm/clock_offset.h"

namespace rlctl {
namespace {

bool earlier(const Placement& a, const Placement& b) {
  return a.low_us != b.low_us ? a.low_us < b.low_us : a.record < b.record;
}

std::int64_t latest_end(const Record& record, std::uint32_t index, std::int64_t sent_us,
                        const Frame& frame) {
  if (record.outcome != Outcome::unknown) {
    return record.received_us == kNoTime ? sent_us : std::max(record.received_us, sent_us);
  }
  if (frame.max_inflight_us) return sent_us + *frame.max_inflight_us;
  return frame.unanswered != nullptr ? frame.unanswered->until_us(index) : kOpenEnd;
}

End end_with_answer(const Record& record, const Placement& p, const Frame& frame,
                    std::int64_t held_at_least_us) {
  const std::int64_t answered_us = std::max(record.received_us, p.high_us) + frame.offset_high;
  if (record.received_us != kNoTime && record.received_us - record.sent_us < held_at_least_us)
    throw Error(
        Exit::usage,
        fmt::format("request {} was answered after {}: it was not held for {}", p.record + 1,
                    format_duration_for_people(record.received_us - record.sent_us),
                    format_duration(held_at_least_us)),
        "give --held-at-least the shortest time that the work takes");
  return {p.low_us, answered_us, record.cost};
}

}  // namespace

bool History::exact() const {
  const auto known = [](const Placement& p) { return p.exact(); };
  return unknown.empty() && std::all_of(admitted.begin(), admitted.end(), known) &&
         std::all_of(denied.begin(), denied.end(), known);
}

Placement place(const Record& record, std::uint32_t index, const Frame& frame) {
  Placement p{0, 0, record.cost, index};
  if (frame.stamps && record.server_us != kNoTime && record.outcome != Outcome::unknown) {
    p.low_us = server_from_us(record);
    p.high_us = record.server_us;
    return p;
  }
  const std::int64_t sent = record.sent_us != kNoTime ? record.sent_us : record.received_us;
  if (sent == kNoTime) {
    throw Error(Exit::usage, fmt::format("record {} has no time", index + 1),
                "give each record sent_us and received_us");
  }
  p.low_us = sent + frame.offset_low;
  p.high_us = latest_end(record, index, sent, frame);
  if (p.high_us != kOpenEnd) p.high_us += frame.offset_high;
  return p;
}

History make_history(const Log& log, std::span<const std::uint32_t> indexes, const Frame& frame) {
  History history;
  bool has_actual_costs = false;
  const auto count = [&](Outcome outcome) {
    return static_cast<std::size_t>(
        std::count_if(indexes.begin(), indexes.end(),
                      [&](std::uint32_t index) { return log.records[index].outcome == outcome; }));
  };
  // A list that grows takes up to three times its size. One key may have half of a long log.
  history.admitted.reserve(count(Outcome::allowed));
  history.denied.reserve(count(Outcome::denied));
  for (const std::uint32_t index : indexes) {
    const Record& record = log.records[index];
    const Finish finish = log.finish_of(index);
    switch (record.outcome) {
      case Outcome::allowed:
        history.admitted.push_back(place(record, index, frame));
        if (finish.actual_cost < 0) break;
        history.admitted.back().cost = finish.actual_cost;
        has_actual_costs = true;
        break;
      case Outcome::denied:
        history.denied.push_back(place(record, index, frame));
        break;
      case Outcome::unknown:
        history.unknown.push_back(place(record, index, frame));
        break;
      case Outcome::failed:
        ++history.failed;
        break;
    }
  }
  sort_unless_sorted(history.admitted, earlier);
  sort_unless_sorted(history.unknown, earlier);
  sort_unless_sorted(history.denied, earlier);
  if (has_actual_costs) history.reserved = history.admitted;
  for (Placement& p : history.reserved)
    p.cost = std::max<std::int64_t>(p.cost, log.records[p.record].cost);
  return history;
}

void add_ends(const Log& log, const Frame& frame, const JudgeOptions& options, History& history) {
  if (!log.has_finishes) history.held_at_least_us = options.held_at_least_us;
  history.ends.reserve(history.admitted.size());
  for (const Placement& p : history.admitted) {
    if (!log.has_finishes) {
      history.ends.push_back(
          end_with_answer(log.records[p.record], p, frame, history.held_at_least_us));
      continue;
    }
    const Finish finish = log.finish_of(p.record);
    End end{p.low_us, kOpenEnd, log.records[p.record].cost};
    if (finish.sent_us != kNoTime)
      end.from_us = std::max(p.low_us, finish.sent_us + frame.offset_low);
    if (finish.received_us != kNoTime)
      end.to_us = std::max(end.from_us, finish.received_us + frame.offset_high);
    history.ends.push_back(end);
  }
  for (std::size_t i = 0; i < history.ends.size(); ++i) {
    Placement& p = history.admitted[i];
    const std::int64_t latest_us = history.ends[i].to_us - history.held_at_least_us;
    p.high_us = std::clamp(latest_us, p.low_us, p.high_us);
    if (!log.has_finishes) history.ends[i].to_us += options.tolerance_us;
  }
}

Frame frame_of_curves(const Log& log, const JudgeOptions& options) {
  const ClockOffset offset = clock_offset(log, options.grain_us());
  Frame frame;
  frame.stamps = options.use_server_stamps && offset.usable();
  frame.max_inflight_us = options.max_inflight_us;
  return frame;
}

std::vector<History> admissions_by_key(const Log& log, const JudgeOptions& options) {
  const Frame frame = frame_of_curves(log, options);
  std::vector<std::vector<std::uint32_t>> by_key(log.keys.size());
  for (std::uint32_t i = 0; i < log.records.size(); ++i) {
    const Outcome outcome = log.records[i].outcome;
    if (outcome == Outcome::allowed || outcome == Outcome::unknown)
      by_key[log.records[i].key].push_back(i);
  }
  std::vector<History> histories;
  for (const auto& indexes : by_key)
    if (!indexes.empty()) histories.push_back(make_history(log, indexes, frame));
  return histories;
}

std::int64_t longest_span_us(std::span<const History> histories) {
  std::int64_t longest = 0;
  for (const History& history : histories) {
    if (history.admitted.empty()) continue;
    std::int64_t last = history.admitted.front().high_us;
    for (const Placement& admission : history.admitted) last = std::max(last, admission.high_us);
    longest = std::max(longest, last - history.admitted.front().low_us);
  }
  return longest;
}

}  // namespace rlctl
