#include "run/bench/service_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>

#include "arrivals/identity_set.h"
#include "io/clock.h"
#include "limiter/http_limiter.h"
#include "run/bench/bench_run.h"
#include "run/leftovers.h"
#include "run/play_clock.h"
#include "run/policy_play.h"

namespace rlctl {
namespace {

// Virtual users of a service, each with a request in flight.
class ServiceContestant final : public Contestant {
 public:
  ServiceContestant(Loop& loop, std::string name, const BenchedService& service, std::size_t users,
                    const Shard& shard)
      : Contestant(std::move(name), {}, kUnknownClockUs),
        target_(service.target),
        numbers_(shard.index, shard.count),
        pool_(loop, service.settings) {
    for (std::size_t user = 0; user < users; ++user)
      users_.push_back(&limiters_.emplace_back(pool_.client_for_user(), target_, numbers_));
  }

  bool is_service() const override { return true; }
  // Connects, so that no request of a measurement waits for it.
  Task<> open() {
    if (const auto place = target_.place()) co_await pool_.prepare(place, users_.size());
  }

 private:
  HttpTarget target_;
  RequestNumbers numbers_;
  HttpPool pool_;
  std::deque<HttpLimiter> limiters_;
};

IdentitySpec new_clients(const std::string& run_id) {
  IdentitySpec spec;
  spec.ip = "10.0.0.0/8";
  spec.user = run_id + "-<n>";
  return spec;
}

class ServiceBench final : public BenchRun {
 public:
  ServiceBench(Loop& loop, std::span<const BenchedService> services, const BenchPlan& plan,
               BenchProgress& progress, const LogSink& sink)
      : BenchRun(loop, plan, progress, sink),
        services_(services),
        clients_(new_clients(plan.run_id)),
        // Those of the bench before may still have open windows.
        next_client_(static_cast<std::int64_t>(std::hash<std::string>()(plan.run_id) >> 34U)) {}

 private:
  Task<> open() override;
  Contestant& contestant(std::size_t number) override { return *contestants_[number]; }
  std::vector<Mix> mixes_of(std::size_t number) const override;
  BenchClients clients_of(const Contestant& contestant, const std::string& group,
                          std::int64_t count) override;
  Task<> settle(std::size_t number, BenchProblem problem) override;
  Task<> attack_all() override;
  Task<> close() override;

  AttackRun prepared(std::size_t number);
  Task<> attack_one_client(AttackRun& run);

  std::span<const BenchedService> services_;
  IdentitySet clients_;
  std::int64_t next_client_;
  std::vector<std::unique_ptr<ServiceContestant>> contestants_;
};

Task<> ServiceBench::open() {
  result_.of_services = true;
  if (std::ranges::none_of(services_, &BenchedService::tells_clients_apart)) result_.keys = 1;
  start_threads();
  for (const BenchedService& service : services_) {
    const std::string name = own_name(service.name);
    add_result(name);
    const auto enter = [&](Loop& loop, std::size_t thread) {
      return std::make_unique<ServiceContestant>(
          loop, name, service, static_cast<std::size_t>(users_of(thread)),
          Shard{static_cast<std::uint32_t>(thread + 1), static_cast<std::uint32_t>(plan_.threads)});
    };
    contestants_.push_back(enter(loop_, 0));
    co_await contestants_.back()->open();
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      auto other = enter(threads_[i]->loop(), i + 1);
      threads_[i]->loop().run(other->open());
      threads_[i]->add(std::move(other));
    }
  }
}

std::vector<Mix> ServiceBench::mixes_of(std::size_t number) const {
  if (services_[number].tells_clients_apart) return {Mix::admitted, Mix::denied};
  return {Mix::denied};
}

BenchClients ServiceBench::clients_of(const Contestant& contestant, const std::string& group,
                                      std::int64_t count) {
  std::size_t number = 0;
  while (contestants_[number].get() != &contestant) ++number;
  BenchClients clients;
  for (std::int64_t i = 0; i < (services_[number].tells_clients_apart ? count : 1); ++i) {
    clients.keys.push_back(
        fmt::format("{}{}:{}:{:06}", key_prefix_of_run(plan_.run_id), number + 1, group, i));
    clients.identities.push_back(clients_.at(next_client_++));
  }
  return clients;
}

Task<> ServiceBench::settle(std::size_t number, BenchProblem problem) {
  BenchProblem& told = result_.algorithms[number].failed;
  if (told.empty()) told = std::move(problem);
  co_return;
}

AttackRun ServiceBench::prepared(std::size_t number) {
  AttackRun run = prepare_attack(*contestants_[number], plan_.policy,
                                 fmt::format("{}{}:", key_prefix_of_run(plan_.run_id), number + 1));
  for (std::size_t i = 0; i < run.log.keys.size(); ++i)
    run.identities.push_back(clients_.at(next_client_++));
  return run;
}

Task<> ServiceBench::attack_all() {
  std::vector<AttackRun> runs;
  std::vector<AttackRun*> together;
  for (std::size_t i = 0; i < contestants_.size(); ++i) runs.push_back(prepared(i));
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (plays(i) && services_[i].tells_clients_apart) together.push_back(&runs[i]);
  if (!together.empty()) {
    begin_step("attacks on all at once");
    co_await attack_on_wall_clock(loop_, together, now_us() + plan_.policy.window_us / 20);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!plays(i)) continue;
    if (!services_[i].tells_clients_apart) co_await attack_one_client(runs[i]);
    co_await finish_attack(i, runs[i]);
  }
}

// All attacks are of this client, and those before it were of others, or of it in its last window.
Task<> ServiceBench::attack_one_client(AttackRun& run) {
  const std::int64_t pause_us = plan_.policy.window_us * 21 / 20;
  WallClock clock(loop_);
  AttackRun* const alone[] = {&run};
  for (const Attack attack : kAttacks) {
    if (stopped() || !run.problem.empty()) co_return;
    begin_step(fmt::format("{} attack on {}", name_of(attack), run.contestant->name()));
    co_await clock.until(now_us() + pause_us);
    co_await attack_on_wall_clock(loop_, alone, now_us() + plan_.policy.window_us / 20,
                                  std::span(&attack, 1));
  }
}

Task<> ServiceBench::close() {
  for (std::size_t i = 0; i < contestants_.size(); ++i)
    if (!services_[i].tells_clients_apart && result_.algorithms[i].failed.empty())
      result_.algorithms[i].remark = fmt::format(
          "all requests to {} are of one client, so that admitted traffic was not measured, and "
          "the attacks came one after the other: a word such as <user> or <ip>, or --source-ip "
          "127.0.0.0/8 on this machine, makes each key a client of its own",
          result_.algorithms[i].name);
  co_return;
}

}  // namespace

BenchResult bench_services(Loop& loop, std::span<const BenchedService> services,
                           const BenchPlan& plan, BenchProgress& progress, const LogSink& sink) {
  // Created here, not in a coroutine: its connections must outlive the coroutines that they resume.
  ServiceBench bench(loop, services, plan, progress, sink);
  return loop.run(bench.run());
}

// attack.h has the lengths of the three.
std::int64_t attacks_on_services_us(std::span<const BenchedService> services,
                                    const Policy& policy) {
  std::int64_t windows = 0;
  for (const BenchedService& service : services)
    if (!service.tells_clients_apart) windows += 14;
  if (std::ranges::any_of(services, &BenchedService::tells_clients_apart)) windows += 5;
  return windows * policy.window_us;
}

}  // namespace rlctl
