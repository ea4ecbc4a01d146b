#include "scenario/part_merge.h"

#include <algorithm>
#include <cassert>

namespace rlctl {

void append_part(Log& log, Log part) {
  assert(log.keys == part.keys && log.names.size() == part.names.size());
  const std::size_t first = log.records.size();
  log.records.insert(log.records.end(), part.records.begin(), part.records.end());
  for (std::size_t i = 0; i < part.finishes.size(); ++i)
    log.set_finish(first + i, part.finishes[i]);
  for (const std::size_t record : part.unfinished) log.unfinished.insert(first + record);
  for (std::size_t name = 0; name < log.names.size(); ++name)
    for (std::size_t i = 0; i < part.names[name].of_record.size(); ++i)
      log.names[name].set(first + i, part.names[name].of_record[i]);
  log.shard = kWholeRun;
}

void add_part(PhaseResult& phase, const PhaseResult& part) {
  if (part.ended_us == 0) return;  // it was stopped before the phase
  phase.started_us =
      phase.ended_us == 0 ? part.started_us : std::min(phase.started_us, part.started_us);
  phase.ended_us = std::max(phase.ended_us, part.ended_us);
  for (const auto figure :
       {&PhaseResult::offered, &PhaseResult::allowed, &PhaseResult::denied, &PhaseResult::unknown,
        &PhaseResult::failed, &PhaseResult::late, &PhaseResult::dropped, &PhaseResult::completed})
    phase.*figure += part.*figure;
}

}  // namespace rlctl
