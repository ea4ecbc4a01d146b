#include "cli/options/http_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/header_field.h"
#include "base/text.h"
#include "io/http/http_url.h"

namespace rlctl {
namespace {

std::pair<std::string, std::string> split_header(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    // It is not shown: it may be a token.
    throw Error(Exit::usage, "--header: a header has no colon", "write -H 'X-Forwarded-For: <ip>'");
  const std::size_t value = text.find_first_not_of(" \t", colon + 1);
  std::pair header{text.substr(0, colon), value == std::string::npos ? "" : text.substr(value)};
  if (!is_field_name(header.first) || !is_field_value(header.second))
    throw Error(Exit::usage, "--header: the header " + in_quotes(header.first) + " is not valid",
                "write a name, a colon and a value on one line");
  return header;
}

// libcurl would show the whole URL in its error, once for every request.
void check_proxy(const std::string& url) {
  static const std::vector<std::string> kSchemes{"http",    "https",  "socks4",
                                                 "socks4a", "socks5", "socks5h"};
  if (url.empty()) return;
  const std::size_t end = url.find("://");
  const std::string scheme = end == url.npos ? "http" : lower_case(url.substr(0, end));
  if (std::ranges::find(kSchemes, scheme) == kSchemes.end())
    throw Error(Exit::usage, "--proxy: " + in_quotes(scheme) + " is no proxy's scheme",
                "it is one of " + joined(kSchemes));
  parse_http_url("http://" + (end == url.npos ? url : url.substr(end + 3)), "--proxy");
}

}  // namespace

void add_engine_option(Options& app, std::string& engine) {
  app.add_option("--engine", engine,
                 "what sends HTTP: own (the fast one) or curl (libcurl, which also does what own "
                 "does not: --proxy, the header Expect) [own]")
      .type_name("WORD")
      .one_of(all_words<HttpEngine>());
}

void HttpOptions::add_several_to(Options& app) {
  add_to(app, "; may be repeated for services that decide together (replicas, regions)");
  app.add_option("--spread", spread_,
                 "of several targets, whose turn it is: round, random, or client (a client always "
                 "asks the same one) [round]")
      .type_name("WORD")
      .one_of(all_words<TargetSpread>());
  own_.emplace_back("--spread");
  app.add_option(
         "--cost-from", cost_from_,
         "what a request has used, from its answer: 'header x-used', or a JSON pointer such "
         "as /usage/total_tokens")
      .type_name("PLACE");
  own_.emplace_back("--cost-from");
}

namespace {

std::string may_contain() {
  std::string words;
  for (const RequestWordRow& row : kRequestWords) words += fmt::format("<{}>, ", row.name);
  return "may contain " + words + "and ${NAME}, a variable of the environment";
}

}  // namespace

void HttpOptions::add_to(Options& app) { add_to(app, ""); }

void HttpOptions::add_compared_to(Options& app) {
  add_to(app,
         "; may be repeated to compare services. Each key is a client that is new to the "
         "service, and rlctl removes nothing there: what the service counted stays until its "
         "windows run out");
}

void HttpOptions::add_to(Options& app, const std::string& several) {
  options_ = app;
  // `names`: the long one last.
  const auto add = [&](const std::string& names, auto& value, const std::string& help) {
    own_.push_back(names.substr(names.find("--")));
    return app.add_option(names, value, help);
  };
  add("--target", urls_,
      "http(s)://host/path, or rls(s)://host:port, Envoy's rate limit service; " + may_contain() +
          several)
      .type_name("URL")
      .one_at_a_time();
  add("--method", method_, "HTTP method [GET, or POST with --body]").type_name("NAME");
  add("--body", body_, "request body; may contain the same words as --target").type_name("TEXT");
  add("-H,--header", headers_,
      "request header, such as 'X-Forwarded-For: <ip>', with the words of --target; may be "
      "repeated")
      .type_name("'NAME: VALUE'")
      .one_at_a_time();
  add("--domain", domain_, "of a rate limit service: whose limits").type_name("TEXT");
  add("--descriptor", descriptors_,
      "of a rate limit service: what is limited, such as user=<user>,path=/api; may be repeated")
      .type_name("KEY=VALUE,...")
      .one_at_a_time();
  add("--allowed", allowed_,
      "statuses that mean allowed [2xx]; of --command: when its reply means allowed: 'reply[1] == "
      "0'")
      .type_name("STATUS,...|EXPRESSION");
  add("--denied", denied_, "statuses that mean denied; all others are unknown [429]")
      .type_name("STATUS,...");
  add("--source-ip", source_ip_,
      "send from this address of this machine; 127.0.0.0/8 gives each client its own address")
      .type_name("IP|CIDR");
  add("--i-own-this-target", own_host_,
      "confirms that this host is yours; required unless it is on this machine or in a private "
      "network")
      .type_name("HOST");
  add_engine_option(app, engine_);
  own_.emplace_back("--engine");
  app.add_flag("--http2", http2_,
               "speak HTTP/2: over TLS as the server offers it, to http:// from the first byte");
  own_.emplace_back("--http2");
  add("--proxy", proxy_, "use this proxy; proxy settings of the environment are ignored")
      .type_name("URL");
}

void HttpOptions::check_company(const std::vector<std::string>& more_for_redis,
                                const std::vector<std::string>& more_for_http) const {
  std::vector<std::string> for_redis{"--algo",     "--command", "--as",
                                     "--manifest", "--run",     "--lua-dir"};
  for_redis.insert(for_redis.end(), std::begin(kNamesRedis), std::end(kNamesRedis));
  for_redis.insert(for_redis.end(), std::begin(kOfAnyRedis), std::end(kOfAnyRedis));
  for_redis.insert(for_redis.end(), more_for_redis.begin(), more_for_redis.end());
  std::vector<std::string> for_http = own_;
  for_http.insert(for_http.end(), more_for_http.begin(), more_for_http.end());
  const std::vector<std::string>& misplaced = given() ? for_redis : for_http;
  const std::vector<std::string> all = options_->given();
  const bool has_command = std::ranges::find(all, "--command") != all.end();
  for (const std::string& name : all) {
    if (std::ranges::find(misplaced, name) == misplaced.end()) continue;
    if (!given() && has_command && name == "--allowed") continue;
    if (!given())
      throw Error(Exit::usage, name + " is only for an HTTP target",
                  name == "--allowed" ? "add --target URL, or --command" : "add --target URL");
    throw Error(Exit::usage,
                "with --target the service decides: " + name + " is only for a limiter in Redis",
                "remove one of them");
  }
}

TargetSpread HttpOptions::spread() const {
  if (spread_.empty()) return TargetSpread::round;
  if (urls_.size() < 2)
    throw Error(Exit::usage, "--spread needs several targets", "repeat --target, or remove it");
  return *meaning_of<TargetSpread>(spread_);
}

TargetSpec HttpOptions::spec(std::int64_t timeout_us) const {
  TargetSpec spec;
  spec.kind = TargetKind::http;
  spec.url = urls_.front();
  spec.body = body_;
  spec.method = method_;
  if (method_.empty()) spec.method = body_.empty() ? "GET" : "POST";
  for (const std::string& header : headers_) spec.headers.push_back(split_header(header));
  spec.domain = domain_;
  for (const std::string& text : descriptors_) spec.descriptors.push_back(parse_descriptor(text));
  if (!allowed_.empty()) spec.allowed = {allowed_};
  spec.denied = {denied_};
  spec.cost_from = cost_from_;
  spec.source_ip = source_ip_;
  spec.own_target = own_host_;
  spec.http2 = http2_;
  spec.timeout_us = timeout_us;
  return spec;
}

std::vector<TargetSpec> HttpOptions::specs(std::int64_t timeout_us) const {
  const bool mixed = std::ranges::any_of(urls_, is_rls) && !std::ranges::all_of(urls_, is_rls);
  std::vector<TargetSpec> specs;
  for (const std::string& url : urls_) {
    TargetSpec one = spec(timeout_us);
    one.url = url;
    if (mixed && is_rls(url)) {
      const TargetSpec usual;
      one.method = usual.method;
      one.body = usual.body;
      one.allowed = usual.allowed;
      one.denied = usual.denied;
    } else if (mixed) {
      one.domain.clear();
      one.descriptors.clear();
    }
    specs.push_back(std::move(one));
  }
  return specs;
}

HttpSettings HttpOptions::transport(std::int64_t timeout_us, const TlsOptions& tls) const {
  HttpSettings settings;
  settings.timeout_us = timeout_us;
  settings.tls = tls.settings();
  const auto must_read = [](const char* option, const std::string& file) {
    if (!file.empty() && access(file.c_str(), R_OK) != 0)
      throw Error(Exit::usage, std::string(option) + ": can't read " + in_quotes(file));
  };
  must_read("--cacert", settings.tls.ca_file);
  must_read("--cert", settings.tls.cert_file);
  must_read("--cert-key", settings.tls.key_file);
  settings.engine = meaning_of<HttpEngine>(engine_);
  check_proxy(proxy_);
  settings.proxy = proxy_;
  return settings;
}

}  // namespace rlctl
