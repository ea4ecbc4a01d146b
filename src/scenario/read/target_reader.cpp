#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/header_field.h"
#include "base/host_address.h"
#include "base/text.h"
#include "policy/answer_place.h"
#include "policy/request_text.h"
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
    {"url", kRedis | kHttp},
    {"method", kHttp | kServe},
    {"body", kHttp},
    {"headers", kHttp | kServe},
    {"allowed", kHttp},
    {"denied", kHttp},
    {"source_ip", kHttp | kServe},
    {"i_own_this_target", kHttp},
    {"on_error", kServe},
    {"trust_proxy", kServe},
    {"cost_from", kHttp},
    {"login", kHttp},
    {"domain", kHttp},
    {"descriptors", kHttp},
    {"http2", kHttp},
};

unsigned bit_of(TargetKind kind) { return 1U << static_cast<unsigned>(kind); }

void refuse_strangers(ObjectFields& fields, TargetKind kind) {
  for (const TargetKey& use : kTargetKeys) {
    if (!fields.has(use.key) || (use.kinds & bit_of(kind)) != 0) continue;
    fields.complain(
        use.key, fmt::format("this key does not apply to a target of kind \"{}\"", name_of(kind)));
  }
}

std::optional<Error> text_problem(const std::string& text, const std::vector<std::string>& captured,
                                  ScenarioContext& context) {
  try {
    RequestText(text, captured,
                [&](std::string_view name) { return context.files.variable(name); });
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

using Headers = std::vector<std::pair<std::string, std::string>>;

// Empty if the value is no text.
std::optional<std::string> read_words(const JsonMember& member, const std::string& pointer,
                                      const std::vector<std::string>& captured,
                                      ScenarioContext& context) {
  if (member.value.kind != JsonKind::string) {
    context.problems.add(member.value.span, pointer, "expected a text");
    return std::nullopt;
  }
  if (const auto problem = text_problem(member.value.text, captured, context))
    context.problems.add(member.value.span, pointer, problem->what(), problem->hint());
  return member.value.text;
}

void read_header(const JsonMember& member, const std::string& pointer, Headers& headers,
                 const std::vector<std::string>& captured, ScenarioContext& context) {
  if (!is_field_name(member.name))
    context.problems.add(member.name_span, pointer,
                         in_quotes(member.name) + " is not a header name");
  const auto value = read_words(member, pointer, captured, context);
  if (!value) return;
  if (!is_field_value(*value))
    context.problems.add(member.value.span, pointer, "a header value must be one line");
  std::erase_if(headers,
                [&](const auto& known) { return equals_ignoring_case(known.first, member.name); });
  headers.emplace_back(member.name, *value);
}

// A route's headers are added to those of the target, and replace those of the same name.
void read_headers(ObjectFields& fields, Headers& headers, const std::vector<std::string>& captured,
                  ScenarioContext& context) {
  const JsonValue* written = fields.find("headers");
  if (written == nullptr) return;
  if (written->kind != JsonKind::object)
    return fields.complain("headers", "expected an object", R"(write {"X-Forwarded-For": "<ip>"})");
  for (const JsonMember& member : written->members)
    read_header(member, pointer_to(fields.pointer("headers"), member.name), headers, captured,
                context);
}

void read_descriptor(const JsonValue& value, const std::string& pointer, TargetSpec& target,
                     const std::vector<std::string>& captured, ScenarioContext& context) {
  if (value.kind != JsonKind::object)
    return context.problems.add(value.span, pointer, "expected an object",
                                R"(write {"user": "<user>", "path": "/api"})");
  RlsDescriptor& descriptor = target.descriptors.emplace_back();
  for (const JsonMember& member : value.members)
    if (auto text = read_words(member, pointer_to(pointer, member.name), captured, context))
      descriptor.emplace_back(member.name, std::move(*text));
}

// What a rate limit service is asked. One descriptor, or a list of them.
void read_descriptors(ObjectFields& fields, TargetSpec& target,
                      const std::vector<std::string>& captured, ScenarioContext& context) {
  target.domain = fields.text("domain", target.domain);
  if (const auto problem = text_problem(target.domain, captured, context))
    fields.complain("domain", problem->what(), problem->hint());
  const JsonValue* written = fields.find("descriptors");
  if (written == nullptr) return;
  target.descriptors.clear();
  const std::string pointer = fields.pointer("descriptors");
  if (written->kind != JsonKind::array)
    return read_descriptor(*written, pointer, target, captured, context);
  for (std::size_t i = 0; i < written->items.size(); ++i)
    read_descriptor(written->items[i], pointer_to(pointer, i), target, captured, context);
}

void read_method_and_body(ObjectFields& fields, std::string& method, std::string& body,
                          const std::vector<std::string>& captured, ScenarioContext& context) {
  if (fields.has("body")) {
    body = fields.text("body");
    method = default_method(true);
    if (const auto problem = text_problem(body, captured, context))
      fields.complain("body", problem->what(), problem->hint());
  }
  method = fields.text("method", method);
  const auto problem = method_problem(method);
  if (problem && fields.has("method")) fields.complain("method", problem->what(), problem->hint());
}

// The URL of a path on the host of another URL.
std::string on_host_of(const std::string& base, const std::string& path) {
  if (!path.starts_with('/')) return path;
  const std::size_t scheme = base.find("://");
  return base.substr(0, base.find('/', scheme == base.npos ? 0 : scheme + 3)) + path;
}

// Empty if a word or a variable in it is not known.
std::string filled_url(const std::string& url, const std::vector<std::string>& captured,
                       ScenarioContext& context) {
  if (text_problem(url, captured, context)) return {};
  const RequestText text(url, captured,
                         [&](std::string_view word) { return context.files.variable(word); });
  return text.filled({});
}

void check_http_url(ObjectFields& fields, const char* name, const std::string& url,
                    const std::vector<std::string>& captured, ScenarioContext& context) {
  const JsonValue* written = fields.find(name);
  if (written == nullptr || (written->kind != JsonKind::string && url.empty())) return;
  if (const auto problem = text_problem(url, captured, context))
    return fields.complain(name, problem->what(), problem->hint());
  const std::string filled = filled_url(url, captured, context);
  if (!filled.starts_with("http://") && !filled.starts_with("https://") && !is_rls(filled))
    fields.complain(name, "the address does not fit this kind of target",
                    "begin it with http://, https:// or rls://");
}

// "token": "/access_token".
void read_capture(ObjectFields& fields, LoginStep& step, ScenarioContext& context) {
  const JsonValue* captures = fields.find("capture");
  if (captures == nullptr) return;
  if (captures->kind != JsonKind::object)
    return fields.complain("capture", "expected an object", R"(write {"token": "/access_token"})");
  for (const JsonMember& member : captures->members) {
    const std::string pointer = pointer_to(fields.pointer("capture"), member.name);
    if (!std::ranges::all_of(member.name, is_name_character) || member.name.empty())
      context.problems.add(member.name_span, pointer, in_quotes(member.name) + " is no name",
                           "use letters, digits and underscores");
    if (meaning_of<RequestWord>(member.name))
      context.problems.add(member.name_span, pointer,
                           "<" + member.name + "> has another meaning already", "rename it");
    try {
      parse_answer_place(member.value.text);
    } catch (const Error& error) {
      context.problems.add(member.value.span, pointer, error.what(), error.hint());
    }
    step.captures.push_back({member.name, member.value.text});
  }
}

void read_step(const JsonValue& value, const std::string& pointer, TargetSpec& target,
               ScenarioContext& context) {
  ObjectFields fields(value, pointer, keys_of(ScenarioObject::login), context.problems);
  const std::vector<std::string> captured = captured_names(target.login);
  LoginStep step;
  fields.require("url", "add the address, or a path of the target: \"url\": \"/login\"");
  if (fields.has("url")) step.url = on_host_of(target.url, fields.text("url"));
  check_http_url(fields, "url", step.url, captured, context);
  if (is_rls(filled_url(step.url, captured, context)))
    fields.complain("url", "a rate limit service has no login",
                    "begin it with http:// or https://");
  read_method_and_body(fields, step.method, step.body, captured, context);
  read_headers(fields, step.headers, captured, context);
  read_capture(fields, step, context);
  step.again_us = fields.positive_duration("again", 0);
  target.login.push_back(std::move(step));
}

// One request, or a list of them.
void read_login(ObjectFields& fields, TargetSpec& target, ScenarioContext& context) {
  const JsonValue* login = fields.find("login");
  if (login == nullptr) return;
  target.login.clear();
  const std::string pointer = fields.pointer("login");
  if (login->kind != JsonKind::array) return read_step(*login, pointer, target, context);
  for (std::size_t i = 0; i < login->items.size(); ++i)
    read_step(login->items[i], pointer_to(pointer, i), target, context);
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

void read_cost(ObjectFields& fields, TargetSpec& target) {
  if (!fields.has("cost_from")) return;
  target.cost_from = fields.text("cost_from");
  try {
    if (!target.cost_from.empty()) parse_answer_place(target.cost_from);
  } catch (const Error& error) {
    fields.complain("cost_from", error.what(), error.hint());
  }
}

// What does not fit a rate limit service, which the URL may name by a variable.
void check_rls(ObjectFields& fields, const char* name, const std::string& url,
               const TargetSpec& target, ScenarioContext& context) {
  TargetSpec asked = target;
  asked.url = filled_url(url, captured_names(target.login), context);
  const auto problem = asked.url.empty() ? std::nullopt : rls_problem(asked);
  if (problem) fields.complain(name, problem->what(), problem->hint());
}

// What a target and a route have in common. Members that are missing stay as they are.
void read_request(ObjectFields& fields, TargetSpec& target, ScenarioContext& context) {
  if (fields.has("url")) target.url = on_host_of(target.url, fields.text("url"));
  read_login(fields, target, context);
  const std::vector<std::string> captured = captured_names(target.login);
  if (target.kind == TargetKind::http) check_http_url(fields, "url", target.url, captured, context);
  read_method_and_body(fields, target.method, target.body, captured, context);
  read_headers(fields, target.headers, captured, context);
  read_statuses(fields, "allowed", target.allowed);
  read_statuses(fields, "denied", target.denied);
  check_disjoint(fields, target);
  read_cost(fields, target);
  if (fields.has("source_ip")) read_source(fields, target);
  read_descriptors(fields, target, captured, context);
  target.http2 = fields.boolean("http2", target.http2);
  check_rls(fields, "url", target.url, target, context);
}

void check_redis_url(ObjectFields& fields, const TargetSpec& target) {
  if (target.kind != TargetKind::redis) return;
  fields.require("url", "add \"url\": \"redis://127.0.0.1:6379\"");
  const JsonValue* url = fields.find("url");
  if (url == nullptr || url->kind != JsonKind::string) return;
  const auto begins = [&](const char* scheme) { return target.url.starts_with(scheme); };
  if (!begins("redis://") && !begins("rediss://") && !begins("unix://"))
    fields.complain("url", "the address does not fit this kind of target",
                    "begin it with redis://, rediss:// or unix://");
}

}  // namespace

void check_url(ObjectFields& fields, const char* name, const std::string& url,
               const TargetSpec& target, ScenarioContext& context) {
  check_http_url(fields, name, url, captured_names(target.login), context);
  check_rls(fields, name, url, target, context);
}

std::optional<TargetSpec> read_route(ObjectFields& policy, ScenarioContext& context) {
  const JsonValue* value = policy.find("route");
  if (value == nullptr) return std::nullopt;
  ObjectFields fields(*value, policy.pointer("route"), keys_of(ScenarioObject::route),
                      context.problems);
  TargetSpec target = context.scenario.target;
  read_request(fields, target, context);
  return target;
}

void read_target(const JsonValue& value, const std::string& pointer, ScenarioContext& context) {
  ObjectFields fields(value, pointer, keys_of(ScenarioObject::target), context.problems);
  TargetSpec& target = context.scenario.target;
  fields.require("kind", one_of(all_words<TargetKind>()));
  target.kind = fields.word("kind", TargetKind::embedded);
  refuse_strangers(fields, target.kind);
  read_request(fields, target, context);
  check_redis_url(fields, target);
  read_networks(fields, "trust_proxy", target.trusted_proxies);
  target.own_target = fields.text("i_own_this_target");
  target.on_error = fields.word("on_error", OnError::closed);
  target.timeout_us = fields.positive_duration("timeout", target.timeout_us);
}

}  // namespace rlctl
