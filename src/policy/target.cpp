#include "policy/target.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"

namespace rlctl {

std::optional<Error> unusable_targets(const std::vector<std::string>& urls) {
  if (urls.size() > kMostTargets)
    return Error(Exit::usage,
                 fmt::format("{} targets; the maximum is {}", urls.size(), kMostTargets));
  for (auto url = urls.begin(); url != urls.end(); ++url)
    if (std::find(urls.begin(), url, *url) != url)
      return Error(Exit::usage, in_quotes(without_password(*url)) + " is given twice",
                   "name each target once");
  return std::nullopt;
}

}  // namespace rlctl
