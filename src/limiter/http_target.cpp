#include "limiter/http_target.h"

#include <sys/socket.h>

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/header_field.h"
#include "base/text.h"
#include "io/address_scope.h"
#include "policy/rate_limit_fields.h"

namespace rlctl {
namespace {

bool is_unreserved(char c) {
  return is_letter(c) || is_digit(c) ||
         std::string_view("-._~:@").find(c) != std::string_view::npos;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(c)) {
      encoded += c;
    } else {
      encoded += '%';
      encoded += kDigits[byte >> 4];
      encoded += kDigits[byte & 15];
    }
  }
  return encoded;
}

Identity encoded(const Identity& identity) {
  return {percent_encoded(identity.ip), percent_encoded(identity.user), identity.n};
}

bool has_placeholder(std::string_view text) {
  return text.find('<') != std::string_view::npos && text_of(text, {"a", "a", 1}) != text;
}

// The host that requests go to must not depend on the identity.
void check_authority(const std::string& url) {
  const std::size_t start = url.find("://");
  const std::size_t from = start == std::string::npos ? 0 : start + 3;
  const std::string authority = url.substr(from, url.find_first_of("/?#", from) - from);
  if (has_placeholder(authority))
    throw Error(Exit::usage,
                "the target's URL: " + in_quotes(url) + " has a placeholder in its host",
                "placeholders may stand in path and query, headers, body and source address");
}

std::string header_line(const std::pair<std::string, std::string>& header) {
  const auto& [name, value] = header;
  if (!is_field_name(name))
    throw Error(Exit::usage, in_quotes(name) + " is not a header name",
                "for example -H 'X-Forwarded-For: <ip>'");
  text_of(value, Identity{});  // throws if a placeholder is unknown
  return name + ": " + value;
}

// A value, whoever wrote it, must not end its header and begin another one.
bool breaks_out(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

bool keeps_field(std::string_view name) {
  return is_rate_limit_field(name) || equals_ignoring_case(name, "location");
}

// An answer of a language model, with room to spare.
constexpr std::size_t kLongestBodyWithCost = std::size_t{4} << 20U;

CostSource cost_source_of(const std::string& text) {
  if (text.empty()) return {};
  if (const auto source = parse_cost_source(text)) return *source;
  throw Error(Exit::usage, "the cost of a request can't be read from " + in_quotes(text),
              "write 'header x-used', or a place in the JSON of the answer: /usage/total_tokens");
}

bool is_own(const HttpTarget& target) {
  return equals_ignoring_case(target.own_host, target.url.host);
}

[[noreturn]] void refuse(const HttpTarget& target, const std::string& why) {
  throw Error(Exit::usage, in_quotes(target.url.host) + " " + why,
              "send load only to your own services; if it is yours: --i-own-this-target " +
                  escape_for_terminal(target.url.host));
}

void check_whose(const HttpTarget& target, const std::vector<HostAddress>& addresses) {
  if (!target.own_host.empty() && !is_own(target))
    throw Error(Exit::usage, "--i-own-this-target names " + in_quotes(target.own_host) +
                                 ", but the target is " + in_quotes(target.url.host));
  if (is_own(target)) return;
  for (const HostAddress& address : addresses)
    if (!is_loopback_or_private(address))
      refuse(target, "has the address " + format_host_address(address) +
                         ", which is neither on this machine nor in a private network");
}

bool may_connect(const sockaddr& address) {
  const auto ip = host_address_of(address);
  return !ip || is_loopback_or_private(*ip);
}

}  // namespace

HttpQuestion HttpTarget::request_for(const Identity& identity) const {
  HttpQuestion request;
  request.url = text_of(url_template, encoded(identity));
  request.method = method;
  request.body = text_of(body, identity);
  for (const std::string& header : headers) {
    request.headers.push_back(text_of(header, identity));
    if (breaks_out(request.headers.back()))
      throw Error(Exit::usage,
                  "the header " + in_quotes(request.headers.back()) + " would become several");
  }
  request.source_ip = source.of(identity);
  if (source.is_set() && !parse_host_address(request.source_ip))
    throw Error(Exit::usage, in_quotes(request.source_ip) + " is not a source address",
                "with --source-ip '<ip>' every identity needs an address");
  return request;
}

bool varies_with_identity(const TargetSpec& spec) {
  return spec.source_ip.find_first_of("</") != std::string::npos || has_placeholder(spec.url) ||
         has_placeholder(spec.body) ||
         std::any_of(spec.headers.begin(), spec.headers.end(),
                     [](const auto& header) { return has_placeholder(header.second); });
}

HttpTarget http_target_from(const TargetSpec& spec) {
  check_authority(spec.url);
  HttpTarget target;
  target.url = parse_http_url(text_of(spec.url, encoded({"::1", "user", 1})), "the target's URL");
  target.url_template = spec.url;
  target.url.shown = without_credentials(spec.url);
  if (!is_field_name(spec.method))
    throw Error(Exit::usage, in_quotes(spec.method) + " is not an HTTP method",
                "for example GET or POST");
  target.method = spec.method;
  text_of(spec.body, Identity{});
  target.body = spec.body;
  for (const auto& header : spec.headers) target.headers.push_back(header_line(header));
  target.allowed = StatusSet(joined(spec.allowed, ","), "the allowed statuses");
  target.cost_from = cost_source_of(spec.cost_from);
  target.denied = StatusSet(joined(spec.denied, ","), "the denied statuses");
  if (target.allowed.overlaps(target.denied))
    throw Error(Exit::usage, "a status is both allowed and denied");
  target.source = SourceAddress(spec.source_ip);
  target.own_host = spec.own_target;
  target.varies = varies_with_identity(spec);
  return target;
}

HttpSettings http_settings_for(const HttpTarget& target, HttpSettings settings) {
  settings.keeps_field = [used = target.cost_from.header](std::string_view name) {
    return keeps_field(name) || (!used.empty() && equals_ignoring_case(name, used));
  };
  if (!target.cost_from.pointer.empty()) settings.kept_body_bytes = kLongestBodyWithCost;
  const auto literal = parse_host_address(target.url.host);
  if (literal) {
    check_whose(target, {*literal});
  } else if (!settings.proxy.empty()) {
    check_whose(target, {});
    if (!is_own(target) && target.url.host != "localhost")
      refuse(target, "is resolved by the proxy, so its address can't be checked");
  } else {
    const std::vector<HostAddress> addresses = resolve_host(target.url.host);
    check_whose(target, addresses);
    std::vector<std::string> texts;
    for (const HostAddress& address : addresses)
      texts.push_back(address.v6 ? "[" + format_host_address(address) + "]"
                                 : format_host_address(address));
    settings.resolve = http_resolve_list(target.url.host, target.url.port, texts);
  }
  if (!is_own(target) && settings.proxy.empty()) settings.may_connect = may_connect;
  return settings;
}

}  // namespace rlctl
