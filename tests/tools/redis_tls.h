// Makes a running redis-server speak TLS. Throws std::runtime_error if it refuses.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/test_authority.h"

namespace rlctl::test {

// What the certificate says, and whom the server accepts.
struct TlsPort {
  std::string names{"IP:127.0.0.1"};
  std::string wants_client = "no";  // or "yes": a certificate of the same authority
  long days = 2;                    // of the certificate
};

// `command` sends a command to the server and returns the text of its reply. Returns the port.
std::uint16_t open_tls_port(
    const std::function<std::string(const std::vector<std::string>&)>& command,
    const TestAuthority& authority, const TlsPort& wanted = {});

}  // namespace rlctl::test
