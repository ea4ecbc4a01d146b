// HttpService: an HTTP endpoint as a target. The service chooses its keys, so phases cannot have
// their own keys. One thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "io/http/http_client.h"
#include "io/loop.h"
#include "limiter/http_target.h"
#include "run/target.h"
#include "scenario/scenario.h"

namespace rlctl {

class HttpService : public Target {
 public:
  // `transport`: TLS and proxy; the other settings come from the spec.
  HttpService(Loop& loop, TargetSpec spec, HttpSettings transport);

  // Error(Exit::usage) if the spec is invalid.
  Task<> open() override;
  Task<std::unique_ptr<TargetUsers>> users(PolicyPlay& policy, UserPlan plan) override;
  std::string key_prefix() const override { return {}; }
  bool names_keys() const override { return false; }
  bool tells_clients_apart() const override { return varies_with_identity(spec_); }
  const HeaderClaims* claims(const std::string& policy) const override;
  Task<> close() override;

 protected:
  // The URL that the users of a policy ask; with an empty name: the URL for all policies without
  // one.
  void add_route(const std::string& policy, const std::string& url);

  Loop& loop_;
  TargetSpec spec_;

 private:
  class Users;
  struct Route {
    HttpTarget target;
    std::unique_ptr<HttpPool> pool;
    HeaderClaims claims;  // of users that have ended
  };

  HttpSettings transport_;
  std::map<std::string, Route> routes_;
};

}  // namespace rlctl
