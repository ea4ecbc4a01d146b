// The keys of a log, judged one by one under the same rules: their sums, and the worst of them.
// Keys have no effect on each other, so those of a log by parts are judged part by part and joined,
// in any order. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <tuple>
#include <vector>

#include "verdict/algorithm/clock_offset.h"
#include "verdict/history.h"
#include "verdict/judge_key.h"

namespace rlctl {

// Whether the time of a decision is known to less than half of the shortest window. If not, a
// placement that keeps the rules is no evidence: nearly any log has one.
class Coarseness {
 public:
  void add(const History& history, const Rules& rules);
  void join(const Coarseness& other);
  bool is_too_coarse() const { return 2 * coarse_ > all_; }
  auto members() { return std::tie(all_, coarse_); }

 private:
  std::size_t all_ = 0;
  std::size_t coarse_ = 0;
};

struct JudgedKeys {
  Figures totals;
  std::vector<KeyFigures> keys;  // worst first
  std::vector<Figures> by_rule;  // empty: there is only one
  std::int64_t count = 0;        // of all keys
  bool any_undetermined = false;
  Coarseness coarseness;
};

inline bool is_undetermined(const KeyFigures& key) {
  return key.figures.proof == Proof::undetermined;
}

// Stable.
void sort_worst_first(std::vector<KeyFigures>& keys);

class KeySums {
 public:
  static constexpr std::size_t kAll = 0;

  KeySums() = default;
  // Keeps at most `most` keys, the worst.
  KeySums(std::size_t rules, std::size_t most) : by_rule_(rules > 1 ? rules : 0), most_(most) {}

  // KeyFigures::key is the number by which keys are in order.
  void add(KeyFigures key, const std::vector<Figures>& by_rule);
  void add_history(const History& history, const Rules& rules) { coarseness_.add(history, rules); }
  void join(KeySums&& other);

  JudgedKeys take();

  // All that name records, unsorted.
  void each_figures(const std::function<void(const Figures&)>& see) const;
  const std::vector<std::uint32_t>& false_denials() const { return totals_.false_denials(); }
  auto members() {
    return std::tie(totals_, by_rule_, keys_, count_, any_undetermined_, coarseness_, most_);
  }

 private:
  void cut();

  Totals totals_;
  std::vector<Totals> by_rule_;
  std::vector<KeyFigures> keys_;
  std::int64_t count_ = 0;
  bool any_undetermined_ = false;
  Coarseness coarseness_;
  std::size_t most_ = kAll;
};

// The clock and the width of the intervals for these rules. An offset that is the same for every
// operation cancels out, unless windows are aligned to the limiter's clock.
Frame frame_of(const ClockOffset& offset, const Rules& rules, const JudgeOptions& options);

// Rules, and how the records are placed for them.
struct FramedRules {
  const Rules& rules;
  Frame frame;
  std::int64_t from_us = 0;      // History::from_us
  std::int64_t our_from_us = 0;  // the same by our clock, where there are several servers
  const JudgeOptions& options;
};

// Where the records of one key lie: all its decisions were made by one of the servers, whose clock
// its own stamps tell (`evidence`) if there are several.
struct KeyFrame {
  Frame frame;
  std::int64_t from_us = 0;  // History::from_us
};
KeyFrame frame_of_key(const FramedRules& framed, const ClockEvidence& evidence);

// Judges one key, and adds it. `number` and `text`: those of KeyFigures.
void judge_into(KeySums& sums, const History& history, const FramedRules& framed,
                std::uint32_t number, std::string text);

// Every rule counts a request under the same key.
KeySums judge_keys(const Log& log, const FramedRules& framed, std::size_t most);

// The largest part of what these records used that may have been used by requests in flight at one
// instant.
double share_in_flight(const Log& log, const std::vector<std::uint32_t>& records);

}  // namespace rlctl
