// PhasePlay: one phase of a scenario, from its schedule to its records. Borrows the scenario, the
// target and the policy, which must outlive it.
//
// play() plans the traffic relative to time 0 of the phase, anchors time 0, sends the traffic and
// fills the result. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrivals/phase_traffic.h"
#include "io/latch.h"
#include "run/drive.h"
#include "run/meeting.h"
#include "run/replay.h"
#include "run/target.h"
#include "scenario/scenario_result.h"

namespace rlctl {

class PhasePlay {
 public:
  PhasePlay(PlayClock& clock, const Scenario& scenario, std::uint32_t index, PolicyPlay& policy,
            Target& target);

  // Puts the keys of its clients into the policy's log. After the target is open: a cluster needs
  // other names. play() does it, too.
  void name_keys();

  // Waits for time 0 of the phase, plays the phase, and returns after the last answer. `at_us`:
  // time 0, or the time from which a window edge is searched; empty: as soon as all threads can,
  // which is what they agree on at the meeting.
  Task<> play(std::optional<std::int64_t> at_us, Meeting& meeting);

  Latch started;
  Latch ended;
  std::int64_t base_us() const { return base_us_; }  // time 0 of the phase, after it has started
  const PhaseResult& result() const { return result_; }
  const std::string& problem() const { return problem_; }

  // Of the same phase, on another thread.
  void add(const PhasePlay& part);

  WaitingRetries waiting() const {
    return sent_ != nullptr ? sent_->waiting(clock_.now_us()) : WaitingRetries();
  }

  // The fault clock_skew: the clients' clocks jump.
  void skew_clocks(std::int64_t by_us);

 private:
  void check_finish() const;
  void take_clients_from_log();
  std::vector<std::int64_t> planned_times() const;
  std::vector<std::int64_t> own_of(const std::vector<std::int64_t>& times) const;
  std::unique_ptr<Traffic> make_planned(const std::vector<std::int64_t>& times);
  std::size_t users_needed(const std::vector<std::int64_t>& times) const;
  std::size_t beginning_together(const std::vector<std::int64_t>& times) const;
  UserPlan user_plan(const std::vector<std::int64_t>& times) const;
  void spread_clocks(std::size_t users);
  std::int64_t next_edge_us(std::int64_t from_us) const;
  Task<std::int64_t> begin_us(Meeting& meeting);
  Task<> anchor(std::int64_t base_us, std::int64_t first_us, TargetUsers& users);
  void reserve_records(std::size_t planned);
  Task<> drive(Traffic& traffic, std::vector<Limiter*> users);
  RetryPlan retry_plan() const;
  std::unique_ptr<Traffic> make_traffic(const std::vector<std::int64_t>& times);
  void count(std::size_t first_record);

  PlayClock& clock_;
  const Scenario& scenario_;
  std::uint32_t index_;
  const Phase& phase_;
  PolicyPlay& policy_;
  Target& target_;
  std::uint64_t seed_;
  ReplayPlan replay_;  // empty unless the phase replays a log
  Clients clients_;
  RequestPicker picker_;
  Holding holding_;
  std::optional<ClientNames> names_;
  std::vector<std::uint32_t> keys_;             // by client: index into the log's keys
  std::vector<std::int64_t> clock_offsets_us_;  // by user
  std::int64_t base_us_ = 0;
  std::optional<Participation> presence_;  // holds the clock until the users have started
  const Traffic* sent_ = nullptr;          // while it is played
  std::string problem_;
  PhaseResult result_;
};

}  // namespace rlctl
