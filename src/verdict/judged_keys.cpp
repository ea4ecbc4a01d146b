#include "verdict/judged_keys.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/sort.h"
#include "log/rule_keys.h"
#include "verdict/algorithm/clock_offset.h"
#include "verdict/algorithm/step_function.h"

namespace rlctl {
namespace {

// How long an admission counts: a window, or the time in which an empty bucket fills.
double counted_for_us(const Rule& rule) {
  if (!rule.has_window()) return std::numeric_limits<double>::max();
  const auto window_us = static_cast<double>(rule.window_us);
  if (!rule.row().takes_capacity || rule.limit == 0) return window_us;
  return window_us * static_cast<double>(rule.capacity) / static_cast<double>(rule.limit);
}

}  // namespace

void Coarseness::add(const History& history, const Rules& rules) {
  double span_us = std::numeric_limits<double>::max();
  for (const Rule& rule : rules) span_us = std::min(span_us, counted_for_us(rule));
  all_ += history.admitted.size();
  for (const Placement& p : history.admitted)
    coarse_ += static_cast<double>(p.high_us - p.low_us) > span_us / 2;
}

void Coarseness::join(const Coarseness& other) {
  all_ += other.all_;
  coarse_ += other.coarse_;
}

Frame frame_of(const ClockOffset& offset, const Rules& rules, const JudgeOptions& options) {
  Frame frame;
  frame.max_inflight_us = options.max_inflight_us;
  frame.stamps = options.use_server_stamps && offset.usable();
  const bool aligned = std::ranges::any_of(rules, &Rule::has_known_phase);
  if (frame.stamps || (aligned && offset.stamps > 0)) {
    frame.offset_low = std::min(offset.low_us, offset.high_us);
    frame.offset_high = std::max(offset.low_us, offset.high_us);
  } else if (aligned) {
    frame.offset_low = options.offset_low_us;
    frame.offset_high = options.offset_high_us;
  }
  frame.slow_before_us = options.slow_before_us;
  frame.slow_after_us = options.slow_after_us;
  return frame;
}

// Sorts indexes, because figures are too large to move during sorting.
void sort_worst_first(std::vector<KeyFigures>& keys) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return guiltier(keys[a].figures, keys[b].figures);
  });
  std::vector<KeyFigures> sorted;
  sorted.reserve(keys.size());
  for (const std::uint32_t index : order) sorted.push_back(std::move(keys[index]));
  keys = std::move(sorted);
}

void KeySums::add(KeyFigures key, const std::vector<Figures>& by_rule) {
  constexpr std::size_t kRoom = 1'024;
  ++count_;
  any_undetermined_ = any_undetermined_ || is_undetermined(key);
  totals_.add(key.figures, key.key);
  for (std::size_t i = 0; i < by_rule_.size(); ++i) by_rule_[i].add(by_rule[i], key.key);
  keys_.push_back(std::move(key));
  if (most_ != kAll && keys_.size() >= 2 * most_ + kRoom) cut();
}

void KeySums::join(KeySums&& other) {
  totals_.join(other.totals_);
  for (std::size_t i = 0; i < by_rule_.size(); ++i) by_rule_[i].join(other.by_rule_[i]);
  std::ranges::move(other.keys_, std::back_inserter(keys_));
  count_ += other.count_;
  any_undetermined_ = any_undetermined_ || other.any_undetermined_;
  coarseness_.join(other.coarseness_);
  if (most_ != kAll) cut();
}

// Of keys that are equally bad, the first ones stay.
void KeySums::cut() {
  sort_unless_sorted(keys_, {}, &KeyFigures::key);
  sort_worst_first(keys_);
  if (most_ != kAll && keys_.size() > most_) keys_.resize(most_);
}

void KeySums::each_figures(const std::function<void(const Figures&)>& see) const {
  totals_.each_figures(see);
  for (const Totals& rule : by_rule_) rule.each_figures(see);
  for (const KeyFigures& key : keys_) see(key.figures);
}

JudgedKeys KeySums::take() {
  cut();
  JudgedKeys judged{.totals = totals_.take(),
                    .keys = std::move(keys_),
                    .by_rule = {},
                    .count = count_,
                    .any_undetermined = any_undetermined_,
                    .coarseness = coarseness_};
  for (Totals& one : by_rule_) judged.by_rule.push_back(one.take());
  return judged;
}

KeyFrame frame_of_key(const FramedRules& framed, const ClockEvidence& evidence) {
  ClockEvidence grained = evidence;
  grained.grain_us = framed.options.grain_us();
  const ClockOffset offset = grained.offset();
  if (offset.stamps == 0) return {framed.frame, framed.from_us};  // whose clock it was: any
  Frame frame = frame_of(offset, framed.rules, framed.options);
  frame.unanswered = framed.frame.unanswered;
  return {frame, framed.our_from_us + frame.highest_offset()};
}

void judge_into(KeySums& sums, const History& history, const FramedRules& framed,
                std::uint32_t number, std::string text) {
  sums.add_history(history, framed.rules);
  JudgedKey judged = judge_key(history, framed.rules, framed.options);
  sums.add({number, std::move(judged.together), std::move(text)}, judged.by_rule);
}

KeySums judge_keys(const Log& log, const FramedRules& framed, std::size_t most) {
  const RuleKeys keys(log, framed.rules.front().per);
  const RecordsByKey by_key(log, keys);
  KeySums sums(framed.rules.size(), most);
  Work work{"judging", "keys", 0, static_cast<std::int64_t>(by_key.keys())};
  for (std::uint32_t key = 0; key < by_key.keys(); ++key) {
    work.done = key;
    if (framed.options.watcher) framed.options.watcher(work);
    const std::span<const std::uint32_t> records = by_key.of(key);
    if (records.empty()) continue;
    ClockEvidence evidence;
    if (log.servers > 1)
      for (const std::uint32_t record : records) evidence.add(log.records[record]);
    const auto [frame, from_us] = frame_of_key(framed, evidence);
    const JudgedLog judged{log, frame, from_us, framed.options};
    judge_into(sums, history_of(judged, records, framed.rules), framed, key,
               keys.has_own() ? keys.texts()[key] : std::string());
  }
  return sums;
}

double share_in_flight(const Log& log, const std::vector<std::uint32_t>& records) {
  Depth flight;
  std::int64_t sum = 0;
  for (const std::uint32_t index : records) {
    const Record& record = log.records[index];
    const Finish finish = log.finish_of(index);
    const std::int64_t cost = finish.actual_cost >= 0 ? finish.actual_cost : record.cost;
    const std::int64_t answered_us = std::max(record.received_us, record.sent_us);
    flight.add(record.sent_us, std::max(answered_us, finish.sent_us) + 1, cost);
    sum += cost;
  }
  flight.build();
  return static_cast<double>(flight.most()) / static_cast<double>(std::max<std::int64_t>(sum, 1));
}

}  // namespace rlctl
