// How many operations were in flight at once, of a log of any size: the times at which they began
// and ended, each list as sorted runs of packed numbers, about 5 bytes an operation. Lines of a log
// are nearly in order, so that its runs hardly overlap. Pure; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "log/byte_store.h"
#include "log/record.h"

namespace rlctl {

class SortedRuns {
 public:
  void add(std::int64_t number);
  std::size_t held_bytes() const { return packed_bytes_ + unsorted_.size() * sizeof(std::int64_t); }
  // Puts all of it into the store.
  void spill(ByteStore& store);
  void end_run();

  using Run = std::variant<std::string, std::vector<ByteStore::Extent>>;
  const std::vector<Run>& runs() const { return runs_; }

 private:
  std::vector<std::int64_t> unsorted_;
  std::vector<Run> runs_;
  std::size_t packed_bytes_ = 0;  // of runs in memory
};

class InFlightTimes {
 public:
  void add(const Record& record);
  std::size_t held_bytes() const { return sent_.held_bytes() + received_.held_bytes(); }
  void spill(ByteStore& store);

  // 1: no two at once. `store`: the one of spill(); null: there was none.
  std::int64_t most(const ByteStore* store);

 private:
  SortedRuns sent_;
  SortedRuns received_;
};

}  // namespace rlctl
