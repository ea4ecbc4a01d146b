// HttpTarget: the requests to an HTTP service and how its answers are read; checked once, then
// shared by all users. Plain values.
#pragma once

#include <string>
#include <vector>

#include "base/status_set.h"
#include "io/http/http_client.h"
#include "io/http/http_exchange.h"
#include "io/http/http_url.h"
#include "limiter/cost_source.h"
#include "limiter/source_address.h"
#include "policy/identity.h"
#include "policy/target.h"

namespace rlctl {

struct HttpTarget {
  HttpUrl url;
  std::string url_template;  // <ip>, <user> and <n> in path and query, percent-encoded when filled
  std::string method;
  std::string body;                  // a template
  std::vector<std::string> headers;  // "Name: template"; not sent if the value is empty
  StatusSet allowed;
  StatusSet denied;
  CostSource cost_from;
  SourceAddress source;
  std::string own_host;  // the host that the user declares as theirs
  bool varies = false;   // true: requests differ between identities

  // The request of one identity. Throws Error(Exit::usage) if a filled-in value would break out of
  // its header or is not a source address.
  HttpQuestion request_for(const Identity& identity) const;
};

// Throws Error(Exit::usage) for any mistake in it. Does not use the network.
HttpTarget http_target_from(const TargetSpec& spec);

// Whether two identities have different requests or source addresses. Throws Error(Exit::usage) for
// an unknown placeholder.
bool varies_with_identity(const TargetSpec& spec);

// Completes the settings for that target: which parts of a response are kept, and where it may
// connect. Resolves the host, once for the whole run. Throws Error(Exit::usage) if one of its
// addresses is neither loopback nor private and the user did not declare the host as theirs;
// Error(Exit::target) if there is no address. Each connection's address is checked again before the
// connection is made. A proxy resolves names by itself, so behind a proxy only an address in the
// URL can be checked.
HttpSettings http_settings_for(const HttpTarget& target, HttpSettings settings);

}  // namespace rlctl
