// Decisions in the order in which the limiter may have made them, their instants still open: the
// state of a search for one placement that explains a whole history. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "policy/rule.h"
#include "verdict/figures.h"
#include "verdict/instants.h"
#include "verdict/rule_track.h"

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

  bool operator==(const Request&) const = default;
};
using Requests = std::vector<Request>;

// How each rule answers a request: one way per rule.
using Answer = std::vector<Way>;

class DecisionSequence {
 public:
  static constexpr Instant kBegin = std::numeric_limits<Instant>::min() / 4;

  DecisionSequence(const Requests& requests, const Rules& rules, const JudgeOptions& options,
                   JointFrame frame);
  DecisionSequence(const DecisionSequence&) = delete;
  DecisionSequence& operator=(const DecisionSequence&) = delete;

  // All answers that this request may get as the next one, those that move the fewest instants
  // first. Of a denial: if it is decided after so many admissions.
  std::vector<Answer> answers(std::size_t request, Role role) const;
  std::vector<Answer> answers_after(std::size_t denial, std::size_t entered) const;

  // Adds the request; false if its bounds leave no solution (nothing has changed then).
  // All that come later are decided later. `least`: it is not decided before.
  bool add(std::size_t request, Role role, const Answer& answer, Instant least = kBegin);
  // A denial after the first `entered` admissions. Nothing that comes later depends on it.
  bool hang(std::size_t denial, std::size_t entered, const Answer& answer);
  void undo();

  // The earliest instant of the request if it is the next admission; none if it cannot be.
  std::optional<Instant> next_admission(std::size_t request) const;
  // What keeps the request from being admitted earlier; kNoNode: nothing in the sequence.
  Node obstacle_of(std::size_t request) const;
  Instant at(std::size_t request) const { return instants_.at(static_cast<Node>(request)); }
  Instant now() const { return last_.empty() ? kBegin : instants_.at(last_.back()); }
  Instant entry_at(std::size_t i) const { return instants_.at(tracks_[0]->entry(i)); }
  std::size_t entries() const { return tracks_[0]->entries(); }
  // The number of entries before the windows that are open after so many.
  std::size_t opened_after(std::size_t entered) const;
  std::size_t size() const { return done_.size(); }
  bool minds(std::size_t denial) const;
  bool gave_up() const { return instants_.gave_up(); }
  // How far an answer moves the instants of others.
  Instant shortfall(const Answer& answer) const;

 private:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  struct Done {
    Instants::Mark mark;
    bool ordered;
  };

  struct Earliest {
    Instant at;
    Node obstacle;
  };

  std::optional<Earliest> earliest_by(const RuleTrack& track, std::size_t request,
                                      Instant from) const;
  Step step_of(std::size_t request, Role role) const;
  bool may_hold(const Way& way) const;
  void combine(const std::vector<Ways>& ways, Role role, Answer& answer,
               std::vector<Answer>& all) const;
  std::vector<Answer> sorted(std::vector<Answer> answers) const;
  bool commit(const Step& step, const Answer& answer, const Bound& after, bool ordered);

  const Requests& requests_;
  Instants instants_;
  std::vector<std::unique_ptr<RuleTrack>> tracks_;
  Node zero_;               // always 0
  std::vector<Node> last_;  // the decisions that others are ordered by
  std::vector<Done> done_;
};

}  // namespace rlctl
