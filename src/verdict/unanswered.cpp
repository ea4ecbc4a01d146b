#include "verdict/unanswered.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "verdict/history.h"

namespace rlctl {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

bool has_answer(const Record& record) {
  return record.outcome <= Outcome::denied && record.sent_us != kNoTime &&
         record.received_us != kNoTime;
}

std::int64_t longest_answer_us(const Log& log) {
  std::int64_t longest = 0;
  for (const Record& record : log.records)
    if (has_answer(record)) longest = std::max(longest, record.received_us - record.sent_us);
  return longest;
}

// The two earliest answers to requests that were sent later.
class LaterAnswers {
 public:
  void add(std::int64_t received_us) {
    if (received_us < earliest_[0]) std::swap(received_us, earliest_[0]);
    earliest_[1] = std::min(earliest_[1], received_us);
  }
  std::int64_t second_us() const { return earliest_[1]; }

 private:
  std::array<std::int64_t, 2> earliest_{kNever, kNever};
};

bool is_on_one_redis(const Log& log) {
  return !log.server.empty() && log.servers < 2 && log.targets.size() < 2;
}

}  // namespace

UnansweredBounds::UnansweredBounds(const Log& log) {
  const auto is_unknown = [](const Record& r) { return r.outcome == Outcome::unknown; };
  if (log.run_id.empty() || std::ranges::none_of(log.records, is_unknown)) return;
  std::vector<std::uint32_t> latest_first(log.records.size());
  for (std::uint32_t i = 0; i < latest_first.size(); ++i) latest_first[i] = i;
  std::ranges::stable_sort(latest_first, std::greater<>(),
                           [&](std::uint32_t i) { return log.records[i].sent_us; });
  const std::int64_t longest_us = longest_answer_us(log);
  LaterAnswers later;
  for (const std::uint32_t i : latest_first) {
    const Record& record = log.records[i];
    if (has_answer(record)) later.add(record.received_us);
    if (!is_unknown(record)) continue;
    if (is_on_one_redis(log) && later.second_us() != kNever) {
      bounds_.push_back({i, later.second_us()});
    } else if (record.received_us != kNoTime || log.timeout_us > 0) {
      const std::int64_t waited_until_us =
          record.received_us != kNoTime ? record.received_us : record.sent_us + log.timeout_us;
      bounds_.push_back({i, waited_until_us + longest_us});
      assumed_us_ = std::max<std::int64_t>(1, longest_us);
    }
  }
  std::ranges::sort(bounds_, {}, &Bound::record);
}

std::int64_t UnansweredBounds::until_us(std::uint32_t record) const {
  const auto at = std::ranges::lower_bound(bounds_, record, {}, &Bound::record);
  return at == bounds_.end() || at->record != record ? kOpenEnd : at->until_us;
}

}  // namespace rlctl
