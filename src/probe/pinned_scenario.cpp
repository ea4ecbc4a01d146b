#include "probe/pinned_scenario.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/status_set.h"
#include "base/template_text.h"
#include "base/text.h"
#include "base/units.h"
#include "policy/rules_text.h"

namespace rlctl {
namespace {

// A burst: so many requests at a time, in percent of the time in which a full limiter is empty.
struct PinnedBurst {
  int percent;
  std::int64_t count;
};

Json bursts_json(const Hypothesis& found, const std::vector<PinnedBurst>& bursts) {
  Json json = Json::array();
  for (const PinnedBurst& burst : bursts) {
    const std::int64_t at_us = found.filled_us() * burst.percent / 100 / 1'000 * 1'000;
    if (burst.count > 0) json.push_back({{"at", format_duration(at_us)}, {"count", burst.count}});
  }
  return json;
}

Json phase_json(const char* name, Json bursts) {
  return {{"name", name}, {"policy", "found"}, {"who", "probe"}, {"bursts", std::move(bursts)}};
}

// Each phase begins after a rest, in which everything before is forgotten.
// - One request, and the rest of the limit when most of its time is over: when it is over, a window
//   from the first hit is empty, a sliding one has room for one, and a bucket for most.
// - More than the limit, and again when half, all and twice of the time is over: a bucket has room
//   for half of it, and a limiter that counts denied requests for none.
// - The limit on either side of an edge of the clock: only windows of the clock admit both.
Json phases_of(const Hypothesis& found) {
  const std::int64_t limit = found.limit_high;
  const std::int64_t more = limit + 5;
  Json phases = Json::array();
  phases.push_back(
      phase_json("first", bursts_json(found, {{220, 1}, {290, limit - 1}, {330, more}})));
  phases.push_back(phase_json(
      "denied", bursts_json(found, {{220, more}, {270, more}, {328, more}, {436, more}})));
  if (rules_of(found).back().has_window() && found.kind != LimiterKind::bucket) {
    phases.push_back(phase_json("edge", bursts_json(found, {{290, limit}, {310, more}})));
    phases.back()["align"] = "window";
  }
  return phases;
}

// A request without its secrets: each becomes a variable, which is named after it.
class OpenRequest {
 public:
  explicit OpenRequest(const TargetSpec& spec);

  Json target();
  // Those of target(), also the ones that the request had before.
  const std::vector<std::string>& variables() const { return variables_; }

 private:
  ShownSecret variable() {
    return [this](std::string_view name) { return variable_for(std::string(name)); };
  }
  std::string variable_for(const std::string& name);
  void note(std::string_view text);
  Json headers();
  std::string body();
  Json without_secrets_of(const Json& value, std::string_view name);

  const TargetSpec& spec_;
  std::vector<std::string> variables_;
};

// X-Api-Key gives ${X_API_KEY}. Two secrets of one name are two variables.
std::string OpenRequest::variable_for(const std::string& name) {
  std::string variable;
  for (const char c : name)
    variable += !is_name_character(c) ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  if (std::ranges::find(variables_, variable) != variables_.end()) return variable_for(name + "_2");
  variables_.push_back(variable);
  return "${" + variable + "}";
}

void OpenRequest::note(std::string_view text) {
  for (const TemplatePart& part : template_parts(text)) {
    const bool is_known = std::ranges::find(variables_, part.name) != variables_.end();
    if (part.kind == TemplatePart::Kind::variable && !is_known) variables_.emplace_back(part.name);
  }
}

OpenRequest::OpenRequest(const TargetSpec& spec) : spec_(spec) {
  for (const std::string& text : {spec.url, spec.body, spec.domain}) note(text);
  for (const auto& [name, value] : spec.headers) note(value);
  for (const RlsDescriptor& descriptor : spec.descriptors)
    for (const auto& [key, value] : descriptor) note(value);
}

// A scenario has each header once. One that was sent several times is a list (RFC 9110, 5.3).
Json OpenRequest::headers() {
  std::vector<std::pair<std::string, std::string>> once;
  for (const auto& [name, value] : spec_.headers) {
    const auto same = std::ranges::find_if(
        once, [&](const auto& one) { return equals_ignoring_case(one.first, name); });
    if (same == once.end())
      once.emplace_back(name, value);
    else
      same->second += (equals_ignoring_case(name, "cookie") ? "; " : ", ") + value;
  }
  Json headers = Json::object();
  for (const auto& [name, value] : once) headers[name] = without_secret(name, value, variable());
  return headers;
}

Json OpenRequest::without_secrets_of(const Json& value, std::string_view name) {
  if (value.is_string()) return without_secret(name, value.get<std::string>(), variable());
  if (!value.is_structured()) return value;
  Json open = value;
  for (const auto& [key, item] : open.items())
    item = without_secrets_of(item, value.is_object() ? key : name);
  return open;
}

// JSON and forms say which of their values are secret; of another text, all of it may be.
std::string OpenRequest::body() {
  const Json json = Json::parse(spec_.body, nullptr, false);
  if (json.is_structured()) {
    const Json open = without_secrets_of(json, "");
    return open == json ? spec_.body : dump_json(open);
  }
  if (spec_.body.find('=') == std::string::npos)
    return without_secret(spec_.body, spec_.body,
                          [this](std::string_view) { return variable_for("body"); });
  return without_secrets("?" + spec_.body, variable()).substr(1);
}

// As a scenario lists them.
Json statuses_of(const std::vector<std::string>& written) {
  const StatusSet statuses(joined(written, ","), "the statuses");
  Json list = Json::array();
  for (int of_class = 100; of_class < 600; of_class += 100) {
    std::vector<std::string> some;
    for (int status = of_class; status < of_class + 100; ++status)
      if (statuses.has(status)) some.push_back(std::to_string(status));
    if (some.size() == 100) some = {std::to_string(of_class / 100) + "xx"};
    for (const std::string& one : some) list.push_back(one);
  }
  return list;
}

Json OpenRequest::target() {
  const TargetSpec usual;
  Json target{{"kind", "http"}, {"url", without_secrets(spec_.url, variable())}};
  if (spec_.method != default_method(!spec_.body.empty())) target["method"] = spec_.method;
  if (!spec_.headers.empty()) target["headers"] = headers();
  if (!spec_.body.empty()) target["body"] = body();
  if (spec_.allowed != usual.allowed) target["allowed"] = statuses_of(spec_.allowed);
  if (spec_.denied != usual.denied) target["denied"] = statuses_of(spec_.denied);
  if (!spec_.source_ip.empty()) target["source_ip"] = spec_.source_ip;
  if (spec_.http2) target["http2"] = true;
  if (spec_.timeout_us != usual.timeout_us) target["timeout"] = format_duration(spec_.timeout_us);
  if (!spec_.own_target.empty()) target["i_own_this_target"] = spec_.own_target;
  if (!spec_.domain.empty()) target["domain"] = spec_.domain;
  for (const RlsDescriptor& descriptor : spec_.descriptors) {
    Json& entries = target["descriptors"].emplace_back(Json::object());
    for (const auto& [key, value] : descriptor)
      entries[key] = without_secret(key, value, variable());
  }
  return target;
}

}  // namespace

PinnedScenario pinned_scenario(const Hypothesis& found, const TargetSpec& spec) {
  const std::string rules = rules_text(rules_of(found));
  if (found.is_counter())
    throw Error(Exit::inconclusive,
                "--scenario: nothing was written: no rule of a policy describes an " + found.name(),
                "write the scenario with a budget for its error, by hand");
  if (!found.has_known_window())
    throw Error(Exit::inconclusive,
                "--scenario: nothing was written: the window before a penalty is not known",
                "write the scenario by hand, with the window that you know");
  OpenRequest request(spec);
  const Json scenario{
      {"name", "pinned"},
      {"description", "What `rlctl probe` found: " + rules},
      {"clock", "wall"},
      {"verdict", "holds"},
      {"target", request.target()},
      {"policies",
       {{"found", {{"rules", rules}, {"key", "<ip>"}, {"fresh", true}, {"tolerance", "20ms"}}}}},
      {"identities", {{"probe", {{"ip", "198.51.100.1"}}}}},
      {"phases", phases_of(found)}};
  return {dump_json(scenario, 2) + "\n", request.variables()};
}

}  // namespace rlctl
