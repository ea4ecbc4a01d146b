#include "policy/target.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/suggest.h"
#include "base/text.h"

namespace rlctl {

std::vector<std::string> captured_names(const std::vector<LoginStep>& login) {
  std::vector<std::string> names;
  for (const LoginStep& step : login)
    for (const CaptureSpec& capture : step.captures) names.push_back(capture.name);
  return names;
}

// A server answers an unknown method with 400 or 405, which is easily taken for its limiter.
std::optional<Error> method_problem(const std::string& method) {
  static const std::vector<std::string> kMethods{"GET",   "HEAD",   "POST",   "PUT",
                                                 "PATCH", "DELETE", "OPTIONS"};
  if (std::ranges::find(kMethods, method) != kMethods.end()) return std::nullopt;
  const std::string nearest = did_you_mean(method, kMethods);
  return Error(Exit::usage, in_quotes(method) + " is not an HTTP method",
               nearest.empty() ? "it is one of " + joined(kMethods) : nearest);
}

std::optional<Error> unusable_targets(const std::vector<std::string>& urls) {
  if (urls.size() > kMostTargets)
    return Error(Exit::usage,
                 fmt::format("{} targets; the maximum is {}", urls.size(), kMostTargets));
  for (auto url = urls.begin(); url != urls.end(); ++url)
    if (std::find(urls.begin(), url, *url) != url)
      return Error(Exit::usage, in_quotes(without_secrets(*url)) + " is given twice",
                   "name each target once");
  return std::nullopt;
}

}  // namespace rlctl
