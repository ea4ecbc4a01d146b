#include "log/packed_records.h"

#include "base/varint.h"

namespace rlctl {
namespace {

// What differs most often comes first: the mask of a usual record is one byte.
enum PackedField : std::size_t {
  kNumber,
  kSent,
  kReceived,
  kKey,
  kOutcome,
  kServer,
  kLine,
  kIntended,
  kSpan,
  kRetryAfter,
  kRemaining,
  kStatus,
  kCost,
  kWho,
  kPhase,
  kTarget,
  kFile,
  kFinishSent,
  kFinishReceived,
  kActualCost
};
static_assert(kActualCost + 1 == kPackedFields);

constexpr std::int64_t kLacksDuration = 1 << 7;  // beside the outcome, as in a Record

std::int64_t since(std::int64_t sent_us, std::int64_t us) {
  if (us == kNoTime) return kNoTime;
  return sent_us == kNoTime ? us : us - sent_us;
}

std::int64_t from_since(std::int64_t sent_us, std::int64_t us) {
  if (us == kNoTime) return kNoTime;
  return sent_us == kNoTime ? us : us + sent_us;
}

PackedRow packed(const NumberedRecord& row, std::uint32_t key) {
  const Record& record = row.record;
  PackedRow fields{};
  fields[kNumber] = row.number;
  fields[kSent] = record.sent_us;
  fields[kReceived] = since(record.sent_us, record.received_us);
  fields[kKey] = key;
  fields[kOutcome] =
      static_cast<std::int64_t>(record.outcome) | (record.lacks_duration ? kLacksDuration : 0);
  fields[kServer] = since(record.sent_us, record.server_us);
  fields[kLine] = static_cast<std::int64_t>(row.source.line) - row.number;
  fields[kIntended] = since(record.sent_us, record.intended_us);
  fields[kSpan] = record.server_span_us;
  fields[kRetryAfter] = record.retry_after_us;
  fields[kRemaining] = record.remaining;
  fields[kStatus] = record.status;
  fields[kCost] = record.cost;
  fields[kWho] = record.who;
  fields[kPhase] = record.phase;
  fields[kTarget] = record.target;
  fields[kFile] = row.source.file;
  fields[kFinishSent] = since(record.sent_us, row.finish.sent_us);
  fields[kFinishReceived] = since(record.sent_us, row.finish.received_us);
  fields[kActualCost] = row.finish.actual_cost;
  return fields;
}

template <class Number>
void set(Number& number, std::int64_t value) {
  number = static_cast<Number>(value);
}

void unpack(const PackedRow& fields, NumberedRecord& row) {
  Record& record = row.record;
  set(row.number, fields[kNumber]);
  record.sent_us = fields[kSent];
  record.received_us = from_since(record.sent_us, fields[kReceived]);
  record.outcome = static_cast<Outcome>(fields[kOutcome] & ~kLacksDuration);
  record.lacks_duration = (fields[kOutcome] & kLacksDuration) != 0;
  record.server_us = from_since(record.sent_us, fields[kServer]);
  set(row.source.line, fields[kLine] + fields[kNumber]);
  record.intended_us = from_since(record.sent_us, fields[kIntended]);
  set(record.server_span_us, fields[kSpan]);
  record.retry_after_us = fields[kRetryAfter];
  set(record.remaining, fields[kRemaining]);
  record.status = static_cast<std::uint16_t>(fields[kStatus]) & 0x3ffU;
  set(record.cost, fields[kCost]);
  set(record.who, fields[kWho]);
  set(record.phase, fields[kPhase]);
  record.target = static_cast<std::uint16_t>(fields[kTarget]) & 0x3fU;
  set(row.source.file, fields[kFile]);
  row.finish = {from_since(record.sent_us, fields[kFinishSent]),
                from_since(record.sent_us, fields[kFinishReceived]), fields[kActualCost]};
}

}  // namespace

void RecordPacker::add(const NumberedRecord& row, std::string_view key, std::size_t hash) {
  const std::size_t known = keys_.texts().size();
  const PackedRow fields = packed(row, keys_.number_of(key, hash));
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < kPackedFields; ++i)
    differ |= std::uint64_t{fields[i] != last_[i]} << i;
  append_varint(bytes_, differ);
  for (std::size_t i = 0; i < kPackedFields; ++i)
    if (fields[i] != last_[i]) append_varint(bytes_, zigzag(last_[i], fields[i]));
  last_ = fields;
  if (keys_.texts().size() == known) return;
  append_varint(bytes_, key.size());
  bytes_ += key;
  // The text, its place in a list, and its slots in a table that is half empty.
  keys_bytes_ += key.size() + sizeof(std::string) + 32;
}

void RecordPacker::clear() { *this = RecordPacker(); }

bool RecordUnpacker::next() {
  if (bytes_.empty()) return false;
  for (std::uint64_t differ = take_varint(bytes_), i = 0; differ != 0; differ >>= 1U, ++i)
    if ((differ & 1U) != 0) last_[i] = after_zigzag(last_[i], take_varint(bytes_));
  unpack(last_, row_);
  key_ = static_cast<std::size_t>(last_[kKey]);
  is_new_key_ = key_ == keys_;
  if (!is_new_key_) return true;
  ++keys_;
  const std::size_t size = take_varint(bytes_);
  key_text_ = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return true;
}

}  // namespace rlctl
