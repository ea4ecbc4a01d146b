// HttpTarget: what is asked of an HTTP service, and how its answers are read: checked once, then
// shared by all users. Plain values.
#pragma once

#include <string>
#include <vector>

#include "base/status_set.h"
#include "io/http/http_client.h"
#include "io/http/http_exchange.h"
#include "io/http/http_url.h"
#include "limiter/source_address.h"
#include "policy/identity.h"
#include "scenario/scenario.h"

namespace rlctl {

struct HttpTarget {
  HttpUrl url;
  std::string url_template;  // <ip>, <user> and <n> in path and query, percent-encoded when filled
  std::string method;
  std::string body;                  // a template
  std::vector<std::string> headers;  // "Name: template"; an empty value is not sent
  StatusSet allowed;
  StatusSet denied;
  SourceAddress source;
  std::string own_host;  // that the user says is theirs
  bool varies = false;   // with the identity

  // The request of one identity. Error(Exit::usage) where what is filled in would break out of a
  // header or is no source address.
  HttpQuestion request_for(const Identity& identity) const;
};

// Error(Exit::usage) for whatever is wrong in it. Touches no network.
HttpTarget http_target_from(const TargetSpec& spec);

// Whether two identities give different requests, or come from different addresses.
// Error(Exit::usage) where a placeholder is unknown.
bool varies_with_identity(const TargetSpec& spec);

// Completes the settings for that target: what is kept of a response, and where it may connect.
// Resolves the host, once for the whole run, and throws Error(Exit::usage) when one of its
// addresses is neither loopback nor private and the user did not say that it is theirs;
// Error(Exit::target) when it has none. Each connection's address is looked at again before it is
// made. Behind a proxy, which resolves by itself, only an address in the URL is taken for what it
// is.
HttpSettings http_settings_for(const HttpTarget& target, HttpSettings settings);

}  // namespace rlctl
