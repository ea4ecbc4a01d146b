#include "run/http_service.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "limiter/http_limiter.h"

namespace rlctl {

class HttpService::Users final : public TargetUsers {
 public:
  Users(Route& route, std::size_t users, RequestNumbers& numbers) : route_(route) {
    const HttpClient* last = nullptr;
    for (std::size_t user = 0; user < users; ++user) {
      std::vector<HttpClient*> clients;
      for (const Endpoint& endpoint : route.endpoints)
        clients.push_back(&endpoint.pool->client_for_user());
      if (clients.front() != last) add_limiter(clients, numbers);
      last = clients.front();
      of_users_.push_back(shared_.back());
    }
  }

  ~Users() override {
    for (const HttpLimiter& limiter : limiters_) route_.claims.add(limiter.claims());
  }

  std::vector<Limiter*> limiters() override { return of_users_; }

 private:
  // For users that share these clients, one for each endpoint.
  void add_limiter(const std::vector<HttpClient*>& clients, RequestNumbers& numbers) {
    HttpLogin* login = route_.login->is_needed() ? route_.login.get() : nullptr;
    std::vector<Limiter*> own;
    for (std::size_t i = 0; i < clients.size(); ++i)
      own.push_back(
          &limiters_.emplace_back(*clients[i], route_.endpoints[i].target, numbers, login));
    shared_.push_back(own.front());
    if (own.size() > 1) shared_.back() = &spread_.emplace_back(std::move(own), route_.choice);
  }

  Route& route_;
  std::deque<HttpLimiter> limiters_;  // by client, then by endpoint
  std::deque<SpreadLimiter> spread_;  // by client; empty: there is one endpoint
  std::vector<Limiter*> shared_;      // by client
  std::vector<Limiter*> of_users_;
};

HttpService::HttpService(Loop& loop, const Scenario& scenario, TargetSpec spec,
                         HttpSettings transport)
    : loop_(loop),
      scenario_(scenario),
      spec_(std::move(spec)),
      transport_(std::move(transport)),
      numbers_(scenario.shard.index, scenario.shard.count) {
  transport_.keeps_lone_date = !scenario.shard.is_whole();  // it tells how far clocks differ
}

HttpService::Endpoint HttpService::endpoint_of(TargetSpec spec, const std::string& url) const {
  spec.url = url;
  HttpTarget target = http_target_from(spec);
  HttpSettings settings = transport_;
  settings.timeout_us = spec.timeout_us;
  auto pool = std::make_unique<HttpPool>(loop_, http_settings_for(target, std::move(settings)));
  return {std::move(target), std::move(pool)};
}

void HttpService::add_route(const std::string& policy, const TargetSpec& spec,
                            const std::vector<std::string>& urls, TargetSpread spread) {
  std::vector<Endpoint> endpoints;
  for (const std::string& url : urls) endpoints.push_back(endpoint_of(spec, url));
  routes_.emplace(policy, Route{std::move(endpoints),
                                TargetChoice(spread, urls.size(), scenario_.seed,
                                             scenario_.shard.index, scenario_.shard.count),
                                std::make_unique<HttpLogin>(loop_, spec, transport_, numbers_),
                                {}});
}

Task<> HttpService::open() {
  if (!spec_.url.empty()) add_route("", spec_, {spec_.url}, TargetSpread::round);
  for (const PolicySpec& policy : scenario_.policies) {
    const TargetSpec& spec = policy.route ? *policy.route : spec_;
    if (!policy.targets.empty())
      add_route(policy.name, spec, policy.targets, policy.spread);
    else if (policy.route)
      add_route(policy.name, spec, {spec.url}, TargetSpread::round);
  }
  co_return;
}

const HttpService::Route* HttpService::route_of(const std::string& policy) const {
  const auto own = routes_.find(policy);
  const auto route = own != routes_.end() ? own : routes_.find("");
  return route != routes_.end() ? &route->second : nullptr;
}

HttpService::Route& HttpService::route_for(const PolicyPlay& policy) {
  return const_cast<Route&>(*route_of(policy.spec().name));
}

bool HttpService::tells_clients_apart(const PolicySpec& policy) const {
  return rlctl::tells_clients_apart(policy.route ? *policy.route : spec_) ||
         std::ranges::any_of(policy.targets, names_client);
}

Task<> HttpService::admit(PolicyPlay& policy, std::span<const Identity> clients) {
  co_await route_for(policy).login->log_in(clients);
}

Task<std::unique_ptr<TargetUsers>> HttpService::users(PolicyPlay& policy, UserPlan plan) {
  Route& route = route_for(policy);
  auto users = std::make_unique<Users>(route, plan.users, numbers_);
  const std::size_t targets = route.endpoints.size();
  for (const Endpoint& endpoint : route.endpoints)
    if (const auto place = endpoint.target.place())
      co_await endpoint.pool->prepare(place, (plan.at_once + targets - 1) / targets);
  co_return users;
}

const HeaderClaims* HttpService::claims(const std::string& policy) const {
  const Route* route = route_of(policy);
  return route != nullptr ? &route->claims : nullptr;
}

// Nothing to remove: the service owns its counters.
Task<std::string> HttpService::close() { co_return std::string(); }

}  // namespace rlctl
