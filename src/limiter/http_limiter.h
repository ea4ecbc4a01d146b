// HttpLimiter: an HTTP service that decides, asked by one virtual user.
//
// Allowed and denied are statuses; every other answer is `unknown`, with its status kept: a 404, a
// 500 or a redirect (which is never followed) says nothing about the limit. Refused connections are
// `failed`. Retry-After, RateLimit and X-RateLimit-* are read into the decision; what is odd about
// them is counted in claims().
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

  // Without Attempt::identity, a client without address and name. The key is not used.
  Task<Decision> decide(Attempt attempt) override;

  const HeaderClaims& claims() const { return claims_; }

 private:
  void prepare(const Identity& identity);
  void read(const HttpExchange& exchange, Decision& decision);

  HttpClient& client_;
  const HttpTarget& target_;
  Identity prepared_for_;
  bool prepared_ = false;
  HttpQuestion request_;
  HeaderClaims claims_;
};

}  // namespace rlctl
