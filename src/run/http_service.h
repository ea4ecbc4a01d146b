// HttpService: an HTTP endpoint, or several that decide together, as a target. The service chooses
// its keys, so phases cannot have their own keys. One thread.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/http/http_client.h"
#include "io/loop.h"
#include "limiter/http_login.h"
#include "limiter/spread_limiter.h"
#include "run/target.h"
#include "scenario/scenario.h"

namespace rlctl {

class HttpService : public Target {
 public:
  // `transport`: TLS and proxy; the other settings come from the spec. Borrows the scenario.
  HttpService(Loop& loop, const Scenario& scenario, TargetSpec spec, HttpSettings transport);

  // Error(Exit::usage) if the spec is invalid.
  Task<> open() override;
  Task<> admit(PolicyPlay& policy, std::span<const Identity> clients) override;
  Task<std::unique_ptr<TargetUsers>> users(PolicyPlay& policy, UserPlan plan) override;
  std::string key_prefix() const override { return {}; }
  bool names_keys() const override { return false; }
  bool tells_clients_apart(const PolicySpec& policy) const override;
  const HeaderClaims* claims(const std::string& policy) const override;
  Task<std::string> close() override;

 protected:
  // What the users of a policy ask; with an empty name: of all policies without a route. `urls`:
  // instead of that of the spec.
  void add_route(const std::string& policy, const TargetSpec& spec,
                 const std::vector<std::string>& urls, TargetSpread spread);

  Loop& loop_;
  const Scenario& scenario_;
  TargetSpec spec_;

 private:
  class Users;
  struct Endpoint {
    HttpTarget target;
    std::unique_ptr<HttpPool> pool;
  };
  struct Route {
    std::vector<Endpoint> endpoints;
    TargetChoice choice;
    std::unique_ptr<HttpLogin> login;
    HeaderClaims claims;  // of users that have ended
  };

  Endpoint endpoint_of(TargetSpec spec, const std::string& url) const;
  const Route* route_of(const std::string& policy) const;
  Route& route_for(const PolicyPlay& policy);

  HttpSettings transport_;
  RequestNumbers numbers_;
  std::map<std::string, Route> routes_;
};

}  // namespace rlctl
