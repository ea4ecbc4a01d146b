#include "report/request_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/text.h"

namespace rlctl {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

std::string header_line(const std::string& name, const std::string& value) {
  return "    " + escape_for_terminal(without_credential(name + ": " + value)) + "\n";
}

std::string request_lines(const std::string& what, const std::string& method,
                          const std::string& url, const Headers& headers, const std::string& body) {
  std::string text =
      fmt::format("  {}: {} {}\n", what, method, escape_for_terminal(without_secrets(url)));
  for (const auto& [name, value] : headers) text += header_line(name, value);
  if (!body.empty()) text += fmt::format("    and a body of {} bytes\n", body.size());
  return text;
}

std::string target_lines(const std::string& who, const TargetSpec& target,
                         const std::vector<std::string>& urls) {
  std::string text;
  for (const LoginStep& step : target.login) {
    const std::vector<std::string> captured = captured_names({step});
    text += request_lines(who + "login", step.method, step.url, step.headers, step.body);
    if (!captured.empty()) text += "    captures <" + joined(captured, ">, <") + ">\n";
    if (step.again_us > 0) text += "    again after " + format_duration(step.again_us) + "\n";
  }
  for (const std::string& url : urls)
    text += request_lines(who + "request", target.descriptors.empty() ? target.method : "gRPC", url,
                          target.headers, target.body);
  if (!target.domain.empty()) text += "    domain " + escape_for_terminal(target.domain) + "\n";
  for (const RlsDescriptor& descriptor : target.descriptors)
    text += "    descriptor " + escape_for_terminal(descriptor_text(descriptor)) + "\n";
  return text;
}

}  // namespace

std::string request_plan_text(const Scenario& scenario) {
  if (scenario.target.kind != TargetKind::http) return {};
  std::string text;
  bool uses_target = false;
  for (const PolicySpec& policy : scenario.policies) {
    uses_target |= !policy.route && policy.targets.empty();
    const TargetSpec& target = policy.route ? *policy.route : scenario.target;
    if (policy.route || !policy.targets.empty())
      text += target_lines(escape_for_terminal(policy.name) + ", ", target,
                           policy.targets.empty() ? std::vector{target.url} : policy.targets);
  }
  if (!uses_target) return text;
  return target_lines("each ", scenario.target, {scenario.target.url}) + text;
}

}  // namespace rlctl
