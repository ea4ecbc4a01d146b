// Probabilistic concurrency testing: random schedules, with a bound on what they may have missed.
// Source: Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized scheduler with probabilistic
// guarantees of finding bugs (ASPLOS 2010).
//
// Every thread has a random priority; of those that can go on, the first one runs. At d - 1 random
// steps, the thread that would run falls below all others. A race has depth d if d orderings of two
// steps are enough to bring it about. With n threads and at most k steps, one run finds such a race
// with a probability of at least 1 / (n * k^(d-1)).
//
// A thread is a client, or an event that may happen: the crash of one client, time that passes, the
// expiry of one key. k is the longest run so far and a quarter more. If a run is longer, or more
// keys can expire than before, the earlier runs do not count for the bound. The depths take turns.
//
// The same seed gives the same schedules. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "run/explore/search.h"
#include "verdict/outcome/explore_result.h"

namespace rlctl {

struct PctPlan {
  std::uint64_t runs = 0;
  int depth = 1;  // the largest
  std::uint64_t seed = 0;
  std::uint32_t last_goals = 0;  // the search ends when one of them is reached
};

class PctSearch {
 public:
  using SpaceMaker = std::function<std::unique_ptr<ExploreSpace>()>;
  using Goals = std::function<std::uint32_t(const ExploreSpace&, ExploreSpace::State)>;

  // A space grows with every run; a new one is made from time to time.
  PctSearch(SpaceMaker make_space, const PctPlan& plan);

  // `tell` is called before each run with the number of runs so far.
  void run(const Goals& goals, const std::function<void(std::uint64_t)>& tell);

  const RandomRuns& runs() const { return runs_; }
  const std::optional<FoundSchedule>& found(std::size_t goal) const { return found_[goal]; }

 private:
  struct Thread {
    Choice choice;
    std::int64_t priority = 0;
  };
  struct Next {
    std::size_t thread = 0;
    ExploreSpace::Edge edge;
  };

  void prepare(int depth);
  std::optional<Choice> choice_of(const Thread& thread) const;
  std::optional<Next> next();
  std::optional<Next> next_or_lowered(std::int64_t step);
  void note_begin(const Next& next);
  std::int64_t play(const Goals& goals);
  void keep(std::uint32_t reached);
  void grow(std::int64_t steps);

  SpaceMaker make_space_;
  PctPlan plan_;
  Random random_;
  RandomRuns runs_;
  std::unique_ptr<ExploreSpace> space_;
  std::optional<FoundSchedule> found_[kMostExploreGoals];

  // The run.
  std::size_t keys_that_expire_ = 1, most_keys_ = 1;
  std::vector<Thread> threads_;  // the first priority first
  std::vector<std::int64_t> change_steps_;
  // Of threads that are alike, the first to begin is client 0, and so on.
  std::vector<std::optional<std::uint8_t>> client_of_;
  std::uint8_t begun_ = 0;
  ExploreSpace::State state_ = 0;
  FoundSchedule way_;
};

}  // namespace rlctl
