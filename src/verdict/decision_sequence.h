// Decisions in the order in which the limiter may have made them, their instants still open: the
// state of a search for one placement that explains a whole history. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include "policy/rule.h"
#include "verdict/algorithm/instants.h"
#include "verdict/track/rule_track.h"

namespace rlctl {

enum class Role : std::uint8_t {
  admission,
  denial,
  unanswered  // admitted, denied or never decided
};

// A request and the range of the instant at which it was decided.
struct Request {
  Instant low = 0;
  Instant high = 0;
  std::int64_t cost = 1;
  std::uint32_t record = 0;
  Role role = Role::admission;
  std::vector<std::uint32_t> lanes;  // that count it; empty: the first one
  Tenure held{};                     // of rules "in flight"
};
using Requests = std::vector<Request>;

// Rules that count the same requests under the same keys share a lane, one for each key. Requests
// are ordered within each lane; those that share none do not matter to each other.
using Lanes = std::vector<Rules>;

// Where a denial hangs in one of its lanes: after so many of its entries.
struct Place {
  std::uint32_t lane = 0;
  std::size_t entered = 0;
};

// How the rules answer a request: one way per rule of its lanes.
using Answer = std::vector<Way>;

// What comes later cannot tell the two apart, but for their bounds.
bool changes_alike(const Answer& a, const Answer& b);

class DecisionSequence {
 public:
  static constexpr Instant kBegin = std::numeric_limits<Instant>::min() / 4;

  DecisionSequence(const Requests& requests, const Lanes& lanes, JointFrame frame);
  DecisionSequence(const DecisionSequence&) = delete;
  DecisionSequence& operator=(const DecisionSequence&) = delete;

  // All answers that this request may get as the next one, those that move the fewest instants
  // first.
  std::vector<Answer> answers(std::size_t request, Role role) const;
  // Of a denial: in its place, or after everything.
  std::vector<Answer> answers_to_deny(std::size_t denial, const std::optional<Place>& place) const;

  // Adds the request; false if its bounds leave no solution (nothing has changed then).
  // All that come later in its lanes are decided later. `least`: it is not decided before.
  bool add(std::size_t request, Role role, const Answer& answer, Instant least = kBegin);
  // A denial in its place. Nothing that comes later depends on it.
  bool hang(std::size_t denial, const Place& place, const Answer& answer);
  void undo();

  // The earliest instant of the request if it is the next admission; none if it cannot be.
  std::optional<Instant> next_admission(std::size_t request) const;
  // The earliest instant of the request if it is the next admission, and what keeps it from being
  // admitted earlier; kNoNode: nothing in the sequence.
  struct Earliest {
    Instant at;
    Node obstacle;
  };
  Earliest obstacle_of(std::size_t request) const;
  Instant at(std::size_t request) const { return instants_.at(static_cast<Node>(request)); }
  // The instant of the last decision before it in its lanes.
  Instant now(std::size_t request) const;
  std::span<const std::uint32_t> lanes_of(std::size_t request) const;
  Instant entry_at(std::uint32_t lane, std::size_t i) const {
    return instants_.at(lanes_[lane].tracks[0]->entry(i));
  }
  std::size_t entries(std::uint32_t lane) const { return lanes_[lane].tracks[0]->entries(); }
  // The number of entries before the windows that are open after so many.
  std::size_t opened_after(const Place& place) const;
  // What would have to be decided later, so that the denial is explained.
  std::vector<Wait> waits_for(std::size_t denial, const Place& place) const;
  bool minds(std::size_t denial) const;
  bool gave_up() const { return instants_.gave_up(); }
  // The answer's bounds hold wherever the instants are in their ranges.
  bool is_certain(const Answer& answer) const;
  // How far an answer moves instants, where one request has waited.
  Instant shortfall(const Answer& answer, Node waits = kNoNode, Instant waited = 0) const;

 private:
  struct Lane {
    std::vector<std::unique_ptr<RuleTrack>> tracks;
    std::vector<Node> last;  // the decisions that others are ordered by
  };
  struct Done {
    Instants::Mark mark;
    std::size_t request;
    bool ordered;
  };

  // Of every rule of its lanes.
  auto tracks_of(std::size_t request) const {
    return std::views::join(std::views::transform(
        lanes_of(request), [this](std::uint32_t lane) -> const auto& {
          return lanes_[lane].tracks;
        }));
  }
  std::vector<HeldRequest> held_in(std::uint32_t lane, const Rules& rules) const;
  std::optional<Earliest> earliest_by(const RuleTrack& track, std::size_t request,
                                      Instant from) const;
  Step step_of(std::size_t request, Role role) const;
  bool may_hold(const Way& way) const;
  void combine(const std::vector<Ways>& ways, Role role, Answer& answer,
               std::vector<Answer>& all) const;
  std::vector<Answer> sorted(std::vector<Answer> answers) const;
  bool commit(const Step& step, const Answer& answer, std::span<const Bound> after, bool ordered);

  const Requests& requests_;
  Instants instants_;
  std::vector<Lane> lanes_;
  Node zero_;  // always 0
  std::vector<Done> done_;
};

}  // namespace rlctl
