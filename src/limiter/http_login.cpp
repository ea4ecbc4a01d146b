#include "limiter/http_login.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/escape.h"
#include "io/clock.h"
#include "limiter/http_limiter.h"

namespace rlctl {
namespace {

constexpr std::size_t kMostAtOnce = 16;

std::string who(const Identity& client) {
  if (!client.user.empty()) return " of " + in_quotes(client.user);
  return client.ip.empty() ? "" : " of " + in_quotes(client.ip);
}

[[noreturn]] void fail(const HttpTarget& target, const Identity& client, const std::string& what,
                       const std::string& hint) {
  throw Error(Exit::target,
              "the login" + who(client) + ", " + target.method + " " +
                  escape_for_terminal(target.url.shown) + ": " + what,
              hint);
}

// Clients that log in at the same time take them from a common list.
struct Queue {
  std::vector<Identity> clients;
  std::size_t next = 0;
  std::optional<Error> problem;
  std::size_t working = 0;
  Latch done;
};

}  // namespace

HttpLogin::HttpLogin(Loop& loop, const TargetSpec& spec, const HttpSettings& transport,
                     RequestNumbers& numbers)
    : loop_(loop), numbers_(numbers) {
  for (std::size_t i = 0; i < spec.login.size(); ++i) {
    HttpTarget target = login_target_from(spec, i);
    const std::int64_t again_us = spec.login[i].again_us;
    if (again_us > 0) again_us_ = again_us_ > 0 ? std::min(again_us_, again_us) : again_us;
    HttpSettings settings = transport;
    settings.timeout_us = spec.timeout_us;
    settings = http_settings_for(target, std::move(settings));
    steps_.push_back({std::move(target), std::make_unique<HttpPool>(loop, std::move(settings))});
  }
}

bool HttpLogin::varies_with_client() const {
  return std::ranges::any_of(steps_,
                             [](const Step& step) { return step.target.varies_with_client; });
}

std::string HttpLogin::name_of(const Identity& client) const {
  if (!varies_with_client()) return {};
  return std::to_string(client.n) + '\0' + client.ip + '\0' + client.user;
}

const CapturedValues& HttpLogin::values_of(const Identity& client) const {
  static const CapturedValues kNothing;
  const auto found = sessions_.find(name_of(client));
  return found != sessions_.end() ? found->second.values : kNothing;
}

Task<> HttpLogin::send(Step& step, RequestValues& values, CapturedValues& captured) {
  numbers_.number(values);
  const HttpQuestion request = step.target.request_for(values);
  const HttpExchange answer = co_await step.pool->client_for_user().send(request);
  if (answer.state != HttpExchange::State::replied)
    fail(step.target, values.client, answer.problem,
         http_hint({.outcome = Outcome::failed, .problem = answer.problem}));
  if (answer.status / 100 != 2)
    fail(step.target, values.client, "status " + std::to_string(answer.status),
         answer.status == 429 ? "logins are limited too: use fewer clients"
                              : "check its URL, method, headers and body");
  for (const auto& [name, place] : step.target.captures) {
    std::optional<std::string> value = text_at(place, answer.fields, answer.body);
    if (!value || value->empty())
      fail(step.target, values.client, "the answer has no value to capture as <" + name + ">",
           "check \"capture\"");
    captured.emplace_back(name, std::move(*value));
  }
}

Task<> HttpLogin::log_in_one(Identity client, Session& session) {
  CapturedValues captured;
  RequestValues values{std::move(client)};
  values.captured = &captured;
  for (Step& step : steps_) co_await send(step, values, captured);
  session.values = std::move(captured);
  session.old_at_us = now_us() + again_us_;
}

Task<> HttpLogin::renew_if_old(const Identity& client) {
  const auto found = sessions_.find(name_of(client));
  if (found == sessions_.end() || now_us() < found->second.old_at_us) co_return;
  Session& session = found->second;
  session.old_at_us = std::numeric_limits<std::int64_t>::max();
  try {
    co_await log_in_one(client, session);
  } catch (const Error&) {
    session.old_at_us = 0;
    throw;
  }
}

Task<> HttpLogin::log_in(std::span<const Identity> clients) {
  Queue queue{{}, 0, {}, 0, Latch(loop_)};
  for (const Identity& client : clients)
    if (sessions_.try_emplace(name_of(client)).second) queue.clients.push_back(client);
  const auto work = [](HttpLogin& self, Queue& shared) -> Task<> {
    while (shared.next < shared.clients.size() && !shared.problem) {
      const Identity client = shared.clients[shared.next++];
      try {
        co_await self.log_in_one(client, self.sessions_[self.name_of(client)]);
      } catch (const Error& error) {
        if (!shared.problem) shared.problem = error;
      }
    }
    if (--shared.working == 0) shared.done.open();
  };
  queue.working = std::min(kMostAtOnce, queue.clients.size());
  if (queue.working == 0) co_return;
  for (std::size_t i = queue.working; i > 0; --i) loop_.spawn(work(*this, queue));
  co_await queue.done.opened();
  if (queue.problem) throw *queue.problem;
}

}  // namespace rlctl
