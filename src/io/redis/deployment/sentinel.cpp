#include "io/redis/deployment/sentinel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "io/clock.h"
#include "io/redis/command.h"
#include "io/redis/redis_error.h"

namespace rlctl {
namespace {

constexpr std::int64_t kWatchUs = 500'000;
constexpr std::int64_t kPollUs = 2'000;  // while another client asks
// One that hangs must not hold up the others.
constexpr std::int64_t kSentinelAnswerUs = 500'000;

// A field of the flat list of names and values that SENTINEL MASTER returns.
std::string_view field_in(const Reply& reply, std::string_view name) {
  for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2)
    if (reply.elements[i].text == name) return reply.elements[i + 1].text;
  return {};
}

}  // namespace

std::optional<NamedMaster> read_named_master(const Reply& reply) {
  const std::string_view host = field_in(reply, "ip");
  const auto port = parse_whole<std::uint16_t>(field_in(reply, "port"));
  if (host.empty() || !port) return std::nullopt;
  const auto epoch = parse_whole<std::int64_t>(field_in(reply, "config-epoch"));
  const bool in_failover =
      field_in(reply, "flags").find("failover_in_progress") != std::string::npos;
  return NamedMaster{
      {std::string(host), *port}, std::max<std::int64_t>(0, epoch.value_or(0)), in_failover};
}

std::int64_t Sentinel::watch_interval_us() const { return kWatchUs; }

Endpoint Sentinel::endpoint_of(const NodeAddress& node) const {
  Endpoint endpoint = service_;
  endpoint.sentinels.clear();
  endpoint.service.clear();
  endpoint.host = node.host;
  endpoint.port = node.port;
  return endpoint;
}

// That one does not know the name says more than that another one is away.
void Sentinel::note_problem(const NodeAddress& sentinel, const Error& error) {
  if (name_is_unknown_) return;
  const std::string_view what = error.what();
  problem_ = escape_for_terminal(sentinel.text()) + ": " + error.what();
  remedy_ = error.hint();
  name_is_unknown_ = what.find("No such master") != what.npos;
  if (name_is_unknown_)
    remedy_ = fmt::format("check the name: redis-cli -h {} -p {} SENTINEL MASTERS",
                          escape_for_terminal(sentinel.host), sentinel.port);
  if (what.find("unknown command") != what.npos)
    remedy_ = "this is no Sentinel: give the address of one, or write redis:// for a single Redis";
}

// True if it answered, or if another try is of no use.
Task<bool> Sentinel::try_to_ask(Endpoint sentinel, NamedMaster& best) {
  if (asking_.is_open()) asking_.close("another Sentinel is asked");
  try {
    co_await asking_.connect(sentinel);
    const Reply reply =
        co_await rlctl::ask(asking_, encode_command("SENTINEL", "MASTER", service_.service));
    const auto named = read_named_master(reply);
    if (!named) throw Error(Exit::target, "its answer has no address of a master");
    const bool in_failover = best.in_failover || named->in_failover;
    if (named->epoch > best.epoch) best = *named;
    best.in_failover = in_failover;
    co_return true;
  } catch (const Error& error) {
    note_problem({sentinel.host, sentinel.port}, error);
    co_return std::string_view(error.what()).find("NOAUTH") == std::string_view::npos;
  }
}

// Most Sentinels want no password, and refuse one: only one that asks for it gets it.
Task<> Sentinel::ask(NodeAddress address, NamedMaster& best) {
  Endpoint sentinel = endpoint_of(address);
  sentinel.database = 0;
  sentinel.timeout_us = std::min(sentinel.timeout_us, kSentinelAnswerUs);
  Endpoint without_password = sentinel;
  without_password.user.clear();
  without_password.password.clear();
  const bool done = co_await try_to_ask(without_password, best);
  if (!done && !sentinel.password.empty()) co_await try_to_ask(sentinel, best);
}

Task<> Sentinel::ask_all() {
  asking_now_ = true;
  name_is_unknown_ = false;
  Told best{{}, now_us()};
  for (const NodeAddress& sentinel : service_.sentinels) co_await ask(sentinel, best.master);
  told_ = std::move(best);
  asking_now_ = false;
}

// Waits for a round that began at that time or later.
Task<> Sentinel::know_since(std::int64_t time_us) {
  while (told_.asked_us < time_us) {
    if (!asking_now_) co_await ask_all();
    if (asking_now_) co_await loop_.until(now_us() + kPollUs);
  }
}

Task<Endpoint> Sentinel::find() {
  co_await know_since(now_us());
  if (told_.master.epoch < 0)
    throw Error(Exit::target,
                "no Sentinel names the master " + in_quotes(service_.service) + "; " + problem_,
                remedy_);
  co_return endpoint_of(told_.master.address);
}

Task<> Sentinel::verify(Redis& connected) {
  const Exchange exchange = co_await connected.send(encode_command("ROLE"));
  if (exchange.state == Exchange::State::replied && is_permission_error(exchange.reply)) co_return;
  const Reply& role = reply_or_throw(exchange);
  if (!role.elements.empty() && role.elements.front().text == "master") co_return;
  throw Error(Exit::target,
              "the Sentinels name " + escape_for_terminal(told_.master.address.text()) +
                  " as the master of " + in_quotes(service_.service) + ", but it is a replica",
              "a failover is under way: try again in a moment");
}

Task<bool> Sentinel::has_left(Endpoint endpoint) {
  co_await know_since(now_us() - kWatchUs);
  co_return told_.master.epoch >= 0 &&
      told_.master.address != NodeAddress{endpoint.host, endpoint.port};
}

Task<std::string> Sentinel::why_moved(NodeAddress used) {
  co_await know_since(now_us());
  const NamedMaster& master = told_.master;
  if (master.epoch < 0) co_return "no Sentinel says which server is the master now: " + problem_;
  if (master.address != used)
    co_return escape_for_terminal(used.text()) + " was the master, now it is " +
        escape_for_terminal(master.address.text());
  co_return master.in_failover ? "a failover is under way" : "";
}

}  // namespace rlctl
