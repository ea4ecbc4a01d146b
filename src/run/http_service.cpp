#include "run/http_service.h"

#include <utility>
#include <vector>

#include "limiter/http_limiter.h"

namespace rlctl {

class HttpService::Users final : public TargetUsers {
 public:
  Users(Route& route, std::size_t users) : route_(route) {
    limiters_.reserve(users);
    for (std::size_t i = 0; i < users; ++i)
      limiters_.emplace_back(route.pool->client_for_user(), route.target);
  }

  ~Users() override {
    for (const HttpLimiter& limiter : limiters_) route_.claims.add(limiter.claims());
  }

  std::vector<Limiter*> limiters() override {
    std::vector<Limiter*> limiters;
    for (HttpLimiter& limiter : limiters_) limiters.push_back(&limiter);
    return limiters;
  }

 private:
  Route& route_;
  std::vector<HttpLimiter> limiters_;
};

HttpService::HttpService(Loop& loop, TargetSpec spec, HttpSettings transport)
    : loop_(loop), spec_(std::move(spec)), transport_(std::move(transport)) {}

void HttpService::add_route(const std::string& policy, const std::string& url) {
  TargetSpec spec = spec_;
  spec.url = url;
  HttpTarget target = http_target_from(spec);
  HttpSettings settings = transport_;
  settings.timeout_us = spec_.timeout_us;
  auto pool = std::make_unique<HttpPool>(loop_, http_settings_for(target, std::move(settings)));
  routes_.emplace(policy, Route{std::move(target), std::move(pool), {}});
}

Task<> HttpService::open() {
  add_route("", spec_.url);
  co_return;
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
