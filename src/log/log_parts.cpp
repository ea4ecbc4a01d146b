#include "log/log_parts.h"

#include <limits>
#include <span>

#include "log/interner.h"

namespace rlctl {
namespace {

// Not the hash of the interners: there, all keys of a part would want the same slots. The same on
// every machine (FNV-1a).
std::size_t part_of(std::string_view key) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return (hash ^ (hash >> 32U)) % LogParts::kParts;
}

class PartReader {
 public:
  PartReader(const Log& head, std::size_t records) {
    part_.log = head;
    part_.log.records.reserve(records);
    part_.numbers.reserve(records);
  }

  void read(std::string_view bytes) {
    RecordUnpacker unpacker(bytes);
    std::vector<std::uint32_t> keys;  // in these bytes
    while (unpacker.next()) {
      if (unpacker.is_new_key()) keys.push_back(keys_.number_of(unpacker.key_text()));
      add(unpacker.row(), keys[unpacker.key()]);
    }
  }

  LogPart take() {
    part_.log.keys = keys_.take();
    return std::move(part_);
  }

 private:
  void add(const NumberedRecord& row, std::uint32_t key) {
    if (row.finish != Finish()) part_.log.set_finish(part_.log.records.size(), row.finish);
    part_.log.records.push_back(row.record);
    part_.log.records.back().key = key;
    part_.numbers.push_back(row.number);
    part_.lines.add(row.number, row.source);
  }

  LogPart part_;
  Interner keys_;
};

}  // namespace

void PartsMemory::change(std::int64_t bytes) {
  held_bytes_ += bytes;
  if (!store_ || held_bytes_ <= most_bytes_) return;
  for (LogParts* log : logs_) log->spill(*store_);
  held_bytes_ = 0;
}

LogParts::LogParts(std::shared_ptr<PartsMemory> memory) : memory_(std::move(memory)) {
  memory_->join(*this);
}

const char* LogParts::add(const Record& record, std::string_view key, SourceLine source,
                          const Finish& finish) {
  if (count_ == std::numeric_limits<std::uint32_t>::max())
    return "a log may have 4,294,967,295 records";
  Part& part = parts_[part_of(key)];
  const std::size_t held = part.packer.held_bytes() + times_.held_bytes();
  part.packer.add({count_++, source, record, finish}, key);
  ++part.records;
  times_.add(record);
  const std::size_t holds = part.packer.held_bytes() + times_.held_bytes();
  memory_->change(static_cast<std::int64_t>(holds) - static_cast<std::int64_t>(held));
  return nullptr;
}

void LogParts::spill(ByteStore& store) {
  times_.spill(store);
  for (Part& part : parts_) {
    if (part.packer.bytes().empty()) continue;
    part.spilled.push_back(store.put(part.packer.bytes()));
    part.packer.clear();
  }
}

LogPart LogParts::part(std::size_t number, const Log& head) const {
  const Part& part = parts_[number];
  PartReader reader(head, part.records);
  for (const ByteStore::Extent& extent : part.spilled) reader.read(memory_->store()->get(extent));
  reader.read(part.packer.bytes());
  return reader.take();
}

}  // namespace rlctl
