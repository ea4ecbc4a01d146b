#include "tools/redis_tls.h"

#include <stdexcept>

#include "tools/free_port.h"

namespace rlctl::test {

std::uint16_t open_tls_port(
    const std::function<std::string(const std::vector<std::string>&)>& command,
    const TestAuthority& authority, const TlsPort& wanted) {
  const IssuedFiles files = authority.issue(wanted.names, wanted.days);
  const std::string set =
      command({"CONFIG", "SET", "tls-ca-cert-file", authority.file(), "tls-auth-clients",
               wanted.wants_client, "tls-cert-file", files.certificate, "tls-key-file", files.key});
  if (set != "OK") throw std::runtime_error("redis-server takes no certificate: " + set);
  for (int attempt = 0; attempt < 20; ++attempt) {
    const std::uint16_t port = free_port();
    if (command({"CONFIG", "SET", "tls-port", std::to_string(port)}) == "OK") return port;
  }
  throw std::runtime_error("no port for redis-server");
}

}  // namespace rlctl::test
