#include "run/http_service.h"

#include <algorithm>
#include <utility>

#include "limiter/http_limiter.h"

namespace rlctl {

class HttpService::Users final : public TargetUsers {
 public:
  Users(Route& route, std::size_t users) : route_(route) {
    limiters_.reserve(users * route.endpoints.size());
    for (std::size_t user = 0; user < users; ++user) {
      std::vector<Limiter*> own;
      for (Endpoint& endpoint : route.endpoints)
        own.push_back(&limiters_.emplace_back(endpoint.pool->client_for_user(), endpoint.target));
      if (own.size() > 1) spread_.push_back(std::make_unique<SpreadLimiter>(own, route.choice));
    }
  }

  ~Users() override {
    for (const HttpLimiter& limiter : limiters_) route_.claims.add(limiter.claims());
  }

  std::vector<Limiter*> limiters() override {
    std::vector<Limiter*> limiters;
    for (const auto& limiter : spread_) limiters.push_back(limiter.get());
    if (!spread_.empty()) return limiters;
    for (HttpLimiter& limiter : limiters_) limiters.push_back(&limiter);
    return limiters;
  }

 private:
  Route& route_;
  std::vector<HttpLimiter> limiters_;                   // by user, then by endpoint
  std::vector<std::unique_ptr<SpreadLimiter>> spread_;  // by user; empty: there is one endpoint
};

HttpService::HttpService(Loop& loop, const Scenario& scenario, TargetSpec spec,
                         HttpSettings transport)
    : loop_(loop), scenario_(scenario), spec_(std::move(spec)), transport_(std::move(transport)) {}

TargetSpec HttpService::spec_with(const std::string& url) const {
  TargetSpec spec = spec_;
  spec.url = url;
  return spec;
}

HttpService::Endpoint HttpService::endpoint_of(const std::string& url) const {
  HttpTarget target = http_target_from(spec_with(url));
  HttpSettings settings = transport_;
  settings.timeout_us = spec_.timeout_us;
  auto pool = std::make_unique<HttpPool>(loop_, http_settings_for(target, std::move(settings)));
  return {std::move(target), std::move(pool)};
}

void HttpService::add_route(const std::string& policy, const std::vector<std::string>& urls,
                            TargetSpread spread) {
  std::vector<Endpoint> endpoints;
  for (const std::string& url : urls) endpoints.push_back(endpoint_of(url));
  routes_.emplace(
      policy, Route{std::move(endpoints), TargetChoice(spread, urls.size(), scenario_.seed), {}});
}

Task<> HttpService::open() {
  if (!spec_.url.empty()) add_route("", {spec_.url}, TargetSpread::round);
  for (const PolicySpec& policy : scenario_.policies)
    if (!policy.targets.empty()) add_route(policy.name, policy.targets, policy.spread);
  co_return;
}

bool HttpService::tells_clients_apart() const {
  if (varies_with_identity(spec_)) return true;
  return std::ranges::any_of(scenario_.policies, [&](const PolicySpec& policy) {
    return std::ranges::any_of(policy.targets, [&](const std::string& url) {
      return varies_with_identity(spec_with(url));
    });
  });
}

Task<std::unique_ptr<TargetUsers>> HttpService::users(PolicyPlay& policy, UserPlan plan) {
  const auto own = routes_.find(policy.spec().name);
  Route& route = own != routes_.end() ? own->second : routes_.at("");
  co_return std::make_unique<Users>(route, plan.users);
}

const HeaderClaims* HttpService::claims(const std::string& policy) const {
  const auto own = routes_.find(policy);
  const auto route = own != routes_.end() ? own : routes_.find("");
  return route != routes_.end() ? &route->second.claims : nullptr;
}

// Nothing to remove: the service owns its counters.
Task<> HttpService::close() { co_return; }

}  // namespace rlctl
