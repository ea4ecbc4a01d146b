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

// The server's clock minus that of one machine; by key if several servers decide.
struct Machine {
  std::string part;
  std::map<std::uint32_t, ClockRange> offsets;
  ClockRange dated;  // by the Date headers
  std::vector<std::size_t> records;
};

bool has_stamp(const Record& record) {
  return record.server_us != kNoTime && record.outcome != Outcome::failed;
}

void add_stamp(const Record& record, ClockRange& offset) {
  ClockRange one;
  if (record.received_us != kNoTime) one.low_us = record.server_us - record.received_us;
  if (record.sent_us != kNoTime) one.high_us = server_from_us(record) - record.sent_us;
  offset.narrow(one);
}

std::vector<Machine> machines_of(std::span<const PartStart> starts, const DatedClocks& dated,
                                 const Log& log) {
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
  for (const auto& [part, range] : dated)
    if (by_part.contains(part)) by_part[part].dated = range;
  for (auto& [part, machine] : by_part)
    if (!machine.records.empty()) machines.push_back(std::move(machine));
  return machines;
}

ClockRange apart(const ClockRange& ours, const ClockRange& theirs) {
  return {theirs.low_us - ours.high_us, theirs.high_us - ours.low_us};
}

// What to add to the times of a machine to get those of another one, and who says so.
struct Difference {
  ClockRange by;
  bool is_dated = false;
};

Difference between(const Machine& base, const Machine& other) {
  Difference difference;
  for (const auto& [key, theirs] : other.offsets)
    if (const auto ours = base.offsets.find(key); ours != base.offsets.end())
      difference.by.narrow(apart(ours->second, theirs));
  if (difference.by.is_known() || !base.dated.is_known() || !other.dated.is_known())
    return difference;
  return {apart(base.dated, other.dated), true};
}

void move(std::int64_t& time_us, std::int64_t by_us) {
  if (time_us != kNoTime) time_us += by_us;
}

void move(const Machine& machine, const ClockRange& difference, Log& log) {
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
    if (machine.offsets.empty()) return machine.dated.width_us();
    std::int64_t widest_us = 0;
    for (const auto& [key, offset] : machine.offsets)
      widest_us = std::max(widest_us, offset.width_us());
    return widest_us;
  };
  return &*std::ranges::min_element(machines, {}, unsure_us);
}

struct Compared {
  const Machine* machine = nullptr;
  ClockRange by;
};

std::string source_in_words(const std::vector<Compared>& parts, bool is_dated) {
  if (!is_dated) return "by the server's times";
  const auto width_us = [](const Compared& one) { return one.by.width_us(); };
  return fmt::format(
      "by the Date headers of the answers, exact to {}",
      format_duration_for_people(width_us(*std::ranges::max_element(parts, {}, width_us))));
}

std::string moved_note(const Machine& base, const std::vector<Compared>& moved, bool is_dated) {
  const auto distance_us = [](const Compared& one) { return std::abs(one.by.middle_us()); };
  const Compared& most = *std::ranges::max_element(moved, {}, distance_us);
  const std::string how =
      fmt::format("{} {} that of part {}", format_duration_for_people(distance_us(most)),
                  most.by.middle_us() < 0 ? "ahead of" : "behind", escape_for_terminal(base.part));
  const std::string part = escape_for_terminal(most.machine->part);
  const std::string source = source_in_words(moved, is_dated);
  if (moved.size() == 1)
    return fmt::format("{}, the clock of part {} is {}; its times were moved by that", source, part,
                       how);
  return fmt::format(
      "{}, the clocks of {} differ from that of part {}, most of all part {}, which is {}; their "
      "times were moved by that",
      source, counted(moved.size(), "part"), escape_for_terminal(base.part), part, how);
}

// With stamps, clocks that may agree differ by less than a request takes: that is no news. Dates
// leave more room.
std::string agreed_note(const Machine& base, const std::vector<Compared>& agreed) {
  std::int64_t most_us = 0;
  for (const Compared& one : agreed)
    most_us = std::max({most_us, std::abs(one.by.low_us), std::abs(one.by.high_us)});
  return fmt::format(
      "by the Date headers of the answers, {} at most {} from that of part {}: {} taken to agree",
      agreed.size() == 1
          ? fmt::format("the clock of part {} differs by",
                        escape_for_terminal(agreed.front().machine->part))
          : fmt::format("the clocks of {} differ by", counted(agreed.size(), "part")),
      format_duration_for_people(most_us), escape_for_terminal(base.part),
      agreed.size() == 1 ? "it is" : "they are");
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

std::vector<std::string> align_clocks(std::span<const PartStart> starts, const DatedClocks& dated,
                                      Log& log) {
  std::vector<std::string> notes;
  if (std::ranges::adjacent_find(starts, std::ranges::not_equal_to(), &PartStart::part) ==
      starts.end())
    return notes;
  const std::vector<Machine> machines = machines_of(starts, dated, log);
  if (machines.size() < 2) return notes;
  const Machine& base = *best_of(machines);
  // Each of the times was rounded to whole µs, or to the tick of the limiter's clock.
  const std::int64_t grain_us = std::max<std::int64_t>(1, log.terms.tolerance_us);
  std::vector<Compared> moved[2];  // by the server's stamps, by Date
  std::vector<Compared> agreed;
  std::vector<std::string> unknown;
  for (const Machine& other : machines) {
    if (&other == &base) continue;
    const auto [by, is_dated] = between(base, other);
    const bool stepped = by.width_us() < 0;
    const bool apart = by.low_us > grain_us || by.high_us < -grain_us;
    if (!by.is_known()) {
      unknown.push_back(other.part);
    } else if (apart && !stepped) {
      move(other, by, log);
      moved[is_dated ? 1 : 0].push_back({&other, by});
    } else if (is_dated) {
      agreed.push_back({&other, by});
    }
  }
  for (const bool is_dated : {false, true})
    if (const auto& parts = moved[is_dated ? 1 : 0]; !parts.empty())
      notes.push_back(moved_note(base, parts, is_dated));
  if (!agreed.empty()) notes.push_back(agreed_note(base, agreed));
  if (!unknown.empty()) notes.push_back(unknown_note(unknown));
  return notes;
}

}  // namespace rlctl
