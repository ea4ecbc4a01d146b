#include "cli/options/tls_options.h"

#include <memory>
#include <utility>

#include "base/error.h"
#include "cli/output/output.h"
#include "io/tls/tls_client.h"

namespace rlctl {

void TlsOptions::add_to(Options& app) {
  app.add_flag("--tls", tls_, "speak TLS with Redis, as with rediss://");
  app.add_option("--cacert", settings_.ca_file, "file of certificates to trust [the system's]")
      .type_name("FILE");
  app.add_option("--cert", settings_.cert_file, "client certificate to show to the server")
      .type_name("FILE");
  app.add_option("--cert-key", settings_.key_file, "private key of --cert [in the same file]")
      .type_name("FILE");
  app.add_option("--sni", settings_.sni,
                 "name to ask Redis for, and to expect in its certificate [the host]")
      .type_name("HOST");
  app.add_flag("--insecure", settings_.insecure, "accept any certificate");
}

std::string TlsOptions::given() const {
  for (const auto& [name, is_given] : {std::pair{"--tls", tls_},
                                       {"--cacert", !settings_.ca_file.empty()},
                                       {"--cert", !settings_.cert_file.empty()},
                                       {"--cert-key", !settings_.key_file.empty()},
                                       {"--sni", !settings_.sni.empty()},
                                       {"--insecure", settings_.insecure}})
    if (is_given) return name;
  return {};
}

const TlsSettings& TlsOptions::settings() const {
  if (!settings_.key_file.empty() && settings_.cert_file.empty())
    throw Error(Exit::usage, "--cert-key is the key of a client certificate",
                "add --cert FILE, or remove --cert-key");
  if (settings_.insecure && !settings_.ca_file.empty())
    throw Error(Exit::usage, "--insecure accepts any certificate, so --cacert has no effect",
                "remove one of them");
  if (settings_.insecure && !std::exchange(warned_, true))
    tell("--insecure: certificates are not checked, so any server could answer as the target");
  return settings_;
}

void TlsOptions::apply_to(Endpoint& endpoint) const {
  const std::string option = given();
  if (option.empty()) return;
  if (!endpoint.unix_path.empty())
    throw Error(Exit::usage, option + ": a unix socket speaks no TLS",
                "remove " + option + ", or give --redis rediss://host:port");
  if (tls_ && !endpoint.tls) endpoint.tls = std::make_shared<TlsClient>(settings());
  if (!endpoint.tls)
    throw Error(Exit::usage, option + " is only for TLS",
                "add --tls, or write rediss:// instead of redis://");
}

}  // namespace rlctl
