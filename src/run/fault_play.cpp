#include "run/fault_play.h"

#include <algorithm>
#include <functional>

#include "base/error.h"

namespace rlctl {
namespace {

RedisFaults& redis_of(const FaultStage& stage, const Fault& fault) {
  if (RedisFaults* redis = stage.target.redis_faults()) return *redis;
  throw Error(Exit::usage, std::string("this target can't play the fault ") + fault.row().name,
              "faults need an embedded server: \"target\": {\"kind\": \"embedded\"}");
}

Task<> flush_scripts(const FaultStage& stage, const Fault& fault) {
  return redis_of(stage, fault).forget_scripts();
}

Task<> restart_redis(const FaultStage& stage, const Fault& fault) {
  return redis_of(stage, fault).restart(stage.key, stage.span_of(fault));
}

Task<> pause_redis(const FaultStage& stage, const Fault& fault) {
  return redis_of(stage, fault).hang(stage.key, stage.span_of(fault));
}

Task<> fail_over(const FaultStage& stage, const Fault& fault) {
  return redis_of(stage, fault)
      .fail_over(stage.key, fault.how == TakeOver::graceful, stage.span_of(fault));
}

Task<> move_slot(const FaultStage& stage, const Fault& fault) {
  return redis_of(stage, fault).move_slot(stage.key, stage.span_of(fault));
}

Task<> kill_clients(const FaultStage& stage, const Fault& fault) {
  return redis_of(stage, fault).kill_clients();
}

Task<> fill_memory(const FaultStage& stage, const Fault& fault) {
  return redis_of(stage, fault).fill_memory(stage.span_of(fault));
}

Task<> skew_clocks(const FaultStage& stage, const Fault& fault) {
  for (const auto& phase : stage.phases) phase->skew_clocks(fault.by_us);
  co_return;
}

Task<> crash_client(const FaultStage& stage, const Fault& fault) {
  redis_of(stage, fault).crash_client(fault.steps);
  co_return;
}

Task<> slow_down(const FaultStage& stage, const Fault& fault) {
  return redis_of(stage, fault).slow_down(fault.by_us, fault.jitter_us, stage.span_of(fault));
}

Task<> cut(const FaultStage& stage, const Fault& fault) {
  return redis_of(stage, fault).cut(stage.span_of(fault));
}

Task<> half_open(const FaultStage& stage, const Fault& fault) {
  return redis_of(stage, fault).half_open(stage.span_of(fault));
}

struct FaultPlayer {
  FaultKind kind;
  Task<> (*play)(const FaultStage&, const Fault&);
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

}  // namespace

Task<> play_fault(const FaultStage& stage, const Fault& fault) {
  return std::ranges::find(kPlayers, fault.kind, &FaultPlayer::kind)->play(stage, fault);
}

}  // namespace rlctl
