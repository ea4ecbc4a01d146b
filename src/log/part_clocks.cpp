#include "log/part_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>

#include "base/escape.h"
#include "base/units.h"

namespace rlctl {
namespace {

// A time in [low_us, high_us].
struct Range {
  std::int64_t low_us = std::numeric_limits<std::int64_t>::min() / 4;
  std::int64_t high_us = std::numeric_limits<std::int64_t>::max() / 4;

  void narrow(const Range& other) {
    low_us = std::max(low_us, other.low_us);
    high_us = std::min(high_us, other.high_us);
  }
  bool is_known() const { return *this != Range(); }
  std::int64_t width_us() const { return high_us - low_us; }
  std::int64_t middle_us() const { return low_us + width_us() / 2; }
  bool operator==(const Range&) const = default;
};

// The server's clock minus that of one machine; by key if several servers decide.
struct Machine {
  std::string part;
  std::map<std::uint32_t, Range> offsets;
  std::vector<std::size_t> records;
};

bool has_stamp(const Record& record) {
  return record.server_us != kNoTime && record.outcome != Outcome::failed;
}

void add_stamp(const Record& record, Range& offset) {
  Range one;
  if (record.received_us != kNoTime) one.low_us = record.server_us - record.received_us;
  if (record.sent_us != kNoTime) one.high_us = server_from_us(record) - record.sent_us;
  offset.narrow(one);
}

std::vector<Machine> machines_of(std::span<const PartStart> starts, const Log& log) {
  std::map<std::string, Machine> by_part;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1].record : log.records.size();
    Machine& machine = by_part[starts[i].part];
    machine.part = starts[i].part;
    for (std::size_t record = starts[i].record; record < end; ++record) {
      machine.records.push_back(record);
      const Record& one = log.records[record];
      if (has_stamp(one)) add_stamp(one, machine.offsets[log.servers > 1 ? one.key : 0]);
    }
  }
  std::vector<Machine> machines;
  for (auto& [part, machine] : by_part)
    if (!machine.records.empty()) machines.push_back(std::move(machine));
  return machines;
}

// What to add to the times of `other` to get those of `base`.
Range between(const Machine& base, const Machine& other) {
  Range difference;
  for (const auto& [key, theirs] : other.offsets) {
    const auto ours = base.offsets.find(key);
    if (ours == base.offsets.end()) continue;
    difference.narrow({theirs.low_us - ours->second.high_us, theirs.high_us - ours->second.low_us});
  }
  return difference;
}

void move(std::int64_t& time_us, std::int64_t by_us) {
  if (time_us != kNoTime) time_us += by_us;
}

void move(const Machine& machine, const Range& difference, Log& log) {
  const std::int64_t by_us = difference.middle_us();
  for (const std::size_t index : machine.records) {
    Record& record = log.records[index];
    const std::int64_t unsure_us = has_stamp(record) ? 0 : difference.width_us();
    move(record.intended_us, by_us - unsure_us);
    move(record.sent_us, by_us - unsure_us);
    move(record.received_us, by_us + unsure_us);
    if (index >= log.finishes.size()) continue;
    move(log.finishes[index].sent_us, by_us - difference.width_us());
    move(log.finishes[index].received_us, by_us + difference.width_us());
  }
}

// The machine that knows the server's clock best.
const Machine* best_of(const std::vector<Machine>& machines) {
  const auto unsure_us = [](const Machine& machine) {
    std::int64_t widest_us = machine.offsets.empty() ? Range().width_us() : 0;
    for (const auto& [key, offset] : machine.offsets)
      widest_us = std::max(widest_us, offset.width_us());
    return widest_us;
  };
  return &*std::ranges::min_element(machines, {}, unsure_us);
}

struct Moved {
  const Machine* machine = nullptr;
  Range by;
};

std::string moved_note(const Machine& base, const std::vector<Moved>& moved) {
  const auto distance_us = [](const Moved& one) { return std::abs(one.by.middle_us()); };
  const Moved& most = *std::ranges::max_element(moved, {}, distance_us);
  const std::string how =
      fmt::format("{} {} that of part {}", format_duration_for_people(distance_us(most)),
                  most.by.middle_us() < 0 ? "ahead of" : "behind", escape_for_terminal(base.part));
  const std::string part = escape_for_terminal(most.machine->part);
  if (moved.size() == 1)
    return fmt::format(
        "by the server's times, the clock of part {} is {}; its times were moved by that", part,
        how);
  return fmt::format(
      "by the server's times, the clocks of {} differ from that of part {}, most of all part {}, "
      "which is {}; their times were moved by that",
      counted(moved.size(), "part"), escape_for_terminal(base.part), part, how);
}

std::string unknown_note(const std::vector<std::string>& parts) {
  if (parts.size() == 1)
    return fmt::format(
        "no times of the server tell the clock of part {}: it is taken to agree with the others",
        escape_for_terminal(parts.front()));
  return fmt::format(
      "no times of the server tell the clocks of {}: they are taken to agree with the others",
      counted(parts.size(), "part"));
}

}  // namespace

std::vector<std::string> align_clocks(std::span<const PartStart> starts, Log& log) {
  std::vector<std::string> notes;
  if (std::ranges::adjacent_find(starts, std::ranges::not_equal_to(), &PartStart::part) ==
      starts.end())
    return notes;
  const std::vector<Machine> machines = machines_of(starts, log);
  if (machines.size() < 2) return notes;
  const Machine& base = *best_of(machines);
  // Each of the times was rounded to whole µs, or to the tick of the limiter's clock.
  const std::int64_t grain_us = std::max<std::int64_t>(1, log.tolerance_us);
  std::vector<Moved> moved;
  std::vector<std::string> unknown;
  for (const Machine& other : machines) {
    if (&other == &base) continue;
    const Range difference = between(base, other);
    const bool stepped = difference.width_us() < 0;
    const bool apart = difference.low_us > grain_us || difference.high_us < -grain_us;
    if (!difference.is_known()) {
      unknown.push_back(other.part);
    } else if (apart && !stepped) {
      move(other, difference, log);
      moved.push_back({&other, difference});
    }
  }
  if (!moved.empty()) notes.push_back(moved_note(base, moved));
  if (!unknown.empty()) notes.push_back(unknown_note(unknown));
  return notes;
}

}  // namespace rlctl
