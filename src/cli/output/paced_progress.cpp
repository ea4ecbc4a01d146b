#include "cli/output/paced_progress.h"

#include <fmt/format.h>

#include <utility>

#include "base/units.h"
#include "cli/output/output.h"
#include "io/clock.h"

namespace rlctl {
namespace {

std::string share_in_words(double share) {
  return fmt::format("{:.3g} % of Redis's time", share * 100);
}

}  // namespace

PacedProgress::PacedProgress(Loop& loop, PacedRedis& redis, bool quiet, std::function<Work()> work)
    : redis_(redis), line_(loop, !quiet, [&redis, work] {
        Work now = work();
        if (redis.has_waited()) now.what += " at " + share_in_words(redis.pacer().limit());
        return now;
      }) {
  if (quiet) return;
  redis_.on_first_wait([this, work = std::move(work), began_us = now_us(),
                        spent_us = redis.pacer().cost_us()] {
    const LoadPacer& pacer = redis_.pacer();
    line_.wipe();
    tell(pacing_in_words(work(), pacer.limit(), pacer.cost_us() - spent_us, now_us() - began_us));
  });
}

std::string pacing_in_words(const Work& work, double share, std::int64_t cost_us,
                            std::int64_t elapsed_us) {
  const std::string now = work.what + " now takes at most " + share_in_words(share);
  if (work.done <= 0 || work.all <= work.done) return now + "; with --load 100% it does not wait";
  const auto of_all = [&](std::int64_t us, std::int64_t things) {
    return static_cast<double>(us) * static_cast<double>(things) / static_cast<double>(work.done);
  };
  const auto about = [](double us) {
    return "about " + format_duration_for_people(static_cast<std::int64_t>(us));
  };
  return now + ", " + about(of_all(cost_us, work.all - work.done) / share) +
         " more; with --load 100% it takes " + about(of_all(elapsed_us, work.all)) + " in all";
}

}  // namespace rlctl
