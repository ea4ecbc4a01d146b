// The records of a log by parts of its keys: all records of a key are in one part, and each part
// can be judged by itself. Held as packed bytes (packed_records.h), of which most are put into a
// store when a budget is used up. Pure, apart from what the store does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "log/byte_store.h"
#include "log/in_flight_times.h"
#include "log/log_builder.h"
#include "log/packed_records.h"
#include "log/record.h"

namespace rlctl {

class LogParts;

// Waits until the work that it got before is done, and throws what that threw. Then does this work,
// if there is one, perhaps while the caller goes on.
using WorkAside = std::function<void(std::function<void()> work)>;

// What the parts of several logs may hold in memory together.
class PartsMemory {
 public:
  // `store`: for what is more than `most_bytes`; null: all is held. `aside`: packs the records
  // while the next ones are read; empty: at once.
  PartsMemory(std::int64_t most_bytes, std::unique_ptr<ByteStore> store, WorkAside aside = {})
      : most_bytes_(most_bytes), store_(std::move(store)), aside_(std::move(aside)) {}

  void join(LogParts& log) {
    wait();
    logs_.push_back(&log);
  }
  // By so much more, or less, is held.
  void change(std::int64_t bytes);
  const ByteStore* store() const { return store_.get(); }
  void work_aside(std::function<void()> work);
  void wait() { work_aside({}); }

 private:
  std::int64_t most_bytes_;
  std::int64_t held_bytes_ = 0;
  std::unique_ptr<ByteStore> store_;
  WorkAside aside_;
  std::vector<LogParts*> logs_;
};

// A record of a part. `key`: by the first appearance of the keys in the part, from 0.
using SeeRecord = std::function<void(const NumberedRecord& row, std::uint32_t key)>;

class LogParts {
 public:
  static constexpr std::size_t kParts = 256;
  // So much memory a record takes while its part is judged, about.
  static constexpr std::size_t kJudgedRecordBytes = 64;

  explicit LogParts(std::shared_ptr<PartsMemory> memory);
  ~LogParts();
  LogParts(const LogParts&) = delete;
  LogParts& operator=(const LogParts&) = delete;

  // The next record. Null, or why there is no place for it.
  const char* add(const Record& record, std::string_view key, SourceLine source,
                  const Finish& finish);
  // After the last record, and before anything is asked for but records().
  void finish();
  void spill(ByteStore& store);

  std::size_t records() const { return count_; }
  std::size_t records_of(std::size_t part) const { return parts_[part].records; }
  // Calls `see` with each record of one of kParts, in the order of the log, and returns its keys.
  // They are unpacked one by one: nobody has room for all records of a key. Any thread.
  std::vector<std::string> read(std::size_t part, const SeeRecord& see) const;
  // 1: no two at once.
  std::int64_t most_in_flight() { return times_.most(memory_->store()); }

 private:
  struct Part {
    RecordPacker packer;
    std::vector<ByteStore::Extent> spilled;
    std::size_t records = 0;
  };

  // Records that wait to be packed.
  struct Batch {
    struct Row {
      NumberedRecord row;
      std::size_t key_end = 0;  // in `keys`
      std::size_t part = 0;
      std::size_t hash = 0;  // of the key, by Interner
    };
    std::vector<Row> rows;
    std::string keys;
  };

  void pack_what_waits();
  void pack(const Batch& batch);
  void pack(const Batch::Row& row, std::string_view key);
  void fetch_ahead(const std::vector<Batch::Row>& rows, std::size_t at) const;

  std::shared_ptr<PartsMemory> memory_;
  Batch waiting_;
  Batch packing_;  // of the work aside, as all below but the count
  std::array<Part, kParts> parts_;
  InFlightTimes times_;
  std::uint32_t count_ = 0;
};

}  // namespace rlctl
