// One rule, followed along a sequence of decisions whose instants are still open: which bounds on
// the instants let a request find room, and which let it find the rule full.
//
// The sequence is the order in which the limiter decided. A rule's state after it (the entries of a
// window, the request that opened the window of a first hit, the level of a bucket, a block) then
// depends on the instants by bounds alone (instants.h). Where the rule leaves a choice, there are
// several ways. Pure; nothing is owned but the state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "policy/rule.h"
#include "verdict/algorithm/instants.h"

namespace rlctl {

// A request in the sequence.
struct Step {
  Node node = kNoNode;  // when it was decided
  std::int64_t cost = 1;
  bool denied = false;
};

// What happens to the rule's state.
enum class Change : std::uint8_t {
  none,
  enter,  // it counts
  open,   // it opens the window of a first hit, or takes from a full bucket
  unseen  // it counts in the window that a request opened which the log does not show
};

// Whose denial starts the block that is active after this one.
enum class BlockStart : std::uint8_t {
  none,   // the block is the one from before, if any
  here,   // this denial
  unseen  // the denial of a request that the log does not show
};

// One way in which a rule can answer a request: the bounds that it needs, and what it changes.
struct Way {
  std::vector<Bound> bounds;
  bool full = false;  // a denial: this rule explains it
  BlockStart block = BlockStart::none;
  std::size_t block_after = 0;  // BlockStart::unseen: so many entries
  Change change = Change::none;
  // How far from the likely way: within the tolerance, a window should end when it says so; of a
  // bucket by steps, the time in which the lost tokens come.
  Instant unlikely = 0;
  std::size_t ended = 0;  // in flight: the number of this choice of holders that have ended

  Way& with(const Bound& bound) {
    bounds.push_back(bound);
    return *this;
  }
};
using Ways = std::vector<Way>;

// A request that should be decided later.
struct Wait {
  Node node;
  Instant least;
};

// What is admitted is held until an instant in [from, to], `least` after its decision or later.
struct Tenure {
  Instant from = 0;
  Instant to = 0;
  Instant least = 0;
  std::int64_t cost = 1;
  bool leased = false;  // a lease ends it, so that it ends later if it was decided later
};
struct HeldRequest {
  Node node;
  Tenure held;
};

// The unit of the instants, and the instants that a rule needs beside those of requests.
struct JointFrame {
  Instants* instants = nullptr;
  std::int64_t scale = 1;  // instants per us
  Instant base_us = 0;     // what instant 0 means
  std::int64_t tolerance_us = 0;
  bool closed = false;  // an admission still counts when a sliding window has passed exactly
  bool alone = true;    // there is no other rule that may explain a denial
  // Of a bucket: so many spans that may explain a denial are offered. More are left out, so that a
  // "no" is no proof.
  std::size_t most_spans = 64;
  // Of a log that does not begin with empty keys: where it begins.
  std::optional<std::int64_t> from_us;
};

// Whether a denial of this cost may change the rule's state, so that its place in the sequence
// matters.
bool minds_denials(const Rule& rule, std::int64_t cost);

class RuleTrack {
 public:
  static constexpr Instant kEver = std::numeric_limits<Instant>::max() / 4;

  virtual ~RuleTrack() = default;

  Ways to_admit(const Step& step) const;
  // `entered`: the denial is decided after so many entries, not necessarily after all.
  Ways to_deny(const Step& step, std::size_t entered) const;
  // What would have to be later, so that the rule is full after so many entries. It may not be
  // possible for that request: another one may have to take its place.
  virtual std::optional<Wait> to_wait(const Step& /*denial*/, std::size_t /*entered*/) const {
    return {};
  }
  void commit(const Step& step, const Way& way);
  void undo();

  bool minds(const Step& denial) const { return minds_denials(rule_, denial.cost); }
  // Of so many entries: those before the window that was open then.
  virtual std::size_t opened_after(std::size_t entered) const { return entered; }
  std::size_t entries() const { return entries_.size(); }
  Node entry(std::size_t i) const { return entries_[i].node; }

 protected:
  struct Entry {
    Node node;
    std::int64_t until;  // the sum of the costs up to here
  };

  RuleTrack(const Rule& rule, const JointFrame& frame);

  // Of a log that does not begin with empty keys: the request is decided while requests before the
  // log may fill the rule.
  Bound while_unseen(const Step& step) const;

  virtual void room(const Step& step, Ways& ways) const = 0;
  virtual void full(const Step& step, std::size_t entered, Ways& ways) const = 0;
  // Appends `way` with what a denial, whatever its reason, does to the state.
  virtual void add_denied(const Step& step, Way way, Ways& ways) const;
  virtual void enter(const Step& step, const Way& way);
  virtual void leave();

  std::int64_t sum(std::size_t first, std::size_t last) const;  // costs of [first, last)
  // The latest entry of the first `entered` that must be gone to make room for `cost`; entered if
  // there is none.
  std::size_t last_in_the_way(std::int64_t cost, std::int64_t limit, std::size_t entered) const;
  Instant at(const Step& step) const { return frame_.instants->at(step.node); }
  Instant scaled(std::int64_t us) const { return us * frame_.scale; }
  Instant placed(std::int64_t at_us) const { return scaled(at_us - frame_.base_us); }

  // How long a block or a window of a first hit lasts.
  struct Lasts {
    Instant shortest;
    Instant longest;
  };
  // Whether one that a request began which the log does not show may last until the step.
  bool may_be_unseen(const Step& step, const Lasts& lasts) const;
  // When it began: after so many entries, and when the one `before` had ended. What entered later
  // was decided when it had ended.
  Gap unseen(const Step& step, std::size_t entered, Node before, const Lasts& lasts) const;

  Rule rule_;
  Instant tolerance_;
  JointFrame frame_;
  std::vector<Entry> entries_;
  Node log_begins_ = kNoNode;  // later requests are all in the log

 private:
  void add_blocked_ways(const Step& step, Ways& ways) const;
  void add_unseen_blocks(const Step& step, Ways& ways) const;
  void add_other(const Step& step, const Way& way, Ways& ways) const;
  Node block() const { return blocks_.empty() ? kNoNode : blocks_.back(); }

  struct Done {
    bool entered;
    bool blocked;
  };
  Lasts block_lasts_;
  std::vector<Done> done_;
  std::vector<Node> blocks_;  // the denials that started a block
  Instant memory_ = kEver;    // so long after the log begins, unseen requests may fill the rule
};

// `held`: the requests that a rule "in flight" counts.
std::unique_ptr<RuleTrack> make_track(const Rule& rule, const JointFrame& frame,
                                      std::span<const HeldRequest> held);

}  // namespace rlctl
