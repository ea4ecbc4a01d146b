// What a limiter of a hypothesis, of one rule or of two, would answer to one client. It follows the
// answers that were really given, also where it would have answered otherwise, and says of any
// later instant whether it has room. Copies are independent. Pure; times are µs, ascending; each
// call is O(1).
#pragma once

#include <cstdint>
#include <vector>

#include "probe/hypothesis.h"

namespace rlctl {

// What is not known exactly is taken once for the client, once against it.
enum class Leaning : std::int8_t { none, lenient, strict };

// The number of the window that this time is in, or of windows that fit before it.
std::int64_t floor_div(std::int64_t value, std::int64_t by);

class Model {
 public:
  // A rule beside it has its own limit, and the roundest of its times.
  Model(const Hypothesis& hypothesis, std::int64_t time_us, Leaning leaning = Leaning::none);

  bool has_room(std::int64_t now_us) const;
  void note(bool admitted, std::int64_t now_us);
  bool operator==(const Model&) const = default;

 private:
  bool rule_has_room(std::int64_t now_us) const;
  void admit(std::int64_t now_us);
  std::int64_t tokens_us(std::int64_t now_us) const;
  std::int64_t windows_after(std::int64_t from_us, std::int64_t now_us) const;
  double estimate(std::int64_t now_us) const;
  void count(std::int64_t now_us);

  const LimiterKindRow* row_;
  LimiterKind kind_;
  std::int64_t limit_;
  std::int64_t time_us_;
  std::int64_t counted_for_us_;  // of a window from its first hit, and of a penalty's
  bool counts_for_long_;  // of a penalty: whichever window leads to it, at most as long, is full
  bool rounds_down_;
  std::vector<std::int64_t> counted_us_;  // sliding: at most `limit_`, from `oldest_` on, in a ring
  std::size_t oldest_ = 0;
  std::int64_t used_ = 0;        // in the present window
  std::int64_t older_used_ = 0;  // counters: in the window before
  std::int64_t edge_us_;         // where a window begins
  std::int64_t window_us_ = 0;   // counters, windows of a clock: where the present one began
  bool is_fresh_ = true;         // nothing was counted
  std::int64_t blocked_until_us_;
  std::int64_t tokens_us_;  // of a bucket, in µs of refill
  std::int64_t refilled_us_;
  std::vector<Model> beside_;  // one or none
};

}  // namespace rlctl
