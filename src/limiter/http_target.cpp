#include "limiter/http_target.h"

#include <sys/socket.h>

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/header_field.h"
#include "base/text.h"
#include "io/address_scope.h"
#include "io/http/rendered_request.h"
#include "io/tls/tls_client.h"
#include "policy/rate_limit_fields.h"
#include "policy/rls_message.h"

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

// Values for the checks before anything is sent; two of them differ in every word.
RequestValues sample_values(int which, const CapturedValues& captured) {
  return which == 0 ? RequestValues{{"::1", "a", 1}, 1, "a", &captured}
                    : RequestValues{{"::2", "b", 2}, 2, "b", &captured};
}

std::string authority_of(const std::string& url) {
  const std::size_t start = url.find("://");
  const std::size_t from = start == std::string::npos ? 0 : start + 3;
  return url.substr(from, url.find_first_of("/?#", from) - from);
}

// The host that requests go to must not depend on the request.
HttpUrl checked_url(const std::string& written, const RequestText& url,
                    std::span<const std::string> captured) {
  CapturedValues first;
  CapturedValues second;
  for (const std::string& name : captured) {
    first.emplace_back(name, "a");
    second.emplace_back(name, "b");
  }
  const std::string filled = url.filled(sample_values(0, first), percent_encoded);
  if (authority_of(filled) != authority_of(url.filled(sample_values(1, second), percent_encoded)))
    throw Error(Exit::usage,
                "the target's URL: " + in_quotes(without_secrets(written)) +
                    " has a placeholder in its host",
                "placeholders may stand in path and query, headers, body and source address");
  HttpUrl parsed;
  try {
    parsed = parse_http_url(filled, "the target's URL");
  } catch (const Error& error) {
    if (url.secrets().empty()) throw;
    throw Error(error.exit(),
                "the target's URL: " + in_quotes(without_secrets(written)) + " gives no URL",
                "it must begin with http:// or https://");
  }
  parsed.shown = without_secrets(written);
  return parsed;
}

// A value, whoever wrote it, must not end its header and begin another one.
bool breaks_out(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

bool keeps_field(std::string_view name) {
  return is_rate_limit_field(name) || equals_ignoring_case(name, "location");
}

// The method of rls.proto.
constexpr const char* kShouldRateLimit =
    "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

// What is asked over HTTP/2: the URL without words filled in.
std::string asked_url(const std::string& url) {
  if (!is_rls(url)) return url;
  const std::string place = url.substr(url.find("://"));
  return (url.starts_with("rlss") ? "https" : "http") +
         place.substr(0, place.size() - (place.ends_with('/') ? 1 : 0)) + kShouldRateLimit;
}

std::string rls_body(const HttpTarget& target, const RequestValues& values) {
  std::vector<RlsDescriptor> descriptors;
  for (const RlsWords& words : target.descriptors) {
    RlsDescriptor& descriptor = descriptors.emplace_back();
    for (const auto& [key, value] : words) descriptor.emplace_back(key, value.filled(values));
  }
  return rls_request(target.domain.filled(values), descriptors, values.cost);
}

// An answer of a language model, with room to spare.
constexpr std::size_t kLongestBodyRead = std::size_t{4} << 20U;

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

// Headers that change how a message of HTTP/1.1 is sent.
bool needs_libcurl(const HttpTarget& target) {
  return !target.is_rls() && std::ranges::any_of(target.headers, [](const auto& header) {
    return equals_ignoring_case(header.first, "expect") ||
           equals_ignoring_case(header.first, "transfer-encoding");
  });
}

// Sets libcurl where only that does what is asked.
void choose_engine(const HttpTarget& target, HttpSettings& settings) {
  const bool needs_curl = needs_libcurl(target);
  const bool wants_own = settings.engine == HttpEngine::own;
  if (wants_own && !settings.proxy.empty())
    throw Error(Exit::usage, "rlctl's own engine does not go through a proxy",
                "remove --engine or --proxy");
  if (wants_own && needs_curl)
    throw Error(Exit::usage, "rlctl's own engine sends no header Expect or Transfer-Encoding",
                "remove --engine or that header");
  if (needs_curl) settings.engine = HttpEngine::curl;
}

bool may_connect(const sockaddr& address) {
  const auto ip = host_address_of(address);
  return !ip || is_loopback_or_private(*ip);
}

}  // namespace

HttpQuestion HttpTarget::request_for(const RequestValues& values) const {
  HttpQuestion request;
  request.url = url_text.filled(values, percent_encoded);
  request.method = method;
  request.body = is_rls() ? rls_body(*this, values) : body.filled(values);
  for (const auto& [name, value] : headers) {
    request.headers.push_back(name + ": " + value.filled(values));
    if (breaks_out(request.headers.back()))
      throw Error(Exit::usage, "the header " + in_quotes(name) + " would become several",
                  "a value in it contains a line break");
  }
  request.source_ip = source.of(values.client);
  if (source.is_set() && !parse_host_address(request.source_ip))
    throw Error(Exit::usage, in_quotes(request.source_ip) + " is not a source address",
                "with --source-ip '<ip>' every identity needs an address");
  return request;
}

std::shared_ptr<const HttpPlace> HttpTarget::place() const {
  if (!source.is_one_for_all()) return nullptr;
  return std::make_shared<HttpPlace>(
      HttpPlace{url.scheme == "https", url.host, url.port, source.of({})});
}

bool HttpTarget::reads_body() const {
  const auto in_body = [](const AnswerPlace& place) {
    return place.is_given() && place.header.empty();
  };
  return is_rls() || in_body(cost_from) || std::ranges::any_of(captures, [&](const auto& capture) {
           return in_body(capture.second);
         });
}

namespace {

HttpTarget target_from(const TargetSpec& spec, std::span<const std::string> captured,
                       const Environment& environment) {
  TargetSpec asked = spec;
  asked.url = RequestText(spec.url, captured, environment).filled({});
  if (auto problem = rls_problem(asked)) throw *std::move(problem);
  HttpTarget target;
  const auto read = [&](const std::string& text) {
    RequestText words(text, captured, environment);
    target.secrets.insert(target.secrets.end(), words.secrets().begin(), words.secrets().end());
    target.varies_with_client |= names_client(text);
    target.varies_always |= names_request(text);
    return words;
  };
  read(spec.url);
  // The variable may hold all of the URL.
  const auto variable_asked = [&](std::string_view name) {
    std::optional<std::string> value = environment(name);
    return value ? std::optional(asked_url(*value)) : value;
  };
  target.url_text = RequestText(asked_url(spec.url), captured, variable_asked);
  const std::vector<std::string>& asked_secrets = target.url_text.secrets();
  target.secrets.insert(target.secrets.end(), asked_secrets.begin(), asked_secrets.end());
  target.url = checked_url(spec.url, target.url_text, captured);
  if (auto problem = method_problem(spec.method)) throw *std::move(problem);
  target.method = is_rls(asked.url) ? "POST" : spec.method;
  target.body = read(spec.body);
  target.domain = read(spec.domain);
  for (const RlsDescriptor& descriptor : spec.descriptors) {
    RlsWords& words = target.descriptors.emplace_back();
    for (const auto& [key, value] : descriptor) words.emplace_back(key, read(value));
  }
  if (target.is_rls())
    target.headers = {{"content-type", read("application/grpc")}, {"te", read("trailers")}};
  for (const auto& [name, value] : spec.headers) {
    if (!is_field_name(name))
      throw Error(Exit::usage, in_quotes(name) + " is not a header name",
                  "for example -H 'X-Forwarded-For: <ip>'");
    target.headers.emplace_back(name, read(value));
  }
  target.allowed = StatusSet(joined(spec.allowed, ","), "the allowed statuses");
  target.denied = StatusSet(joined(spec.denied, ","), "the denied statuses");
  if (target.allowed.overlaps(target.denied))
    throw Error(Exit::usage, "a status is both allowed and denied");
  if (!spec.cost_from.empty()) target.cost_from = parse_answer_place(spec.cost_from);
  target.source = SourceAddress(spec.source_ip);
  target.varies_with_client |= has_addresses_of_clients(spec);
  target.own_host = spec.own_target;
  target.http2 = spec.http2;
  return target;
}

}  // namespace

HttpTarget http_target_from(const TargetSpec& spec, const Environment& environment) {
  return target_from(spec, captured_names(spec.login), environment);
}

HttpTarget login_target_from(const TargetSpec& spec, std::size_t step) {
  const LoginStep& login = spec.login[step];
  const auto before = spec.login.begin() + static_cast<std::ptrdiff_t>(step);
  TargetSpec request;
  request.url = login.url;
  request.method = login.method;
  request.body = login.body;
  request.headers = login.headers;
  request.source_ip = spec.source_ip;
  request.own_target = spec.own_target;
  request.http2 = spec.http2;
  HttpTarget target =
      target_from(request, captured_names({spec.login.begin(), before}), environment_variable);
  for (const CaptureSpec& capture : login.captures)
    target.captures.emplace_back(capture.name, parse_answer_place(capture.from));
  return target;
}

bool tells_clients_apart(const TargetSpec& spec) {
  // Also of a descriptor's entries.
  const auto in_headers = [](const auto& headers) {
    return std::ranges::any_of(headers,
                               [](const auto& header) { return names_client(header.second); });
  };
  const auto in_login = [&](const LoginStep& step) {
    return names_client(step.url) || names_client(step.body) || in_headers(step.headers);
  };
  return has_addresses_of_clients(spec) || names_client(spec.url) || names_client(spec.body) ||
         names_client(spec.domain) || in_headers(spec.headers) ||
         std::ranges::any_of(spec.descriptors, in_headers) ||
         std::ranges::any_of(spec.login, in_login);
}

HttpSettings http_settings_for(const HttpTarget& target, HttpSettings settings) {
  std::vector<std::string> read;
  if (!target.cost_from.header.empty()) read.push_back(target.cost_from.header);
  if (target.is_rls()) {
    if (settings.engine_used() == HttpEngine::curl)
      throw Error(Exit::usage, "only rlctl's own engine speaks gRPC",
                  "remove --engine and --proxy");
    settings.http2 = true;
    read.insert(read.end(), {"grpc-status", "grpc-message"});
  }
  settings.http2 |= target.http2;
  for (const auto& capture : target.captures) read.push_back(capture.second.header);
  settings.keeps_field = [read = std::move(read)](std::string_view name) {
    return keeps_field(name) || std::ranges::any_of(read, [&](const std::string& wanted) {
             return equals_ignoring_case(name, wanted);
           });
  };
  if (target.reads_body()) settings.kept_body_bytes = kLongestBodyRead;
  choose_engine(target, settings);
  if (settings.http2 && settings.engine_used() == HttpEngine::curl && target.url.scheme == "http")
    throw Error(Exit::usage, "HTTP/2: libcurl of Debian 12 can't keep a connection without TLS",
                "use https://, or remove --engine and --proxy");
  settings.tls.sni.clear();
  if (target.url.scheme == "https" && settings.engine_used() == HttpEngine::own)
    settings.tls_client = std::make_shared<TlsClient>(settings.tls);
  const auto literal = parse_host_address(target.url.host);
  if (literal) {
    check_whose(target, {*literal});
  } else if (!settings.proxy.empty()) {
    check_whose(target, {});
    if (!is_own(target) && target.url.host != "localhost")
      refuse(target, "is resolved by the proxy, so its address can't be checked");
  } else {
    settings.addresses = resolve_host(target.url.host);
    settings.host = target.url.host;
    settings.port = target.url.port;
    check_whose(target, settings.addresses);
  }
  if (!is_own(target) && settings.proxy.empty()) settings.may_connect = may_connect;
  return settings;
}

}  // namespace rlctl
