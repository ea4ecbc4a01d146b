// TlsSettings: whom a client trusts, and who it says it is. Plain values, for Redis and HTTP alike.
#pragma once

#include <string>

namespace rlctl {

struct TlsSettings {
  std::string ca_file{};    // certificates to trust, as PEM; empty: the system's
  std::string cert_file{};  // the client's own certificate, as PEM; empty: none
  std::string key_file{};   // its private key; empty: it is in cert_file
  std::string sni{};        // Redis: the name to ask for and to expect; empty: the host
  bool insecure = false;    // accept any certificate
};

}  // namespace rlctl
