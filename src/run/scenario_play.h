// ScenarioPlay: one thread's part of a scenario, from its first phase to its last verdict: all of
// it, if there is one thread. Starts what the target needs, plays the phases in order (or at the
// time that `start` gives), judges the log of every policy and evaluates the expectations. Borrows
// what it is given. open() and close() are called on one thread, play() on any.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "run/fault_play.h"
#include "run/meeting.h"
#include "run/phase_play.h"
#include "run/play_clock.h"
#include "run/scenario_run.h"

namespace rlctl {

// What the threads of a run know of each other.
struct ThreadsTogether {
  ThreadsTogether(std::size_t threads, std::size_t phases) : waiting(threads) {
    while (meetings.size() < phases) meetings.emplace_back(threads);
  }
  std::deque<Meeting> meetings;            // by phase
  std::optional<std::int64_t> started_us;  // set before they start; empty: there is one thread
  std::mutex log;                          // who writes
  std::atomic<bool> stopped = false;
  std::atomic<bool> answered = false;  // a request of any of them
  std::atomic<std::int64_t> decisions = 0;
  std::mutex waits;                     // who looks who waits
  std::vector<WaitingRetries> waiting;  // by thread
};

class ScenarioPlay {
 public:
  ScenarioPlay(Loop& loop, const Scenario& scenario, const ScenarioPlan& plan,
               ScenarioProgress& progress, ThreadsTogether& together);

  // In this order. The loop runs each of them; play() on any thread. False: it failed, which is in
  // the result.
  bool open() { return run(open_target()); }
  bool play() {
    if (run(play_phases())) return true;
    together_.stopped = true;
    return false;
  }
  bool close() { return run(close_target()); }
  // If there are several threads: what the log does not have yet.
  void end_log();
  // What another thread has played of the same run, and which is to outlive this one.
  void add(ScenarioPlay& part);
  ScenarioResult finish();

 private:
  bool run(Task<> task);
  Task<> open_target();
  Task<> play_phases();
  Task<> close_target();
  bool is_one_of_machines() const { return plan_.threads == 1 && !scenario_.shard.is_whole(); }
  std::size_t thread() const { return plan_.threads == 1 ? 0 : scenario_.shard.index - 1; }
  void prepare();
  Task<> play_phase(std::size_t index);
  Task<std::optional<std::int64_t>> wait_for_turn(std::size_t index);
  std::int64_t turn_after(std::size_t index) const;
  Task<> play_fault(std::size_t index);
  void stop();
  void fail(const Error& error);
  void watch();
  WaitingRetries waiting(bool is_idle) const;
  void note_waiting(const WaitingRetries& own);
  void record();
  bool nobody_answers() const;
  PolicyResult judged(std::uint32_t index);
  void tell_no_verdict();
  void note_idle_faults();
  HeaderClaims claims_on(const std::string& policy) const;
  void note_headers();
  bool has_stored_nothing() const;
  void tell_leftover();
  void note(std::string text);

  Loop& loop_;
  const Scenario& scenario_;
  const ScenarioPlan& plan_;
  ScenarioProgress& progress_;
  ThreadsTogether& together_;
  std::int64_t told_ = 0;                   // of ThreadsTogether::decisions
  std::vector<const ScenarioPlay*> parts_;  // played by other threads
  std::unique_ptr<PlayClock> clock_;
  std::unique_ptr<Target> target_;
  std::vector<std::unique_ptr<PolicyPlay>> policies_;  // null if no phase uses it
  std::vector<std::unique_ptr<PhasePlay>> phases_;
  std::int64_t started_us_ = 0;       // on the scenario's clock
  std::int64_t wall_started_us_ = 0;  // on the machine's
  std::string leftover_;              // of our keys in the user's Redis
  ScenarioResult result_;
  FaultPlay faults_;  // stopped with the clock, and when nobody sends any more
};

}  // namespace rlctl
