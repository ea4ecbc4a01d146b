#include "run/fault_play.h"

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "scenario/playable.h"

namespace rlctl {
namespace {

// How often a fault looks whether another one has ended.
constexpr std::int64_t kLookAgainUs = 5'000;

// What one fault harms, and for how long.
struct FaultAct {
  const FaultStage& stage;
  const Fault& fault;
  FaultSpan span;
  std::string key;  // asked for most often so far: of a cluster, its master is harmed
};

RedisFaults& redis_of(const FaultAct& act) {
  if (RedisFaults* redis = act.stage.target.redis_faults()) return *redis;
  throw Error(Exit::usage, std::string("this target can't play the fault ") + act.fault.row().name,
              "faults need an embedded server: \"target\": {\"kind\": \"embedded\"}");
}

Task<> flush_scripts(const FaultAct& act) { return redis_of(act).forget_scripts(); }

Task<> restart_redis(const FaultAct& act) { return redis_of(act).restart(act.key, act.span); }

Task<> pause_redis(const FaultAct& act) { return redis_of(act).hang(act.key, act.span); }

Task<> fail_over(const FaultAct& act) {
  return redis_of(act).fail_over(act.key, act.fault.how == TakeOver::graceful, act.span);
}

Task<> move_slot(const FaultAct& act) { return redis_of(act).move_slot(act.key, act.span); }

Task<> kill_clients(const FaultAct& act) { return redis_of(act).kill_clients(); }

Task<> fill_memory(const FaultAct& act) { return redis_of(act).fill_memory(act.span); }

Task<> skew_clocks(const FaultAct& act) {
  for (const auto& phase : act.stage.phases) phase->skew_clocks(act.fault.by_us);
  co_return;
}

Task<> crash_client(const FaultAct& act) {
  redis_of(act).crash_client(act.fault.steps);
  co_return;
}

Task<> slow_down(const FaultAct& act) {
  return redis_of(act).slow_down(act.fault.by_us, act.fault.jitter_us, act.span);
}

Task<> cut(const FaultAct& act) { return redis_of(act).cut(act.span); }

Task<> half_open(const FaultAct& act) { return redis_of(act).half_open(act.span); }

struct FaultPlayer {
  FaultKind kind;
  Task<> (*play)(const FaultAct&);
};

constexpr FaultPlayer kPlayers[] = {
    {FaultKind::script_flush, flush_scripts},
    {FaultKind::redis_restart, restart_redis},
    {FaultKind::redis_pause, pause_redis},
    {FaultKind::failover, fail_over},
    {FaultKind::slot_migration, move_slot},
    {FaultKind::client_kill, kill_clients},
    {FaultKind::memory_full, fill_memory},
    {FaultKind::clock_skew, skew_clocks},
    {FaultKind::client_crash, crash_client},
    {FaultKind::latency, slow_down},
    {FaultKind::cut, cut},
    {FaultKind::half_open, half_open},
};
static_assert(std::ranges::equal(kPlayers, kFaultRows, {}, &FaultPlayer::kind, &FaultRow::meaning));

// Before the first request: the first that is planned.
std::string busiest_key(const std::vector<std::unique_ptr<PolicyPlay>>& policies) {
  std::string busiest;
  std::int64_t most = -1;
  for (const auto& policy : policies) {
    if (!policy) continue;
    std::vector<std::int64_t> counts(policy->log().keys.size());
    for (const Record& record : policy->log().records) ++counts[record.key];
    const auto found = std::ranges::max_element(counts);
    if (found == counts.end() || *found <= most) continue;
    most = *found;
    busiest = policy->log().keys[static_cast<std::size_t>(found - counts.begin())];
  }
  return busiest;
}

}  // namespace

// From its construction to the end of its scope the fault lasts, however it ends.
class FaultPlay::Lasting {
 public:
  Lasting(FaultPlay& play, std::size_t index) : play_(play), place_(play.played_.size()) {
    play_.played_.push_back(
        {static_cast<std::uint32_t>(index), play_.stage_.clock.now_us(), kNoTime, {}});
  }
  ~Lasting() { play_.played_[place_].ended_us = play_.stage_.clock.now_us(); }
  Lasting(const Lasting&) = delete;
  Lasting& operator=(const Lasting&) = delete;

 private:
  FaultPlay& play_;
  std::size_t place_;
};

Task<> FaultPlay::play(std::size_t index, std::int64_t started_us) {
  const Fault& fault = stage_.scenario.faults[index];
  co_await clock_.until(co_await origin_us(fault, started_us) + fault.at.after_us);
  co_await wait_for_others(fault);
  if (clock_.stopped()) co_return;
  const FaultAct act{stage_, fault, {clock_, fault.down_us}, busiest_key(stage_.policies)};
  const Lasting lasting(*this, index);
  co_await std::ranges::find(kPlayers, fault.kind, &FaultPlayer::kind)->play(act);
}

// A run begins with its first phase: its users connect before that, for as long as it takes.
Task<std::int64_t> FaultPlay::origin_us(const Fault& fault, std::int64_t started_us) {
  if (fault.at.phase < 0 && stage_.scenario.phases.front().start) co_return started_us;
  PhasePlay& phase = *stage_.phases[static_cast<std::size_t>(std::max(fault.at.phase, 0))];
  co_await phase.started.opened();
  co_return phase.base_us();
}

bool FaultPlay::must_wait(const Fault& fault) const {
  return !clock_.stopped() && std::ranges::any_of(played_, [&](const PlayedFault& other) {
    return other.ended_us == kNoTime &&
           excludes(stage_.scenario.faults[other.fault].row(), fault.row(), stage_.is_on_cluster);
  });
}

// A fault that took longer than planned delays those that it excludes.
Task<> FaultPlay::wait_for_others(const Fault& fault) {
  RedisFaults* redis = stage_.target.redis_faults();
  do {
    while (must_wait(fault)) co_await clock_.until(clock_.now_us() + kLookAgainUs);
    if (redis != nullptr && fault.row().redis != LiveRedis::any) co_await redis->be_back(clock_);
  } while (must_wait(fault));  // another one may have begun meanwhile
}

}  // namespace rlctl
