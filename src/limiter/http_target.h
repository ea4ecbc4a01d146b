// HttpTarget: the requests to an HTTP service and how its answers are read; checked once, then
// shared by all users. Plain values.
#pragma once

#include <string>
#include <vector>

#include "base/status_set.h"
#include "io/environment.h"
#include "io/http/http_client.h"
#include "io/http/http_exchange.h"
#include "io/http/http_url.h"
#include "limiter/source_address.h"
#include "policy/answer_place.h"
#include "policy/request_text.h"
#include "policy/target.h"

namespace rlctl {

// A descriptor of a rate limit service: keys and values.
using RlsWords = std::vector<std::pair<std::string, RequestText>>;

struct HttpTarget {
  HttpUrl url;
  RequestText url_text;  // words in path and query are percent-encoded when filled
  std::string method;
  RequestText body;
  std::vector<std::pair<std::string, RequestText>> headers;  // not sent if the value is empty
  RequestText domain;                                        // rls
  std::vector<RlsWords> descriptors;  // rls; empty: it is no rate limit service
  StatusSet allowed;
  StatusSet denied;
  AnswerPlace cost_from;
  std::vector<std::pair<std::string, AnswerPlace>> captures;  // of a login, by name
  SourceAddress source;
  bool http2 = false;
  std::string own_host;              // the host that the user declares as theirs
  bool varies_with_client = false;   // requests differ between clients, without what they captured
  bool varies_always = false;        // each request differs
  std::vector<std::string> secrets;  // values that are never shown

  // The request of a client. Throws Error(Exit::usage) if a filled-in value would break out of its
  // header or is not a source address.
  HttpQuestion request_for(const RequestValues& values) const;

  // Where all requests go; null if clients have source addresses of their own.
  std::shared_ptr<const HttpPlace> place() const;

  // True for Envoy's rate limit service: the body of a request is its message, and not the status
  // but the message of the answer says what was decided.
  bool is_rls() const { return !descriptors.empty(); }

  // True if it reads the bodies of answers.
  bool reads_body() const;
};

// Throws Error(Exit::usage) for any mistake in it. Does not use the network. The login is not part
// of it, apart from the names that it captures.
HttpTarget http_target_from(const TargetSpec& spec,
                            const Environment& environment = environment_variable);
// Whether two clients have different requests, logins or source addresses.
bool tells_clients_apart(const TargetSpec& spec);
// The request of a step of the spec's login.
HttpTarget login_target_from(const TargetSpec& spec, std::size_t step);

// Completes the settings for that target: which parts of a response are kept, and where it may
// connect. Resolves the host, once for the whole run. Throws Error(Exit::usage) if one of its
// addresses is neither loopback nor private and the user did not declare the host as theirs;
// Error(Exit::target) if there is no address. Each connection's address is checked again before the
// connection is made. A proxy resolves names by itself, so behind a proxy only an address in the
// URL can be checked.
HttpSettings http_settings_for(const HttpTarget& target, HttpSettings settings);

}  // namespace rlctl
