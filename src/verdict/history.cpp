#include "verdict/history.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

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
  const std::int64_t answered_us =
      std::max(record.received_us, p.high_us) + frame.high_offset(record);
  if (record.received_us != kNoTime && record.received_us - record.sent_us < held_at_least_us)
    throw Error(
        Exit::usage,
        fmt::format("request {} was answered after {}: it was not held for {}", p.record + 1,
                    format_duration_for_people(record.received_us - record.sent_us),
                    format_duration(held_at_least_us)),
        "give --held-at-least the shortest time that the work takes");
  return {p.low_us, answered_us, record.cost};
}

End end_with_finish(const Record& record, const Placement& p, const Finish& finish,
                    const Frame& frame) {
  End end{p.low_us, kOpenEnd, record.cost};
  if (finish.sent_us != kNoTime)
    end.from_us = std::max(p.low_us, finish.sent_us + frame.offset_low);
  if (finish.received_us != kNoTime)
    end.to_us = std::max(end.from_us, finish.received_us + frame.offset_high);
  return end;
}

// The same order for several lists.
template <class Item>
void reorder(std::vector<Item>& items, std::span<const std::uint32_t> order) {
  if (items.empty()) return;
  std::vector<Item> sorted;
  sorted.reserve(items.size());
  for (const std::uint32_t index : order) sorted.push_back(items[index]);
  items = std::move(sorted);
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
  p.low_us = sent + frame.low_offset(record);
  p.high_us = latest_end(record, index, sent, frame);
  if (p.high_us != kOpenEnd) p.high_us += frame.high_offset(record);
  return p;
}

void KeyHistoryBuilder::expect(std::size_t admitted, std::size_t denied) {
  history_.admitted.reserve(admitted);
  history_.denied.reserve(denied);
  if (ends_) history_.ends.reserve(admitted);
}

void KeyHistoryBuilder::add(const Record& record, std::uint32_t number, const Finish& finish,
                            const Frame& frame) {
  switch (record.outcome) {
    case Outcome::allowed:
      return admit(place(record, number, frame), record, finish, frame);
    case Outcome::denied:
      history_.denied.push_back(place(record, number, frame));
      return;
    case Outcome::unknown:
      history_.unknown.push_back(place(record, number, frame));
      return;
    case Outcome::failed:
      ++history_.failed;
  }
}

void KeyHistoryBuilder::admit(Placement p, const Record& record, const Finish& finish,
                              const Frame& frame) {
  if (finish.actual_cost >= 0 && !has_actual_costs_) {
    has_actual_costs_ = true;
    history_.reserved = history_.admitted;
  }
  if (finish.actual_cost >= 0) p.cost = finish.actual_cost;
  if (has_actual_costs_) {
    history_.reserved.push_back(p);
    history_.reserved.back().cost = std::max<std::int64_t>(p.cost, record.cost);
  }
  if (ends_) {
    End end = ends_->by_finish ? end_with_finish(record, p, finish, frame)
                               : end_with_answer(record, p, frame, ends_->held_at_least_us);
    const std::int64_t held_us = ends_->by_finish ? 0 : ends_->held_at_least_us;
    p.high_us = std::clamp(end.to_us - held_us, p.low_us, p.high_us);
    if (!ends_->by_finish) end.to_us += ends_->tolerance_us;
    history_.ends.push_back(end);
  }
  history_.admitted.push_back(p);
}

void KeyHistoryBuilder::sort_admitted() {
  std::vector<Placement>& admitted = history_.admitted;
  if (std::ranges::is_sorted(admitted, earlier)) return;
  if (history_.ends.empty() && history_.reserved.empty()) {
    std::ranges::sort(admitted, earlier);
    return;
  }
  std::vector<std::uint32_t> order(admitted.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(
      order, [&](std::uint32_t a, std::uint32_t b) { return earlier(admitted[a], admitted[b]); });
  reorder(history_.reserved, order);
  reorder(history_.ends, order);
  reorder(admitted, order);
}

History KeyHistoryBuilder::take() {
  sort_admitted();
  sort_unless_sorted(history_.unknown, earlier);
  sort_unless_sorted(history_.denied, earlier);
  if (ends_ && !ends_->by_finish) history_.held_at_least_us = ends_->held_at_least_us;
  return std::move(history_);
}

History make_history(const Log& log, std::span<const std::uint32_t> indexes, const Frame& frame,
                     const std::optional<WorkEnds>& ends) {
  const auto count = [&](Outcome outcome) {
    return static_cast<std::size_t>(
        std::count_if(indexes.begin(), indexes.end(),
                      [&](std::uint32_t index) { return log.records[index].outcome == outcome; }));
  };
  KeyHistoryBuilder builder(ends);
  builder.expect(count(Outcome::allowed), count(Outcome::denied));
  for (const std::uint32_t index : indexes)
    builder.add(log.records[index], index, log.finish_of(index), frame);
  return builder.take();
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
