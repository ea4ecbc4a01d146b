// Which HTTP service a verb speaks to: options -> TargetSpec, HttpTarget and HttpSettings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "limiter/http_target.h"
#include "scenario/scenario.h"

namespace rlctl {

class HttpOptions {
 public:
  void add_to(Options& app);

  bool given() const { return !url_.empty(); }
  // Nothing that is typed may go without effect: Error(Exit::usage) for what is said of a service
  // without --target, and beside it for what says which limiter in which Redis. `more`: such
  // options of the verb alone.
  void check_company(const std::vector<std::string>& more) const;

  // As a scenario would say it. Error(Exit::usage).
  TargetSpec spec(std::int64_t timeout_us) const;
  // How to get there, TLS and proxy: what a scenario's HTTP target gets too. Warns on stderr of
  // --insecure; http_settings_for() completes it.
  HttpSettings transport(std::int64_t timeout_us) const;

 private:
  std::optional<Options> options_;  // of the verb
  std::vector<std::string> own_;    // those of them that are added here
  std::string url_;
  std::string method_;
  std::string body_;
  std::vector<std::string> headers_;
  std::string allowed_ = "2xx";
  std::string denied_ = "429";
  std::string source_ip_;
  std::string own_host_;
  std::string ca_file_;
  std::string proxy_;
  bool insecure_ = false;
  bool http2_ = false;
};

}  // namespace rlctl
