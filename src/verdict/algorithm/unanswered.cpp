#include "verdict/algorithm/unanswered.h"

#include <algorithm>
#include <utility>

namespace rlctl {
namespace {

bool has_answer(const Record& record) {
  return record.outcome <= Outcome::denied && record.sent_us != kNoTime &&
         record.received_us != kNoTime;
}

bool is_on_one_redis(const Log& log) {
  return !log.server.empty() && log.servers < 2 && log.targets.size() < 2;
}

// A cluster sends what one node refused to another, or again, for as long as an answer may take;
// then that try waits for its own answer.
std::int64_t longest_wait_us(const Log& log) {
  return log.servers > 1 ? 2 * log.timeout_us : log.timeout_us;
}

}  // namespace

void UnansweredSearch::LaterAnswers::add(std::int64_t received_us) {
  if (received_us < earliest_[0]) std::swap(received_us, earliest_[0]);
  earliest_[1] = std::min(earliest_[1], received_us);
}

void UnansweredSearch::LaterAnswers::add(const LaterAnswers& other) {
  for (const std::int64_t received_us : other.earliest_) add(received_us);
}

void UnansweredSearch::add_if_lost(const Record& record, std::uint32_t number) {
  if (record.outcome == Outcome::unknown)
    lost_.push_back({number, record.sent_us, record.received_us, {}});
}

void UnansweredSearch::end_of_lost() {
  std::ranges::sort(lost_, {}, &Lost::record);
  std::ranges::stable_sort(lost_, std::greater<>(), &Lost::sent_us);
}

void UnansweredSearch::add_if_answer(const Record& record, std::uint32_t number) {
  if (!has_answer(record)) return;
  longest_us_ = std::max(longest_us_, record.received_us - record.sent_us);
  const auto was_sent_later = [&](const Lost& lost) {
    if (lost.sent_us != record.sent_us) return lost.sent_us > record.sent_us;
    return lost.record < number;
  };
  const auto first = std::ranges::partition_point(lost_, was_sent_later);
  if (first != lost_.end()) first->later.add(record.received_us);
}

UnansweredBounds UnansweredSearch::bounds() const {
  UnansweredBounds found;
  LaterAnswers later;
  for (const Lost& lost : lost_) {
    later.add(lost.later);
    if (is_on_one_redis(head_) && later.second_us() != LaterAnswers::kNever) {
      found.bounds_.push_back({lost.record, later.second_us()});
    } else if (lost.received_us != kNoTime || head_.timeout_us > 0) {
      const std::int64_t waited_until_us =
          lost.received_us != kNoTime ? lost.received_us : lost.sent_us + longest_wait_us(head_);
      found.bounds_.push_back({lost.record, waited_until_us + longest_us_});
      found.assumed_us_ = std::max<std::int64_t>(1, longest_us_);
    }
  }
  std::ranges::sort(found.bounds_, {}, &UnansweredBounds::Bound::record);
  return found;
}

UnansweredBounds::UnansweredBounds(const Log& log) {
  if (log.run_id.empty()) return;
  UnansweredSearch search(log);
  for (std::uint32_t i = 0; i < log.records.size(); ++i) search.add_if_lost(log.records[i], i);
  search.end_of_lost();
  for (std::uint32_t i = 0; i < log.records.size(); ++i) search.add_if_answer(log.records[i], i);
  *this = search.bounds();
}

std::int64_t UnansweredBounds::until_us(std::uint32_t record) const {
  const auto at = std::ranges::lower_bound(bounds_, record, {}, &Bound::record);
  return at == bounds_.end() || at->record != record ? kOpenEnd : at->until_us;
}

UnansweredBounds UnansweredBounds::only_assumed(std::int64_t assumed_us) {
  UnansweredBounds bounds;
  bounds.assumed_us_ = assumed_us;
  return bounds;
}

}  // namespace rlctl
