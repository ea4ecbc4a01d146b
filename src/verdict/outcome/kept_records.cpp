#include "verdict/outcome/kept_records.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/sort.h"
#include "log/interner.h"

namespace rlctl {
namespace {

using Numbers = std::vector<std::uint32_t>;

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

// Whether this admission may have been in the window of the denial.
bool may_explain(const Record& record, const Record& denied, std::int64_t window_us) {
  return record.outcome == Outcome::allowed && earliest_us(record) <= latest_us(denied) &&
         latest_us(record) + window_us >= earliest_us(denied);
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
  sort_unique(named);
  return named;
}

void KeptRecords::keep(const LogParts& parts, std::size_t part, const KeySums& sums,
                       const Rules& rules) {
  const Numbers named = named_by(sums);
  if (named.empty()) return;
  const Numbers shown = first_of(sums.false_denials(), kDenialsInText);
  const std::size_t kept_before = kept_.size();
  std::vector<std::uint32_t> keys;  // of what is kept
  const auto keep_row = [&](const NumberedRecord& row, std::uint32_t key, std::uint32_t before) {
    kept_.push_back({row.number, before, row.source, row.record, row.finish, {}});
    keys.push_back(key);
  };
  struct Denial {
    NumberedRecord row;
    std::uint32_t key;
  };
  std::vector<Denial> denials;
  auto next = named.begin();  // both are ascending
  const auto texts = parts.read(part, [&](const NumberedRecord& row, std::uint32_t key) {
    if (next == named.end() || *next != row.number) return;
    ++next;
    keep_row(row, key, kNamed);
    if (std::ranges::binary_search(shown, row.number)) denials.push_back({row, key});
  });
  const std::int64_t window_us = longest_window_us(rules);
  if (!denials.empty())
    parts.read(part, [&](const NumberedRecord& row, std::uint32_t key) {
      for (const Denial& denial : denials)
        if (key == denial.key && may_explain(row.record, denial.row.record, window_us))
          keep_row(row, key, denial.row.number);
    });
  for (std::size_t i = 0; i < keys.size(); ++i) kept_[kept_before + i].key = texts[keys[i]];
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

bool KeptRecords::has_named(const KeySums& sums) const {
  return std::ranges::includes(numbers(), named_by(sums));
}

Numbers KeptRecords::numbers() const {
  Numbers numbers;
  for (const Kept& kept : kept_) numbers.push_back(kept.number);
  sort_unique(numbers);
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
