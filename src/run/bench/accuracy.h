// Plays the attacks against a contestant and judges them.
//
// On the wall clock all attacks on all contestants run at the same time, each on its own key: they
// measure accuracy, not speed, and so the end of a window is awaited only once. On the virtual
// clock each attack is played in order on one connection, and a window of a minute takes
// milliseconds.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/loop.h"
#include "policy/identity.h"
#include "result/bench_result.h"
#include "run/bench/contestant.h"

namespace rlctl {

struct AttackRun {
  Contestant* contestant = nullptr;
  Log log;                           // one key and one phase per attack, in the order of kAttacks
  std::vector<Identity> identities;  // of a service: who sends the requests of each attack
  BenchProblem problem;              // of the script
  BenchProblem lost;                 // why requests got no answer: they are unknown
};

// A log without records and keys.
Log empty_log(const Contestant& contestant, const Policy& policy);
// A run without records; its keys are under `key_prefix`.
AttackRun prepare_attack(Contestant& contestant, const Policy& policy,
                         const std::string& key_prefix);

// Plays all runs at once on shared connections. They must be scripts that the server runs, or a
// single run whose script runs step by step: its MULTI would capture the commands of the others.
Task<> attack_on_wall_clock(Loop& loop, std::span<AttackRun* const> runs, std::int64_t start_us,
                            std::span<const Attack> attacks = kAttacks);

Task<> attack_on_virtual_clock(Loop& loop, Redis& redis, AttackRun& run, const Script& script,
                               std::int64_t start_us);

// Sets attacks and verdict from the log of the run.
void judge_attack(const AttackRun& run, AlgorithmResult& result);

}  // namespace rlctl
