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

constexpr std::size_t kMostWaiting = 4'096;
constexpr std::size_t kMostWaitingKeyBytes = std::size_t{1} << 20U;

void read_some(std::string_view bytes, Interner& keys, const SeeRecord& see) {
  RecordUnpacker unpacker(bytes);
  std::vector<std::uint32_t> numbers;  // of the keys in these bytes
  while (unpacker.next()) {
    if (unpacker.is_new_key()) numbers.push_back(keys.number_of(unpacker.key_text()));
    see(unpacker.row(), numbers[unpacker.key()]);
  }
}

}  // namespace

void PartsMemory::change(std::int64_t bytes) {
  held_bytes_ += bytes;
  if (!store_ || held_bytes_ <= most_bytes_) return;
  for (LogParts* log : logs_) log->spill(*store_);
  held_bytes_ = 0;
}

void PartsMemory::work_aside(std::function<void()> work) {
  if (aside_) return aside_(std::move(work));
  if (work) work();
}

LogParts::LogParts(std::shared_ptr<PartsMemory> memory) : memory_(std::move(memory)) {
  memory_->join(*this);
}

// If reading ended early, its error is the one to tell.
LogParts::~LogParts() {
  try {
    memory_->wait();
  } catch (...) {
    packing_ = {};
  }
}

const char* LogParts::add(const Record& record, std::string_view key, SourceLine source,
                          const Finish& finish) {
  if (count_ == std::numeric_limits<std::uint32_t>::max())
    return "a log may have 4,294,967,295 records";
  waiting_.keys += key;
  waiting_.rows.push_back({{count_++, source, record, finish},
                           waiting_.keys.size(),
                           part_of(key),
                           Interner::hash_of(key)});
  if (waiting_.rows.size() >= kMostWaiting || waiting_.keys.size() >= kMostWaitingKeyBytes)
    pack_what_waits();
  return nullptr;
}

void LogParts::pack_what_waits() {
  memory_->wait();
  std::swap(waiting_, packing_);
  waiting_.rows.clear();
  waiting_.keys.clear();
  memory_->work_aside([this] { pack(packing_); });
}

void LogParts::finish() {
  pack_what_waits();
  memory_->wait();
  waiting_ = {};
  packing_ = {};
}

void LogParts::pack(const Batch& batch) {
  std::size_t key_begin = 0;
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    fetch_ahead(batch.rows, i);
    const Batch::Row& row = batch.rows[i];
    pack(row, std::string_view(batch.keys).substr(key_begin, row.key_end - key_begin));
    key_begin = row.key_end;
  }
}

// The keys are all over the memory: most of the time would go into waiting for them.
void LogParts::fetch_ahead(const std::vector<Batch::Row>& rows, std::size_t at) const {
  using Step = Interner::Step;
  for (const auto& [step, ahead] :
       {std::pair{Step::slot, 12U}, std::pair{Step::place, 8U}, std::pair{Step::text, 4U}})
    if (at + ahead < rows.size())
      parts_[rows[at + ahead].part].packer.keys().fetch(step, rows[at + ahead].hash);
}

void LogParts::pack(const Batch::Row& row, std::string_view key) {
  Part& part = parts_[row.part];
  const std::size_t held = part.packer.held_bytes() + times_.held_bytes();
  part.packer.add(row.row, key, row.hash);
  ++part.records;
  times_.add(row.row.record);
  const std::size_t holds = part.packer.held_bytes() + times_.held_bytes();
  memory_->change(static_cast<std::int64_t>(holds) - static_cast<std::int64_t>(held));
}

void LogParts::spill(ByteStore& store) {
  times_.spill(store);
  for (Part& part : parts_) {
    if (part.packer.bytes().empty()) continue;
    part.spilled.push_back(store.put(part.packer.bytes()));
    part.packer.clear();
  }
}

std::vector<std::string> LogParts::read(std::size_t number, const SeeRecord& see) const {
  const Part& part = parts_[number];
  Interner keys;
  for (const ByteStore::Extent& extent : part.spilled)
    read_some(memory_->store()->get(extent), keys, see);
  read_some(part.packer.bytes(), keys, see);
  return keys.take();
}

}  // namespace rlctl
