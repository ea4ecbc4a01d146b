// The HTTP service that a verb uses: options -> TargetSpec, HttpTarget and HttpSettings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "cli/options/tls_options.h"
#include "limiter/http_target.h"
#include "scenario/scenario.h"

namespace rlctl {

// --engine: what sends the requests of a verb; empty: not given.
void add_engine_option(Options& app, std::string& engine);

// Options that have no effect on an HTTP service: which Redis it is, and how any Redis is reached.
inline constexpr const char* kNamesRedis[] = {
    "--redis", "-h", "-p", "-s", "-n", "--pass", "--user", "--embedded", "--redis-server"};
inline constexpr const char* kOfAnyRedis[] = {"--pass-file", "--cluster", "--tls", "--sni"};

class HttpOptions {
 public:
  void add_to(Options& app);
  // Also takes several targets, which decide together.
  void add_several_to(Options& app);
  // Also takes several targets, which are compared: specs().
  void add_compared_to(Options& app);

  // A URL that is no value of --target.
  void take_url(const std::string& url) { urls_.push_back(url); }

  bool given() const { return !urls_.empty(); }
  const std::vector<std::string>& urls() const { return urls_; }
  TargetSpread spread() const;
  // --allowed, as it was given: with --command, it is an expression.
  const std::string& allowed() const { return allowed_; }
  // Throws Error(Exit::usage) for options that would have no effect: HTTP options without --target,
  // and with --target the options that choose a limiter or a Redis. Further such options of this
  // verb: those for a limiter in Redis, and those for HTTP.
  void check_company(const std::vector<std::string>& more_for_redis,
                     const std::vector<std::string>& more_for_http = {}) const;

  // The target as a scenario describes it. Error(Exit::usage).
  TargetSpec spec(std::int64_t timeout_us) const;
  // Each target, with what is for targets of its kind: HTTP, or a rate limit service.
  std::vector<TargetSpec> specs(std::int64_t timeout_us) const;
  // The transport: TLS, proxy and time-out. http_settings_for() completes it.
  HttpSettings transport(std::int64_t timeout_us, const TlsOptions& tls) const;

 private:
  void add_to(Options& app, const std::string& several);

  std::optional<Options> options_;  // all options of the verb
  std::vector<std::string> own_;    // the options added here
  std::vector<std::string> urls_;
  std::string spread_;
  std::string cost_from_;
  std::string method_;
  std::string body_;
  std::vector<std::string> headers_;
  std::string domain_;
  std::vector<std::string> descriptors_;
  std::string allowed_;
  std::string denied_ = "429";
  std::string source_ip_;
  std::string own_host_;
  std::string proxy_;
  std::string engine_;
  bool http2_ = false;
};

}  // namespace rlctl
