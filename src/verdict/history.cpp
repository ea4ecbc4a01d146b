#include "verdict/history.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"

namespace rlctl {
namespace {

bool earlier(const Placement& a, const Placement& b) {
  return a.low_us != b.low_us ? a.low_us < b.low_us : a.record < b.record;
}

std::int64_t latest_end(const Record& record, std::int64_t sent_us, const Frame& frame) {
  if (record.outcome != Outcome::unknown) {
    return record.received_us == kNoTime ? sent_us : std::max(record.received_us, sent_us);
  }
  return frame.max_inflight_us ? sent_us + *frame.max_inflight_us : kOpenEnd;
}

}  // namespace

bool History::exact() const {
  const auto known = [](const Placement& p) { return p.exact(); };
  return unknown.empty() && std::all_of(admitted.begin(), admitted.end(), known) &&
         std::all_of(denied.begin(), denied.end(), known);
}

Placement place(const Record& record, std::uint32_t index, const Frame& frame) {
  Placement p{0, 0, record.cost, index};
  if (frame.stamps && record.server_us != kNoTime && record.outcome != Outcome::unknown) {
    p.low_us = p.high_us = record.server_us;
    return p;
  }
  const std::int64_t sent = record.sent_us != kNoTime ? record.sent_us : record.received_us;
  if (sent == kNoTime) {
    throw Error(Exit::usage, fmt::format("record {} has no time", index + 1),
                "give each record sent_us and received_us");
  }
  p.low_us = sent + frame.offset_low;
  p.high_us = latest_end(record, sent, frame);
  if (p.high_us != kOpenEnd) p.high_us += frame.offset_high;
  return p;
}

History make_history(const Log& log, std::span<const std::uint32_t> indexes, const Frame& frame) {
  History history;
  const auto allowed = std::count_if(indexes.begin(), indexes.end(), [&](std::uint32_t index) {
    return log.records[index].outcome == Outcome::allowed;
  });
  history.admitted.reserve(static_cast<std::size_t>(allowed));
  for (const std::uint32_t index : indexes) {
    const Record& record = log.records[index];
    switch (record.outcome) {
      case Outcome::allowed:
        history.admitted.push_back(place(record, index, frame));
        break;
      case Outcome::denied:
        history.denied.push_back(place(record, index, frame));
        break;
      case Outcome::unknown:
        history.unknown.push_back(place(record, index, frame));
        break;
      case Outcome::failed:
        ++history.failed;
        break;
    }
  }
  std::sort(history.admitted.begin(), history.admitted.end(), earlier);
  std::sort(history.unknown.begin(), history.unknown.end(), earlier);
  std::sort(history.denied.begin(), history.denied.end(), earlier);
  return history;
}

}  // namespace rlctl
