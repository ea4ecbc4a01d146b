#include "cli/output/scenario_progress.h"

#include <algorithm>

#include "base/escape.h"
#include "base/units.h"
#include "base/work.h"

namespace rlctl {

std::string scenario_progress_line(const ScenarioProgress& progress, std::int64_t elapsed_us) {
  const std::string decisions = format_count(progress.decisions) + " decisions";
  const std::string phase = escape_for_terminal(progress.phase);
  if (progress.planned_us == 0) {
    const Work work{phase, "decisions", progress.decisions};
    return work_in_words(work, elapsed_us);
  }
  const Work work{phase,
                  {},
                  std::max<std::int64_t>(0, progress.played_us),
                  progress.planned_us,
                  Work::Unit::time_us};
  return work_in_words(work, elapsed_us) + ", " + decisions;
}

}  // namespace rlctl
