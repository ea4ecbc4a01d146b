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

bool has_addresses_of_clients(const TargetSpec& spec) {
  return spec.source_ip.find_first_of("</") != std::string::npos;
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

bool is_rls(std::string_view url) {
  return url.starts_with("rls://") || url.starts_with("rlss://");
}

std::optional<Error> rls_problem(const TargetSpec& spec) {
  const TargetSpec usual;
  if (!is_rls(spec.url)) {
    if (spec.domain.empty() && spec.descriptors.empty()) return std::nullopt;
    return Error(Exit::usage, "only a rate limit service has a domain and descriptors",
                 "write rls://HOST:PORT, or remove them");
  }
  const std::string_view place = std::string_view(spec.url).substr(spec.url.find("://") + 3);
  const std::size_t end = std::min(place.find_first_of("/?#"), place.size());
  if (end == 0 || (end != place.size() && place.substr(end) != "/"))
    return Error(Exit::usage, "a rate limit service has a host and a port, and no path",
                 "write rls://HOST:PORT");
  const auto is_unnamed = [](const auto& entry) { return entry.first.empty(); };
  const auto is_useless = [&](const RlsDescriptor& descriptor) {
    return descriptor.empty() || std::ranges::any_of(descriptor, is_unnamed);
  };
  if (spec.domain.empty() || spec.descriptors.empty() ||
      std::ranges::any_of(spec.descriptors, is_useless))
    return Error(Exit::usage,
                 "a rate limit service is asked with a domain and a descriptor, which has entries "
                 "with keys",
                 "for example the domain api and the descriptor user=<user>");
  if (!spec.body.empty() || spec.method != usual.method || !spec.cost_from.empty() ||
      spec.allowed != usual.allowed || spec.denied != usual.denied)
    return Error(Exit::usage,
                 "a rate limit service has no method, body, statuses and cost_from: its message "
                 "says what was decided",
                 "remove them");
  return std::nullopt;
}

RlsDescriptor parse_descriptor(const std::string& text) {
  RlsDescriptor descriptor;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view entry = take_until(rest, ',');
    const std::size_t equals = entry.find('=');
    if (equals == 0 || equals == entry.npos)
      throw Error(Exit::usage, in_quotes(entry) + " is no entry of a descriptor",
                  "write keys and values: user=<user>,path=/api");
    descriptor.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return descriptor;
}

std::string descriptor_text(const RlsDescriptor& descriptor) {
  std::vector<std::string> entries;
  for (const auto& [key, value] : descriptor) entries.push_back(key + "=" + value);
  return joined(entries, ",");
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
