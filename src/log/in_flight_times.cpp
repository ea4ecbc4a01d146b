#include "log/in_flight_times.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/sort.h"
#include "base/varint.h"

namespace rlctl {
namespace {

constexpr std::size_t kLongestRun = std::size_t{1} << 19U;
constexpr std::size_t kBlockBytes = std::size_t{32} << 10U;

// The numbers of one run, a block at a time.
class RunReader {
 public:
  RunReader(const SortedRuns::Run& run, const ByteStore* store) : store_(store) {
    if (const auto* text = std::get_if<std::string>(&run))
      rest_ = *text;
    else
      extents_ = std::get<std::vector<ByteStore::Extent>>(run);
  }

  // False: there are no more.
  bool next() {
    if (rest_.empty() && !read_block()) return false;
    number_ = after_zigzag(number_, take_varint(rest_));
    return true;
  }
  std::int64_t number() const { return number_; }

 private:
  bool read_block() {
    if (at_ == extents_.size()) return false;
    block_ = store_->get(extents_[at_++]);
    rest_ = block_;
    return true;
  }

  const ByteStore* store_;
  std::vector<ByteStore::Extent> extents_;
  std::size_t at_ = 0;
  std::string block_;
  std::string_view rest_;
  std::int64_t number_ = 0;
};

// All numbers of the runs in order.
class MergedRuns {
 public:
  MergedRuns(const SortedRuns& runs, const ByteStore* store) {
    readers_.reserve(runs.runs().size());
    for (const SortedRuns::Run& run : runs.runs()) {
      readers_.emplace_back(run, store);
      if (readers_.back().next()) waiting_.push_back(&readers_.back());
    }
    std::ranges::make_heap(waiting_, later);
    take_least();
  }

  bool is_empty() const { return current_ == nullptr; }
  std::int64_t front() const { return current_->number(); }

  void pop() {
    const bool more = current_->next();
    if (more && (waiting_.empty() || front() <= waiting_.front()->number())) return;
    if (more) {
      waiting_.push_back(current_);
      std::ranges::push_heap(waiting_, later);
    }
    take_least();
  }

 private:
  static bool later(const RunReader* a, const RunReader* b) { return a->number() > b->number(); }

  void take_least() {
    current_ = nullptr;
    if (waiting_.empty()) return;
    std::ranges::pop_heap(waiting_, later);
    current_ = waiting_.back();
    waiting_.pop_back();
  }

  std::vector<RunReader> readers_;
  std::vector<RunReader*> waiting_;  // a heap, the least first
  RunReader* current_ = nullptr;
};

}  // namespace

void SortedRuns::add(std::int64_t number) {
  if (unsorted_.size() == kLongestRun) end_run();
  unsorted_.push_back(number);
}

void SortedRuns::end_run() {
  if (unsorted_.empty()) return;
  sort_unless_sorted(unsorted_);
  std::string run;
  std::int64_t last = 0;
  for (const std::int64_t number : unsorted_)
    append_varint(run, zigzag(std::exchange(last, number), number));
  run.shrink_to_fit();
  packed_bytes_ += run.size();
  runs_.emplace_back(std::move(run));
  unsorted_.clear();
}

void SortedRuns::spill(ByteStore& store) {
  end_run();
  packed_bytes_ = 0;
  for (Run& run : runs_) {
    const auto* text = std::get_if<std::string>(&run);
    if (text == nullptr) continue;
    std::vector<ByteStore::Extent> blocks;
    for (std::string_view rest = *text; !rest.empty();) {
      // A block ends with the end of a number.
      std::size_t size = std::min(kBlockBytes, rest.size());
      while ((static_cast<unsigned char>(rest[size - 1]) & 0x80U) != 0) --size;
      blocks.push_back(store.put(rest.substr(0, size)));
      rest.remove_prefix(size);
    }
    run = std::move(blocks);
  }
}

void InFlightTimes::add(const Record& record) {
  if (record.outcome == Outcome::failed || record.sent_us == kNoTime) return;
  sent_.add(record.sent_us);
  received_.add(std::max(record.received_us, record.sent_us));
}

void InFlightTimes::spill(ByteStore& store) {
  sent_.spill(store);
  received_.spill(store);
}

std::int64_t InFlightTimes::most(const ByteStore* store) {
  sent_.end_run();
  received_.end_run();
  MergedRuns sent(sent_, store);
  MergedRuns received(received_, store);
  std::int64_t most = 0;
  for (std::int64_t begun = 1, ended = 0; !sent.is_empty(); sent.pop(), ++begun) {
    for (; ended < begun - 1 && received.front() <= sent.front(); received.pop()) ++ended;
    most = std::max(most, begun - ended);
  }
  return most;
}

}  // namespace rlctl
