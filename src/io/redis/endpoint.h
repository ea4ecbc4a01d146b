// Endpoint: the address of a Redis, and the user and password for it. Fails with
// Error(Exit::usage), which never shows the password. Any thread.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/tls/tls_settings.h"

namespace rlctl {

class TlsClient;  // tls_client.h
struct NodeAddress {
  std::string host;
  std::uint16_t port = 0;

  // "127.0.0.1:7000" or "[::1]:7000", raw.
  std::string text() const;
  auto operator<=>(const NodeAddress&) const = default;
};

struct Endpoint;

// Connections to an endpoint lead here instead: a proxy. One thread.
class Detour {
 public:
  virtual ~Detour() = default;
  // Where to connect for this endpoint. What the server is asked, and by which name TLS knows it,
  // stays as the endpoint says.
  virtual Endpoint entrance(const Endpoint& endpoint) = 0;
};

// What a socket address holds.
inline constexpr std::size_t kLongestSocketPath = 107;

struct Endpoint {
  std::string unix_path;  // if not empty: a unix socket; host and port are unused
  std::string host = "127.0.0.1";
  std::uint16_t port = 6379;
  int database = 0;
  bool names_database = false;  // the URL did
  std::string user;
  std::string password;
  std::string password_file;           // it came from there; empty: it did not
  bool cluster = false;                // insists on a cluster
  std::vector<NodeAddress> others;     // nodes of the same cluster, if this one is away
  std::vector<NodeAddress> sentinels;  // if not empty: they know where `service` is
  std::string service;
  std::int64_t timeout_us = 2'000'000;  // for the connection and for each command

  std::shared_ptr<TlsClient> tls;  // null: no TLS
  std::shared_ptr<Detour> detour;  // null: none. A cluster's nodes and Sentinels share it

  // The same for another thread: what TLS connections share is for one. Without a detour.
  Endpoint for_another_thread() const;

  // "redis://127.0.0.1:6379/0", "rediss://h:6379" or "unix:///path?db=0", for messages. Never shows
  // user or password.
  std::string name() const;
};

// The options of rlctl that lead there as the same user, never with a password: " --redis
// redis://10.0.0.5:6379 --user ann". Empty: none is needed.
std::string options_for(const Endpoint& endpoint);

// A command for a person to run there: "rlctl inspect u1 --redis …". `words` are a shell's.
std::string rlctl_command(const std::string& words, const Endpoint& endpoint);

// "redis://[user:pass@]host[:port][,host[:port]…][/db]" (several: nodes of one cluster),
// "unix:///path[?db=N]",
// "redis+sentinel://[user:pass@]host[:port][,host[:port]…]/name[/db]" (the port of a Sentinel is
// 26379 if none is given; user and password are those of the master). rediss: and rediss+sentinel:
// speak TLS with these settings. Percent-encoding in user and password, [::1] for IPv6.
Endpoint parse_endpoint(std::string_view url, const TlsSettings& tls = {});

}  // namespace rlctl
