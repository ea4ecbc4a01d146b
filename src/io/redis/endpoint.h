// Endpoint: the address of a Redis, and the user and password for it. Fails with
// Error(Exit::usage), which never shows the password. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "io/tls_settings.h"

namespace rlctl {

class TlsClient;  // tls_client.h

struct Endpoint {
  std::string unix_path;  // if not empty: a unix socket; host and port are unused
  std::string host = "127.0.0.1";
  std::uint16_t port = 6379;
  int database = 0;
  std::string user;
  std::string password;
  std::int64_t timeout_us = 2'000'000;  // for the connection and for each command

  std::shared_ptr<TlsClient> tls;  // null: no TLS

  // "redis://127.0.0.1:6379/0", "rediss://h:6379" or "unix:///path?db=0", for messages. Never shows
  // user or password.
  std::string name() const;
};

// "redis://[user:pass@]host[:port][/db]", "unix:///path[?db=N]"; percent-encoding in user and
// password, [::1] for IPv6. rediss:// speaks TLS with these settings.
Endpoint parse_endpoint(std::string_view url, const TlsSettings& tls = {});

}  // namespace rlctl
