// The attacks, played against a contestant and judged.
//
// On the wall clock all attacks on all contestants run at once, on keys of their own: accuracy is
// not speed, and nobody waits three times for a window to end. On the virtual clock each attack is
// played in order on one connection, and a window of a minute takes milliseconds.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/bench_result.h"
#include "run/contestant.h"

namespace rlctl {

struct AttackRun {
  Contestant* contestant = nullptr;
  Log log;  // keys and phases are the attacks, in the order of kAttacks
  std::string problem;
};

// An empty run: names, keys under `key_prefix`, policy and contract.
AttackRun prepare_attack(Contestant& contestant, const Policy& policy,
                         const std::string& key_prefix);

// All at once, on connections that they share: scripts of the server only, or one that runs step by
// step, whose MULTI would catch the others' commands.
Task<> attack_on_wall_clock(Loop& loop, std::span<AttackRun* const> runs, std::int64_t start_us);

Task<> attack_on_virtual_clock(Loop& loop, Redis& redis, AttackRun& run, std::int64_t start_us);

// Fills attacks and verdict from the run's log.
void judge_attack(const AttackRun& run, AlgorithmResult& result);

}  // namespace rlctl
