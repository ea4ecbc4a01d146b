#include "verdict/outcome/kept_records.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "log/interner.h"

namespace rlctl {
namespace {

using Numbers = std::vector<std::uint32_t>;

void make_unique(Numbers& numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

// The lowest ones, in order.
Numbers first_of(Numbers numbers, std::size_t most) {
  const std::size_t count = std::min(most, numbers.size());
  const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::partial_sort(numbers, end);
  numbers.erase(end, numbers.end());
  return numbers;
}

std::int64_t latest_us(const Record& record) {
  return std::max({record.sent_us, record.received_us, record.server_us});
}

std::int64_t earliest_us(const Record& record) {
  std::int64_t earliest = latest_us(record);
  for (const std::int64_t us : {record.sent_us, record.received_us})
    if (us != kNoTime) earliest = std::min(earliest, us);
  return record.server_us == kNoTime ? earliest : std::min(earliest, server_from_us(record));
}

std::int64_t longest_window_us(const Rules& rules) {
  return std::ranges::max_element(rules, {}, &Rule::window_us)->window_us;
}

}  // namespace

Numbers KeptRecords::named_by(const KeySums& sums) const {
  Numbers named;
  const auto add = [&](const Numbers& numbers) {
    named.insert(named.end(), numbers.begin(), numbers.end());
  };
  sums.each_figures([&](const Figures& figures) {
    add(figures.worst_window.records);
    add(figures.against);
    add(all_ ? figures.certain_false_denials
             : first_of(figures.certain_false_denials, kMostLinesListed));
  });
  make_unique(named);
  return named;
}

void KeptRecords::keep_record(const LogPart& part, std::size_t index, std::uint32_t before) {
  const Record& record = part.log.records[index];
  kept_.push_back({part.numbers[index], before, part.lines.line_of(part.numbers[index]), record,
                   part.log.finish_of(index), part.log.keys[record.key]});
}

void KeptRecords::keep(const LogPart& part, const KeySums& sums, const Rules& rules) {
  const auto index_of = [&](std::uint32_t number) {
    const auto at = std::ranges::lower_bound(part.numbers, number);
    return static_cast<std::size_t>(at - part.numbers.begin());
  };
  for (const std::uint32_t number : named_by(sums)) keep_record(part, index_of(number), kNamed);
  for (const std::uint32_t number : first_of(sums.false_denials(), kDenialsInText))
    keep_before(part, index_of(number), longest_window_us(rules));
}

void KeptRecords::keep_before(const LogPart& part, std::size_t denial, std::int64_t window_us) {
  const Record& denied = part.log.records[denial];
  for (std::size_t i = 0; i < part.log.records.size(); ++i) {
    const Record& record = part.log.records[i];
    if (record.key != denied.key || record.outcome != Outcome::allowed) continue;
    if (earliest_us(record) > latest_us(denied)) continue;
    if (latest_us(record) + window_us >= earliest_us(denied))
      keep_record(part, i, part.numbers[denial]);
  }
}

void KeptRecords::join(KeptRecords&& other) {
  std::ranges::move(other.kept_, std::back_inserter(kept_));
}

void KeptRecords::forget_unnamed(const KeySums& sums) {
  if (kept_.size() < worth_forgetting_) return;
  const Numbers named = named_by(sums);
  const Numbers denials = first_of(sums.false_denials(), kDenialsInText);
  std::erase_if(kept_, [&](const Kept& kept) {
    return kept.before == kNamed ? !std::ranges::binary_search(named, kept.number)
                                 : !std::ranges::binary_search(denials, kept.before);
  });
  worth_forgetting_ = 10'000 + 2 * kept_.size();
}

Numbers KeptRecords::numbers() const {
  Numbers numbers;
  for (const Kept& kept : kept_) numbers.push_back(kept.number);
  make_unique(numbers);
  return numbers;
}

void KeptRecords::make_log(const Log& head, Log& log, LineMap& lines) {
  std::ranges::sort(kept_, {}, &Kept::number);
  const auto [end, last] = std::ranges::unique(kept_, {}, &Kept::number);
  kept_.erase(end, last);
  Interner keys;
  log = head;
  for (const Kept& kept : kept_) {
    const std::size_t index = log.records.size();
    lines.add(static_cast<std::uint32_t>(index), kept.source);
    if (kept.finish != Finish()) log.set_finish(index, kept.finish);
    log.records.push_back(kept.record);
    log.records.back().key = keys.number_of(kept.key);
  }
  log.keys = keys.take();
}

}  // namespace rlctl
