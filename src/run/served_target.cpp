#include "run/served_target.h"

#include <utility>

#include "limiter/wrapper.h"

namespace rlctl {
namespace {

constexpr std::int64_t kGraceUs = 1'000'000;

TargetSpec spec_of(const Scenario& scenario) {
  TargetSpec spec = scenario.target;
  if (spec.headers.empty()) spec.headers = {{"X-Forwarded-For", "<ip>"}, {"X-User-Id", "<user>"}};
  if (spec.trusted_proxies.empty()) spec.trusted_proxies = {"127.0.0.0/8"};
  return spec;
}

std::string path_of(std::size_t policy) { return "/policy/" + std::to_string(policy); }

}  // namespace

ServedTarget::ServedTarget(Loop& loop, const Scenario& scenario, const Registry& registry,
                           EmbeddedSpec embedded, std::string run_id)
    : HttpService(loop, scenario, spec_of(scenario), {}),
      registry_(registry),
      redis_(loop, std::nullopt, std::move(embedded), std::move(run_id)) {
  if (scenario.needs_proxy()) redis_.go_through_proxy(scenario.seed);
}

ServePlan ServedTarget::make_plan() const {
  ServePlan plan;
  plan.on_error = spec_.on_error;
  for (const std::string& proxy : spec_.trusted_proxies)
    plan.trusted_proxies.push_back(parse_host_network(proxy, "trusted_proxies"));
  for (std::size_t i = 0; i < scenario_.policies.size(); ++i) {
    const PolicySpec& policy = scenario_.policies[i];
    Script script =
        registry_.find(policy.script.empty() ? policy.algorithm : policy.script, policy.manifest);
    plan.routes.push_back({path_of(i), std::move(script), policy.policy, policy.run});
  }
  return plan;
}

Task<> ServedTarget::open() {
  co_await redis_.open();
  server_ = std::make_unique<GuardedServer>(loop_, redis_.deployment(), make_plan());
  co_await server_->start();
  for (std::size_t i = 0; i < scenario_.policies.size(); ++i)
    add_route(scenario_.policies[i].name, spec_, {server_->url() + path_of(i)},
              TargetSpread::round);
}

Task<std::string> ServedTarget::close() {
  co_await server_->stop(kGraceUs);
  co_return co_await redis_.close();
}

}  // namespace rlctl
