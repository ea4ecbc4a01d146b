#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/header_field.h"
#include "base/host_address.h"
#include "base/text.h"
#include "scenario/read/keys.h"
#include "scenario/read/part_readers.h"

namespace rlctl {
namespace {

enum Kinds : unsigned { kEmbedded = 1, kRedis = 2, kHttp = 4, kServe = 8 };

// The kinds of target that accept a key.
struct TargetKey {
  const char* key;
  unsigned kinds;
};
constexpr TargetKey kTargetKeys[] = {
    {"url", kRedis | kHttp},       {"method", kHttp | kServe},   {"body", kHttp},
    {"headers", kHttp | kServe},   {"allowed", kHttp},           {"denied", kHttp},
    {"source_ip", kHttp | kServe}, {"i_own_this_target", kHttp}, {"on_error", kServe},
    {"trust_proxy", kServe},       {"cost_from", kHttp},
};

unsigned bit_of(TargetKind kind) { return 1U << static_cast<unsigned>(kind); }

void refuse_strangers(ObjectFields& fields, TargetKind kind) {
  for (const TargetKey& use : kTargetKeys) {
    if (!fields.has(use.key) || (use.kinds & bit_of(kind)) != 0) continue;
    fields.complain(
        use.key, fmt::format("this key does not apply to a target of kind \"{}\"", name_of(kind)));
  }
}

void read_url(ObjectFields& fields, TargetSpec& target, const Scenario& scenario) {
  target.url = fields.text("url");
  const bool http = target.kind == TargetKind::http;
  if (!http && target.kind != TargetKind::redis) return;
  const auto has_own = [](const PolicySpec& policy) { return !policy.targets.empty(); };
  if (!http || !std::ranges::all_of(scenario.policies, has_own))
    fields.require("url", http ? "add \"url\": \"http://127.0.0.1:8080/path\""
                               : "add \"url\": \"redis://127.0.0.1:6379\"");
  if (!fields.has("url") || fields.find("url")->kind != JsonKind::string) return;
  if (http) return check_url(fields, "url", target.url);
  if (!target.url.starts_with("redis://") && !target.url.starts_with("unix://"))
    fields.complain("url", "the address does not fit this kind of target",
                    "begin it with redis:// or unix://");
}

void read_headers(ObjectFields& fields, TargetSpec& target, ScenarioContext& context) {
  const JsonValue* headers = fields.find("headers");
  if (headers == nullptr) return;
  if (headers->kind != JsonKind::object)
    return fields.complain("headers", "expected an object", R"(write {"X-Forwarded-For": "<ip>"})");
  for (const JsonMember& member : headers->members) {
    const std::string pointer = pointer_to(fields.pointer("headers"), member.name);
    if (!is_field_name(member.name))
      context.problems.add(member.name_span, pointer,
                           in_quotes(member.name) + " is not a header name");
    if (member.value.kind != JsonKind::string) {
      context.problems.add(member.value.span, pointer, "expected a text");
      continue;
    }
    if (!is_field_value(member.value.text))
      context.problems.add(member.value.span, pointer, "a header value must be one line");
    if (const auto problem = template_problem(member.value.text))
      context.problems.add(member.value.span, pointer, problem->what(), problem->hint());
    target.headers.emplace_back(member.name, member.value.text);
  }
}

// "200", or "2xx" for a whole class.
bool is_status(std::string_view text) {
  if (text.size() != 3 || text[0] < '1' || text[0] > '5') return false;
  return text.substr(1) == "xx" || (is_digit(text[1]) && is_digit(text[2]));
}

bool overlap(const std::string& a, const std::string& b) {
  return a == b || (a[0] == b[0] && (a.ends_with("xx") || b.ends_with("xx")));
}

void read_statuses(ObjectFields& fields, const char* name, std::vector<std::string>& statuses) {
  if (!fields.has(name)) return;
  std::vector<std::string> written = fields.texts(name);
  for (const std::string& status : written)
    if (!is_status(status))
      return fields.complain(name, in_quotes(status) + " is not an HTTP status",
                             "write 429 or \"2xx\"");
  if (written.empty()) return fields.complain(name, "the list is empty; add a status");
  statuses = std::move(written);
}

void check_disjoint(ObjectFields& fields, const TargetSpec& target) {
  for (const std::string& allowed : target.allowed)
    for (const std::string& denied : target.denied)
      if (is_status(allowed) && is_status(denied) && overlap(allowed, denied))
        return fields.complain("denied", fmt::format("{} is also in \"allowed\"", denied));
}

void read_networks(ObjectFields& fields, const char* name, std::vector<std::string>& networks) {
  networks = fields.texts(name);
  for (const std::string& network : networks)
    if (!parse_host_network(network))
      fields.complain(name, in_quotes(network) + " is not a network",
                      "write 127.0.0.1 or 10.0.0.0/8");
}

void read_source(ObjectFields& fields, TargetSpec& target) {
  target.source_ip = fields.text("source_ip");
  const std::string& source = target.source_ip;
  if (source.empty()) return;
  const bool is_template = source.find('<') != std::string::npos;
  const auto problem = template_problem(source);
  if (problem) return fields.complain("source_ip", problem->what(), problem->hint());
  if (!is_template && !parse_host_network(source))
    fields.complain("source_ip", in_quotes(source) + " is not an address",
                    "write \"<ip>\", 127.0.0.7 or 127.0.0.0/8");
}

}  // namespace

void check_url(ObjectFields& fields, const char* name, const std::string& url) {
  if (!url.starts_with("http://") && !url.starts_with("https://"))
    fields.complain(name, "the address does not fit this kind of target",
                    "begin it with http:// or https://");
  if (const auto problem = template_problem(url))
    fields.complain(name, problem->what(), problem->hint());
}

void read_target(const JsonValue& value, const std::string& pointer, ScenarioContext& context) {
  ObjectFields fields(value, pointer, keys_of(ScenarioObject::target), context.problems);
  TargetSpec& target = context.scenario.target;
  fields.require("kind", one_of(all_words<TargetKind>()));
  target.kind = fields.word("kind", TargetKind::embedded);
  refuse_strangers(fields, target.kind);
  read_url(fields, target, context.scenario);
  target.method = fields.text("method", target.method);
  if (!is_field_name(target.method))
    fields.complain("method", in_quotes(target.method) + " is not an HTTP method",
                    "write GET or POST");
  target.body = fields.text("body");
  if (const auto problem = template_problem(target.body))
    fields.complain("body", problem->what(), problem->hint());
  read_headers(fields, target, context);
  read_statuses(fields, "allowed", target.allowed);
  read_statuses(fields, "denied", target.denied);
  check_disjoint(fields, target);
  target.cost_from = fields.text("cost_from");
  read_source(fields, target);
  read_networks(fields, "trust_proxy", target.trusted_proxies);
  target.own_target = fields.text("i_own_this_target");
  target.on_error = fields.word("on_error", OnError::closed);
  target.timeout_us = fields.positive_duration("timeout", target.timeout_us);
}

}  // namespace rlctl
