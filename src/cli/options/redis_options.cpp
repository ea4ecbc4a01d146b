#include "cli/options/redis_options.h"

#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "base/escape.h"
#include "base/units.h"

namespace rlctl {

void RedisOptions::add_to(Options& app, WithoutUrl without_url) {
  without_url_ = without_url;
  const bool embeds = without_url == WithoutUrl::embedded;
  app.add_option("--redis", url_,
                 embeds ? "redis(s)://[user:pass@]host:port/db or unix:///path; without it rlctl "
                          "starts a private server and touches no other data"
                        : "redis(s)://[user:pass@]host:port/db or unix:///path?db=N "
                          "[redis://127.0.0.1:6379]")
      .type_name("URL");
  tls_.add_to(app);
  app.add_option("--pass-file", pass_file_,
                 "file with the password in its first line [REDISCLI_AUTH]; it is never shown")
      .type_name("FILE");
  app.add_option("--timeout", timeout_, "time-out of connecting and of each command [2s]")
      .type_name("DURATION");
  app.add_flag("--cluster", cluster_, "the URL must be a node of a cluster [found out]");
  if (!embeds) return;
  app.add_option("--embedded", embedded_,
                 "the private server: single, cluster:3, or cluster:3+3 (masters and replicas) "
                 "[single]")
      .type_name("KIND");
  app.add_option("--redis-server", server_program_, "the server program to start [found on PATH]")
      .type_name("FILE");
}

std::int64_t RedisOptions::timeout_us() const {
  return parse_positive_duration_us(timeout_, "--timeout");
}

void RedisOptions::check_private_server() const {
  if (!embedded()) return;
  if (!pass_file_.empty())
    throw Error(Exit::usage, "--pass-file: the private server has no password",
                "add --redis URL, or remove --pass-file");
  if (cluster_)
    throw Error(Exit::usage, "--cluster says what --redis URL must be, and there is no URL",
                "for a private cluster: --embedded cluster:3");
  if (const std::string option = tls_.given(); !option.empty())
    throw Error(Exit::usage, option + ": the private server speaks no TLS",
                "add --redis rediss://host:port, or remove " + option);
}

EmbeddedSpec RedisOptions::embedded_spec() const {
  if (!embedded() && !embedded_.empty())
    throw Error(Exit::usage, "--embedded: --redis names the server", "leave out one of them");
  return {server_program_,
          embedded_.empty() ? std::nullopt : parse_embedded(embedded_, "--embedded")};
}

std::string RedisOptions::password() const {
  if (pass_file_.empty()) {
    const char* inherited = std::getenv("REDISCLI_AUTH");
    return inherited != nullptr ? inherited : "";
  }
  std::ifstream file(pass_file_);
  std::string line;
  if (!file || !std::getline(file, line))
    throw Error(Exit::usage, "--pass-file: can't read " + in_quotes(pass_file_),
                "write the password in its first line");
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

Endpoint RedisOptions::endpoint() const { return endpoint_of({}); }

Endpoint RedisOptions::endpoint_of(const std::string& url) const {
  const std::string& given = url.empty() ? url_ : url;
  Endpoint endpoint =
      parse_endpoint(given.empty() ? "redis://127.0.0.1:6379" : given, tls_.settings());
  if (url.empty()) tls_.apply_to(endpoint);
  endpoint.timeout_us = timeout_us();
  endpoint.cluster = cluster_;
  if (endpoint.password.empty()) endpoint.password = password();
  return endpoint;
}

namespace {

Endpoint choose_endpoint(const RedisOptions& options, std::optional<EmbeddedRedis>& server,
                         Loop& loop) {
  const EmbeddedSpec spec = options.embedded_spec();
  if (!options.embedded()) return options.endpoint();
  options.check_private_server();
  const std::int64_t timeout_us = options.timeout_us();
  server.emplace(spec);
  loop.run(server->get_ready(loop));
  Endpoint endpoint = server->endpoint();
  endpoint.timeout_us = timeout_us;
  return endpoint;
}

}  // namespace

RedisSession::RedisSession(const RedisOptions& options, Loop::Timers timers)
    : loop_(timers), deployment_(loop_, choose_endpoint(options, server_, loop_)) {
  loop_.watch_signals();
  loop_.run(deployment_.discover());
  redis_ = deployment_.client();
  loop_.run(redis_->connect());
}

}  // namespace rlctl
