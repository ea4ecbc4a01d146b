// TLS with the server of a verb, be it Redis or an HTTP service: options -> TlsSettings. The names
// are redis-cli's, but for --cert-key: --key is the limiter's key.
#pragma once

#include <string>

#include "cli/options/options.h"
#include "io/redis/endpoint.h"
#include "io/tls/tls_settings.h"

namespace rlctl {

class TlsOptions {
 public:
  void add_to(Options& app);

  // The first option that was given; empty: none.
  std::string given() const;
  // The first call with --insecure warns on standard error. Error(Exit::usage).
  const TlsSettings& settings() const;
  // Makes the endpoint of --redis speak TLS for --tls. Error(Exit::usage) if options of TLS were
  // given for one that does not speak it.
  void apply_to(Endpoint& endpoint) const;

 private:
  TlsSettings settings_;
  bool tls_ = false;
  mutable bool warned_ = false;
};

}  // namespace rlctl
