#include "run/fault_play.h"

#include <algorithm>
#include <functional>

namespace rlctl {
namespace {

Task<> flush_scripts(const FaultStage& stage, const Fault&) {
  return stage.target.forget_scripts();
}

Task<> restart_redis(const FaultStage& stage, const Fault& fault) {
  return stage.target.restart(fault.down_us);
}

Task<> pause_redis(const FaultStage& stage, const Fault& fault) {
  return stage.target.hang(fault.down_us);
}

Task<> skew_clocks(const FaultStage& stage, const Fault& fault) {
  for (const auto& phase : stage.phases) phase->skew_clocks(fault.by_us);
  co_return;
}

Task<> crash_client(const FaultStage& stage, const Fault& fault) {
  stage.target.crash_client(fault.steps);
  co_return;
}

struct FaultPlayer {
  FaultKind kind;
  Task<> (*play)(const FaultStage&, const Fault&);
};

constexpr FaultPlayer kPlayers[] = {
    {FaultKind::script_flush, flush_scripts}, {FaultKind::redis_restart, restart_redis},
    {FaultKind::redis_pause, pause_redis},    {FaultKind::clock_skew, skew_clocks},
    {FaultKind::client_crash, crash_client},
};
static_assert(std::ranges::equal(kPlayers, kFaultRows, {}, &FaultPlayer::kind, &FaultRow::meaning));

}  // namespace

Task<> play_fault(const FaultStage& stage, const Fault& fault) {
  return std::ranges::find(kPlayers, fault.kind, &FaultPlayer::kind)->play(stage, fault);
}

}  // namespace rlctl
