#include "io/open_files.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "base/error.h"

namespace rlctl {
namespace {

// For standard streams, the loop's descriptors and a log.
constexpr rlim_t kSpare = 64;

}  // namespace

void allow_open_files(std::int64_t count, std::int64_t possible) {
  const rlim_t needed = static_cast<rlim_t>(count) + kSpare;
  const rlim_t wanted = static_cast<rlim_t>(std::max(count, possible)) + kSpare;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < needed)
    throw Error(Exit::target,
                std::to_string(count) + " connections need more open files than the " +
                    std::to_string(limit.rlim_max) + " this process may have",
                "raise the hard limit (ulimit -Hn) or use fewer connections");
  limit.rlim_cur = std::min(wanted, limit.rlim_max);  // no limit is the greatest number
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
    throw Error(Exit::target, std::string("can't open more files: ") + strerror(errno),
                "use fewer connections");
}

}  // namespace rlctl
