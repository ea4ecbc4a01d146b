// HttpLimiter: asks an HTTP service for decisions, for one virtual user.
//
// Statuses mean allowed or denied. Every other answer is `unknown` and keeps its status: a 404, a
// 500 or a redirect (which is never followed) says nothing about the limit. Refused connections are
// `failed`. Retry-After, RateLimit and X-RateLimit-* are read into the decision; claims() counts
// what is wrong in them.
//
// Borrows the client and the target, which must outlive it.
#pragma once

#include "io/http/http_client.h"
#include "limiter/http_target.h"
#include "limiter/limiter.h"
#include "log/header_claims.h"

namespace rlctl {

class HttpLimiter final : public Limiter {
 public:
  HttpLimiter(HttpClient& client, const HttpTarget& target) : client_(client), target_(target) {}

  // Without Attempt::identity, the client has no address and no name. The key is not used.
  Task<Decision> decide(Attempt attempt) override;

  const HeaderClaims& claims() const { return claims_; }

 private:
  void prepare(const Identity& identity);
  void read(const HttpExchange& exchange, Decision& decision);
  void read_cost(const HttpExchange& exchange, Decision& decision);

  HttpClient& client_;
  const HttpTarget& target_;
  Identity prepared_for_;
  bool prepared_ = false;
  HttpQuestion request_;
  HeaderClaims claims_;
};

}  // namespace rlctl
