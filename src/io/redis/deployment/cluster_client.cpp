#include "io/redis/deployment/cluster_client.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "base/text.h"
#include "io/clock.h"
#include "io/redis/command.h"
#include "io/redis/redis_error.h"

namespace rlctl {
namespace {

constexpr std::int64_t kPauseUs = 25'000;
constexpr std::int64_t kLookAgainUs = 2'000;

void add_answer(Reply& all, const Reply& one, ResponsePolicy policy) {
  if (policy == ResponsePolicy::sum) all.integer += one.integer;
  if (policy != ResponsePolicy::logical_and) return;
  for (std::size_t i = 0; i < std::min(all.elements.size(), one.elements.size()); ++i)
    all.elements[i].integer = std::min(all.elements[i].integer, one.elements[i].integer);
}

CommandRoute route_for(const Exchange& exchange, std::string_view wire) {
  if (exchange.key.empty()) return route_of(wire);
  return {RequestPolicy::by_key, ResponsePolicy::first, exchange.key};
}

// The first that is not an answer; else all of them as one.
Exchange joined_answer(std::vector<Exchange>& answers, ResponsePolicy policy) {
  const auto failed =
      std::ranges::find_if(answers, [](const Exchange& one) { return !one.has_answer(); });
  if (failed != answers.end()) return std::move(*failed);
  Exchange& all = answers.front();
  for (std::size_t i = 1; i < answers.size(); ++i) {
    add_answer(all.reply, answers[i].reply, policy);
    all.received_us = std::max(all.received_us, answers[i].received_us);
  }
  return std::move(all);
}

// SCAN with another cursor.
std::string with_cursor(std::string_view wire, std::string_view cursor) {
  CommandWords words(wire);
  std::vector<std::string> command{std::string(words.next()), std::string(cursor)};
  words.next();
  for (std::string_view word = words.next(); word.data() != nullptr; word = words.next())
    command.emplace_back(word);
  return encode_command(command);
}

std::string cursor_of(std::string_view wire) {
  CommandWords words(wire);
  words.next();
  return std::string(words.next());
}

}  // namespace

Task<> ClusterClient::connect() {
  std::exception_ptr failure;
  bool reached = false;
  for (const ClusterShard& shard : std::vector(topology_->map().shards)) {
    try {
      Reconnecting& link = link_to(shard.master);
      if (!link.is_open()) co_await link.connect();
      reached = true;
    } catch (const Error&) {
      failure = std::current_exception();
    }
  }
  if (!reached && failure) std::rethrow_exception(failure);
  follow_map();
  // At once: a client that connects to a new master only when it has something to send fails first.
  follower_ = topology_->followed_by([this] { follow_map(); });
}

bool ClusterClient::is_open() const {
  return !serving_.empty() &&
         std::ranges::all_of(serving_, [](const Reconnecting* link) { return link->is_open(); });
}

// Kept as long as the client lives: commands may be in flight on a link whose node left the map.
Reconnecting& ClusterClient::link_to(const NodeAddress& node) {
  std::unique_ptr<Reconnecting>& link = links_[node];
  if (link) return *link;
  link = std::make_unique<Reconnecting>(loop_, topology_->endpoint_of(node));
  link->called(node.text());
  link->on_error(
      [this, here = node.host](Exchange& exchange) { return take_over(exchange, here); });
  return *link;
}

void ClusterClient::follow_map() {
  version_ = topology_->version();
  serving_.clear();
  for (const ClusterShard& shard : topology_->map().shards) {
    Reconnecting& link = link_to(shard.master);
    link.begin();
    serving_.push_back(&link);
  }
}

// For a slot that nobody serves: any node; it answers that.
Reconnecting& ClusterClient::serving(std::uint16_t slot) {
  if (version_ != topology_->version()) follow_map();
  const std::uint16_t shard = topology_->map().owner[slot];
  Reconnecting& link = *serving_[shard == ClusterMap::kNobody ? 0 : shard];
  if (!link.is_open()) topology_->doubt();
  return link;
}

void ClusterClient::settle_on(std::string_view key) {
  settled_ = key.empty() ? nullptr : &serving(slot_of(key));
}

std::vector<RedisServer> ClusterClient::servers() {
  if (version_ != topology_->version()) follow_map();
  std::vector<RedisServer> servers;
  for (std::size_t shard = 0; shard < serving_.size(); ++shard)
    servers.push_back({topology_->map().shards[shard].master.text(), serving_[shard]});
  return servers;
}

void ClusterClient::start(Exchange& exchange, std::string_view wire) {
  exchange.wire = {};
  if (settled_ != nullptr) return settled_->start(exchange, wire);
  const CommandRoute route = route_for(exchange, wire);
  if (route.request != RequestPolicy::by_key)
    return errands_.add(carry_out(exchange, route, std::string(wire)));
  exchange.wire = wire;
  serving(slot_of(route.key)).start(exchange, wire);
}

// Called for every error reply of a link. What this client sent itself has no `wire`.
bool ClusterClient::take_over(Exchange& exchange, const std::string& here) {
  if (redirection_in(exchange.reply, here).kind == Redirection::Kind::none) return false;
  topology_->doubt();
  if (exchange.wire.empty()) return false;
  errands_.add(chase(exchange, here));
  return true;
}

// Its first try counts as the moment at which it was sent: the later ones are no work of the
// caller.
Task<> ClusterClient::chase(Exchange& exchange, std::string here) {
  const std::int64_t sent_us = exchange.sent_us;
  const std::int64_t deadline_us = sent_us + timeout_us_;
  const std::uint16_t slot = slot_of(route_for(exchange, exchange.wire).key);
  Exchange answer = std::move(exchange);
  exchange.state = Exchange::State::pending;
  for (Redirection next = redirection_in(answer.reply, here);
       next.kind != Redirection::Kind::none && now_us() < deadline_us;
       next = redirection_in(answer.reply, here)) {
    if (next.kind == Redirection::Kind::later) co_await loop_.until(now_us() + kPauseUs);
    if (next.kind == Redirection::Kind::moved) topology_->learn(slot, next.node);
    if (next.kind != Redirection::Kind::later) here = next.node.host;
    answer = co_await send_to(next, slot, exchange.wire, deadline_us);
  }
  answer.sent_us = sent_us;
  finish(exchange, answer);
}

Task<Exchange> ClusterClient::send_to(Redirection place, std::uint16_t slot, std::string_view wire,
                                      std::int64_t deadline_us) {
  Reconnecting& link = place.kind == Redirection::Kind::later ? serving(slot) : link_to(place.node);
  link.begin();
  while (!link.is_open() && now_us() < deadline_us) co_await loop_.until(now_us() + kLookAgainUs);
  if (place.kind != Redirection::Kind::ask) co_return co_await link.send(wire);
  // ASKING is for the next command only: both go out together.
  std::vector<std::string> both{encode_command("ASKING"), std::string(wire)};
  std::vector<Exchange> answers = co_await send_all(link, std::move(both));
  co_return std::move(answers[1]);
}

void ClusterClient::finish(Exchange& exchange, Exchange& answer) {
  exchange.reply = std::move(answer.reply);
  exchange.problem = std::move(answer.problem);
  exchange.sent_us = answer.sent_us;
  exchange.received_us = answer.received_us;
  exchange.sent_on = true;
  exchange.state = answer.state;
  loop_.resume(exchange.waiter);
}

Task<> ClusterClient::carry_out(Exchange& exchange, CommandRoute route, std::string wire) {
  if (version_ != topology_->version()) follow_map();
  Exchange answer;
  if (route.request == RequestPolicy::scan) {
    answer = co_await scan(std::move(wire));
  } else if (route.request == RequestPolicy::all_shards) {
    std::vector<Exchange> answers = co_await ask_each(std::move(wire));
    answer = joined_answer(answers, route.response);
  } else {
    const auto open = std::ranges::find_if(serving_, &Reconnecting::is_open);
    Reconnecting& link = open == serving_.end() ? *serving_.front() : **open;
    answer = co_await link.send(wire);
  }
  finish(exchange, answer);
}

// In the order of serving_.
Task<std::vector<Exchange>> ClusterClient::ask_each(std::string wire) {
  const std::vector<Reconnecting*> shards = serving_;
  std::vector<Exchange> answers(shards.size());
  for (std::size_t i = 0; i < shards.size(); ++i) {
    answers[i].waiter = std::noop_coroutine();
    shards[i]->start(answers[i], wire);
  }
  for (Exchange& answer : answers) co_await UntilKnown{answer};
  co_return answers;
}

// The node at which a cursor stands; a new search begins at the first.
Task<std::string> ClusterClient::scan_position(std::string cursor) {
  if (cursor != "0") co_return cursor.substr(0, cursor.rfind('/'));
  silent_.clear();
  after_ = before_ = co_await ask_placement();
  co_return topology_->map().shards.front().master.text();
}

// The cursor at the beginning of the next node; "0" after the last.
std::string ClusterClient::after_node(const std::string& node) const {
  const NodeAddress here = read_node_address(node, "");
  for (const ClusterShard& shard : topology_->map().shards)
    if (here < shard.master) return shard.master.text() + "/0";
  return "0";
}

Task<Exchange> ClusterClient::scan(std::string wire) {
  const std::string cursor = cursor_of(wire);
  const std::string node = co_await scan_position(cursor);
  Reconnecting& link = link_to(read_node_address(node, ""));
  const std::string at_node = cursor == "0" ? "0" : cursor.substr(cursor.rfind('/') + 1);
  Exchange answer = co_await link.send(with_cursor(wire, at_node));
  if (answer.is_refused()) co_return answer;
  std::string next;
  if (answer.has_answer() && answer.reply.elements.size() == 2) {
    next = answer.reply.elements[0].text;
    next = next == "0" ? after_node(node) : node + "/" + next;
  } else {
    silent_.push_back(answer.problem);
    if (silent_.size() >= topology_->map().shards.size()) co_return answer;
    next = after_node(node);
    answer.state = Exchange::State::replied;
    answer.reply = {Reply::Type::array, 0, {}, {{}, {Reply::Type::array, 0, {}, {}}}};
  }
  answer.reply.elements[0] = {Reply::Type::string, 0, next, {}};
  if (next == "0") co_await end_scan();
  co_return answer;
}

// Each master is asked about its own slots: it knows first.
Task<ClusterClient::Placement> ClusterClient::ask_placement() {
  const std::vector<RedisServer> masters = servers();
  const std::vector<Exchange> answers = co_await ask_each(encode_command("CLUSTER", "NODES"));
  Placement placement;
  for (std::size_t i = 0; i < answers.size(); ++i)
    if (answers[i].has_answer())
      placement.slots[masters[i].name] = read_own_slots(answers[i].reply.text);
    else if (answers[i].is_refused())
      placement.refusal = answers[i].reply.text;
  co_return placement;
}

Task<> ClusterClient::end_scan() {
  co_await topology_->refresh();
  after_ = co_await ask_placement();
}

std::string ClusterClient::unseen_for_moves() const {
  std::set<int> open;
  for (const auto& [master, slots] : after_.slots)
    open.insert(slots.open.begin(), slots.open.end());
  if (!open.empty())
    return fmt::format("perhaps keys that are moving between nodes now, of slot {}",
                       fmt::join(open, ", "));
  if (before_ != after_) return "perhaps keys that moved between nodes meanwhile";
  if (after_.refusal.empty()) return "";
  return "perhaps keys that were moving between nodes: CLUSTER NODES: " +
         error_with_hint(after_.refusal);
}

std::string ClusterClient::unseen() const {
  std::vector<std::string> parts;
  for (const std::string& node : silent_)
    parts.push_back("the keys of " + escape_for_terminal(node));
  if (const int slots = topology_->map().uncovered(); slots > 0)
    parts.push_back(fmt::format("{} of {} slots, which no node serves", slots, kSlots));
  if (std::string moves = unseen_for_moves(); !moves.empty()) parts.push_back(std::move(moves));
  return joined(parts, "; ");
}

}  // namespace rlctl
