// The offset between the limiter's clock and ours. Stamps from <= to, taken inside [sent,
// received], prove to - received <= offset <= from - sent. The intervals of a whole run are
// intersected (Cristian, "Probabilistic clock synchronization", 1989). An empty intersection proves
// that a clock stepped or drifted, and by how much at least.
//
// The nodes of a cluster have clocks of their own. All decisions on one key are one node's, so each
// key of such a log has an offset of its own.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "log/record.h"

namespace rlctl {

struct ClockOffset {
  std::int64_t stamps = 0;  // records that have one; 0: low_us and high_us are not set
  std::int64_t low_us = 0;
  std::int64_t high_us = 0;
  std::int64_t step_us = 0;    // low - high if the intersection is empty, else 0
  std::int64_t widest_us = 0;  // the longest time between the two stamps of one decision
  // Of several servers: keys whose clock stepped, or that went on at another server; and by how
  // much the clocks of the others are apart at least: those of these two keys.
  std::int64_t stepped_keys = 0;
  std::int64_t apart_us = 0;
  std::string ahead_key = {};
  std::string behind_key = {};

  bool usable() const { return stamps > 0 && step_us == 0 && stepped_keys == 0; }
};

// What the stamps say, before it is concluded from. Those of a log by parts of its keys are joined.
// Plain values.
struct ClockEvidence {
  ClockEvidence() = default;
  ClockEvidence(const Log& log, std::int64_t grain_us);
  void join(const ClockEvidence& other);
  ClockOffset offset() const;

  static constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

  std::int64_t grain_us = 1;
  std::int64_t stamps = 0;
  std::int64_t widest_us = 0;
  // The bounds of one server; of several, those of their keys whose clock did not step.
  std::int64_t highest_low_us = kLowest;
  std::int64_t lowest_high_us = kHighest;
  // Of several servers:
  bool by_key = false;
  std::int64_t lowest_low_us = kHighest;
  std::int64_t highest_high_us = kLowest;
  std::int64_t step_us = 0;  // the longest of a key
  std::int64_t stepped_keys = 0;
  std::string ahead_key;   // that of highest_low_us; of several, the first by name
  std::string behind_key;  // that of lowest_high_us

  void add(const Record& record);
  // Of several servers: all that the records of one key say.
  void add_key(const ClockEvidence& key, const std::string& name);

 private:
  void take_ahead(std::int64_t low_us, const std::string& key);
  void take_behind(std::int64_t high_us, const std::string& key);
  bool is_known() const { return highest_low_us != kLowest && lowest_high_us != kHighest; }
  ClockOffset offset_of_one() const;
  ClockOffset offset_of_several() const;
};

// `grain_us`: the resolution of the stamps. Each of the three times was rounded down to whole µs,
// so two true bounds may differ by 1 µs. So little is never reported as a step.
ClockOffset clock_offset(const Log& log, std::int64_t grain_us = 1);

}  // namespace rlctl
