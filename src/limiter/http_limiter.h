// HttpLimiter: asks an HTTP service for decisions, for the virtual users of one HttpClient.
//
// Statuses mean allowed or denied. Every other answer is `unknown` and keeps its status: a 404, a
// 500 or a redirect (which is never followed) says nothing about the limit. Refused connections are
// `failed`. Retry-After, RateLimit and X-RateLimit-* are read into the decision; claims() counts
// what is wrong in them. Of Envoy's rate limit service, the message says all of that, and a call
// that fails, or says neither OK nor OVER_LIMIT, is `unknown`.
//
// Borrows all that it is given.
#pragma once

#include "io/http/http_client.h"
#include "limiter/http_login.h"
#include "limiter/limiter.h"
#include "log/header_claims.h"

namespace rlctl {

class HttpLimiter final : public Limiter {
 public:
  // `login`: of the target's clients; null if they need none.
  HttpLimiter(HttpClient& client, const HttpTarget& target, RequestNumbers& numbers,
              HttpLogin* login = nullptr)
      : client_(client), target_(target), numbers_(numbers), login_(login) {}

  // Without Attempt::identity, the client has no address and no name. The key is not used, and the
  // cost only by a rate limit service.
  Task<Decision> decide(const Attempt& attempt) override;

  const HeaderClaims& claims() const { return claims_; }

 private:
  void prepare(const Identity& identity, std::int64_t cost);
  Decision decision_of(const HttpExchange& exchange, const Identity& client);
  RateLimitFields read_http(const HttpExchange& exchange, Decision& decision);
  RateLimitFields read_rls(const HttpExchange& exchange, Decision& decision);
  std::string without_secrets(std::string text, const Identity& client) const;
  void note_date(const HttpExchange& exchange);
  void read_cost(const HttpExchange& exchange, Decision& decision);

  HttpClient& client_;
  const HttpTarget& target_;
  RequestNumbers& numbers_;
  HttpLogin* login_;
  // Of the last request: the next one is often the same.
  RequestValues values_;
  bool prepared_ = false;
  HttpQuestion request_;
  HeaderClaims claims_;
  std::string date_;  // of the last answer that had one
  std::optional<std::int64_t> date_us_;
};

// What to do about an answer that is no decision.
std::string http_hint(const Decision& decision);

}  // namespace rlctl
