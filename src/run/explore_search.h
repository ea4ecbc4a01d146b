// The search through an ExploreSpace: cheapest schedules first, where a preemption (going on with
// another client while the last one has steps left) costs more than any number of steps. So what is
// found first is found with the fewest preemptions, and with those the fewest steps, and a search
// that has to stop has looked at everything with fewer preemptions than where it stopped.
// Source: Musuvathi, Qadeer: Iterative context bounding for systematic testing of multithreaded
// programs (PLDI 2007); here with states that are kept, as in stateful model checking.
//
// Borrows the space. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "run/explore_space.h"

namespace rlctl {

// What somebody looks for: the n-th bit is set in the answer where the n-th kind is found.
using ExploreGoals = std::function<std::uint32_t(ExploreSpace::State)>;
inline constexpr std::size_t kMostExploreGoals = 4;

struct FoundSchedule {
  std::vector<Choice> choices;
  std::int64_t preemptions = 0;
};

// The last client matters only while it could go on: else it is kNobody.
struct ExploreNode {
  static constexpr std::uint8_t kNobody = 0xff;
  ExploreSpace::State state = 0;
  std::uint8_t last = kNobody;

  std::uint64_t id() const { return std::uint64_t{state} << 8 | last; }
  static ExploreNode of(std::uint64_t id) {
    return {static_cast<ExploreSpace::State>(id >> 8), static_cast<std::uint8_t>(id)};
  }
};

class ExploreSearch {
 public:
  // At most about `most_states` are looked at.
  ExploreSearch(ExploreSpace& space, std::size_t most_states)
      : space_(space), most_states_(most_states) {}

  void run(const ExploreGoals& goals);

  bool is_exhaustive() const { return is_exhaustive_; }
  // Every schedule with at most this many preemptions was looked at; -1: not even those without.
  std::int64_t preemptions_covered() const { return preemptions_covered_; }
  const std::optional<FoundSchedule>& found(std::size_t goal) const { return found_[goal]; }

  std::size_t states() const { return edges_.size(); }
  std::size_t steps() const { return steps_; }  // commands and events that were carried out
  // Walks from where the search turned back to the next state that was known already, or the end.
  std::size_t runs() const { return steps_ - inner_states_ + 1; }

  // Of a state that was looked at.
  const std::vector<ExploreSpace::Edge>& edges(ExploreSpace::State state);
  // The node that a choice leads to, and whether the choice was a preemption.
  struct Move {
    ExploreNode to;
    bool preempts = false;
    std::uint8_t alike = 1;
  };
  Move move(const ExploreNode& from, const ExploreSpace::Edge& edge);

 private:
  struct Reached {
    std::int32_t preemptions = 0, steps = 0;
    std::uint64_t from = 0;
    Choice choice;
  };
  bool can_continue(ExploreSpace::State state, std::uint8_t client);
  void keep(const ExploreNode& node, std::uint32_t goals);
  FoundSchedule schedule_to(const ExploreNode& node) const;

  ExploreSpace& space_;
  std::size_t most_states_;
  std::unordered_map<ExploreSpace::State, std::vector<ExploreSpace::Edge>> edges_;
  std::unordered_map<std::uint64_t, Reached> reached_;
  std::optional<FoundSchedule> found_[kMostExploreGoals];
  std::size_t steps_ = 0, inner_states_ = 0;
  std::int64_t preemptions_covered_ = -1;
  bool is_exhaustive_ = false;
};

}  // namespace rlctl
