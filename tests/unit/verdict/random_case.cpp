#include "unit/verdict/random_case.h"

#include <algorithm>
#include <sstream>

namespace rlctl::test {
namespace {

Record record_of(HistoryRandom& random, bool stamped, std::int64_t offset, bool costly) {
  Record record;
  record.sent_us = random.between(0, 18);
  record.received_us = record.sent_us + (random.one_in(3) ? 0 : random.between(0, 4));
  const std::int64_t dice = random.between(1, 20);
  record.outcome = dice <= 11   ? Outcome::allowed
                   : dice <= 17 ? Outcome::denied
                   : dice <= 19 ? Outcome::unknown
                                : Outcome::failed;
  if (costly) record.cost = static_cast<std::uint32_t>(random.between(1, 3));
  if (stamped && record.outcome != Outcome::unknown && record.outcome != Outcome::failed) {
    record.server_us = random.between(record.sent_us, record.received_us) + offset;
  }
  return record;
}

Log log_of(HistoryRandom& random) {
  Log log;
  log.keys = {"k"};
  const std::int64_t offset = random.between(-5, 5);
  const std::int64_t how = random.between(1, 4);  // no stamps, all, some, some with a step
  const bool costly = random.one_in(3);
  const std::int64_t count = random.between(0, 7);
  for (std::int64_t i = 0; i < count; ++i) {
    const bool stamped = how == 2 || (how > 2 && random.one_in(2));
    const std::int64_t step = how == 4 && random.one_in(4) ? random.between(1, 3) : 0;
    log.records.push_back(record_of(random, stamped, offset + step, costly));
  }
  return log;
}

}  // namespace

Case case_of(std::uint64_t seed) {
  HistoryRandom random(seed);
  Case c;
  c.log = log_of(random);
  c.contract.kind = static_cast<RuleKind>(random.between(0, 3));
  c.contract.limit = random.one_in(12) ? 0 : random.between(1, 3);
  c.contract.window_us = random.between(2, 8);
  c.contract.phase_us = random.between(0, 7);
  if (random.one_in(3)) c.contract.phase_us.reset();
  if (c.contract.kind == RuleKind::bucket) c.contract.capacity = random.between(1, 3);
  c.contract.counts_denied = random.one_in(4);
  if (random.one_in(4)) c.contract.block_us = random.between(1, 9);
  c.options.tolerance_us = random.one_in(4) ? 1 : 0;
  c.options.fresh = random.one_in(2);
  c.options.closed = c.contract.kind == RuleKind::sliding && random.one_in(4);
  if (random.one_in(2)) c.options.max_inflight_us = random.between(0, 5);
  if (random.one_in(4)) c.options.history_from_us = random.between(-4, 4);
  return c;
}

std::string show(const Case& c) {
  std::ostringstream out;
  out << "kind " << static_cast<int>(c.contract.kind) << " limit " << c.contract.limit << " window "
      << c.contract.window_us << " phase " << c.contract.phase_us.value_or(-1) << " capacity "
      << c.contract.capacity << " counts_denied " << c.contract.counts_denied << " block "
      << c.contract.block_us << " tolerance " << c.options.tolerance_us << " fresh "
      << c.options.fresh << " closed " << c.options.closed << " inflight "
      << c.options.max_inflight_us.value_or(-1) << " from "
      << c.options.history_from_us.value_or(-1000) << "\n";
  for (const Record& r : c.log.records) {
    out << "  [" << r.sent_us << ", " << r.received_us << "] ";
    if (r.server_us != kNoTime) out << "at " << r.server_us << " ";
    out << "cost " << r.cost << " outcome " << static_cast<int>(r.outcome) << "\n";
  }
  return out.str();
}

std::int64_t history_from(const Case& c, const brute::Operations& operations,
                          std::int64_t latest_shift) {
  if (c.options.history_from_us) return *c.options.history_from_us + latest_shift;
  std::int64_t from = 1000;
  for (const brute::Operation& op : operations)
    from = std::min(from, c.log.records[op.record].received_us + latest_shift);
  return from;
}

}  // namespace rlctl::test
