#include "io/http/h2_client.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/units.h"
#include "io/clock.h"

namespace rlctl {
namespace {

void fail(HttpExchange& exchange, const std::string& problem) {
  exchange.problem = problem;
  exchange.state = HttpExchange::State::not_sent;
}

// How a request ends whose connection has ended.
void lose(HttpExchange& exchange, const std::string& problem) {
  if (exchange.sent_us == 0)
    return fail(exchange, problem.empty() ? "the server closed the connection" : problem);
  exchange.state = HttpExchange::State::lost;
  exchange.problem = problem;
  if (problem.empty())
    exchange.problem = exchange.status != 0 ? "the reply was cut short"
                                            : "the server closed the connection without a reply";
}

}  // namespace

H2Client::H2Client(Loop& loop, const HttpSettings& settings)
    : sockets_(loop, settings), deadline_(loop, settings.timeout_us, [this] { on_deadline(); }) {}

bool H2Client::start(HttpExchange& exchange, const HttpQuestion& question) {
  const bool another = rendered_.render(question);
  if (!rendered_.problem().empty()) {
    fail(exchange, rendered_.problem());
    return false;
  }
  if (another || !request_) request_ = std::make_shared<const H2Request>(rendered_);
  return begin(exchange, rendered_.place(), request_);
}

bool H2Client::start_connecting(HttpExchange& exchange,
                                const std::shared_ptr<const HttpPlace>& place) {
  return begin(exchange, place, nullptr);
}

bool H2Client::begin(HttpExchange& exchange, std::shared_ptr<const HttpPlace> goes_to,
                     std::shared_ptr<const H2Request> request) {
  if (spare_.empty()) spare_.emplace_back();
  active_.splice(active_.end(), spare_, spare_.begin());
  H2Exchange& started = active_.back();
  started.place = std::prev(active_.end());
  started.exchange = &exchange;
  started.request = std::move(request);
  started.goes_to = std::move(goes_to);
  started.begun_us = now_us();
  started.asked_again = false;
  if (!place(started)) {
    spare_.splice(spare_.begin(), active_, started.place);
    return false;
  }
  deadline_.arm(active_.front().begun_us);
  return true;
}

// False: no connection can be opened, or it is all that is wanted, and the exchange has ended.
bool H2Client::place(H2Exchange& exchange) {
  H2Connection* connection = connection_to(exchange.goes_to);
  if (!exchange.request && connection != nullptr && connection->has_room()) {
    exchange.exchange->state = HttpExchange::State::replied;
    return false;
  }
  if (connection == nullptr) {
    make_room();
    connection = &connections_.emplace_back(*this, sockets_, exchange.goes_to);
    connection->place = std::prev(connections_.end());
    const std::string problem = connection->open();
    if (!problem.empty()) {
      fail(*exchange.exchange, problem);
      connections_.pop_back();
      return false;
    }
  }
  connection->begin(exchange);
  return true;
}

// With room, or else one that may get some; null: none.
H2Connection* H2Client::connection_to(const std::shared_ptr<const HttpPlace>& there) {
  H2Connection* awaited = nullptr;
  for (auto at = connections_.begin(); at != connections_.end();) {
    H2Connection& connection = *at++;
    if (!connection.goes_to(there) || !connection.is_alive(now_us())) continue;
    if (connection.has_room()) return &connection;
    if (connection.is_awaited()) awaited = &connection;
  }
  return awaited;
}

void H2Client::make_room() {
  if (connections_.size() < kMostKeptSockets) return;
  const auto idle = std::ranges::find_if(connections_, &H2Connection::is_idle);
  if (idle != connections_.end()) connections_.erase(idle);
}

void H2Client::place_elsewhere(std::deque<H2Exchange*>& waiting) {
  for (H2Exchange* exchange : std::exchange(waiting, {}))
    if (!place(*exchange)) hand_out(*exchange);
}

void H2Client::connected(H2Exchange& exchange) {
  exchange.exchange->state = HttpExchange::State::replied;
  hand_out(exchange);
}

void H2Client::ended(H2Exchange& exchange) {
  if (exchange.refused && !exchange.asked_again) {
    exchange.asked_again = true;
    exchange.exchange->state = HttpExchange::State::pending;
    exchange.exchange->problem.clear();
    if (place(exchange)) return;
  }
  hand_out(exchange);
}

void H2Client::hand_out(H2Exchange& exchange) {
  const std::coroutine_handle<> waiter = exchange.exchange->waiter;
  spare_.splice(spare_.begin(), active_, exchange.place);
  sockets_.loop().resume(waiter);
}

void H2Client::ended(H2Connection& connection, const std::string& problem) {
  std::list<H2Connection> gone;
  gone.splice(gone.begin(), connections_, connection.place);
  std::vector<H2Exchange*> left;
  for (H2Exchange& exchange : active_)
    if (exchange.connection == &connection) left.push_back(&exchange);
  for (H2Exchange* exchange : left) {
    lose(*exchange->exchange, problem);
    hand_out(*exchange);
  }
}

void H2Client::on_deadline() {
  const std::string within = " within " + format_duration(sockets_.settings().timeout_us);
  while (!active_.empty() && deadline_.has_passed(active_.front().begun_us))
    give_up(active_.front(), within);
  if (!active_.empty()) deadline_.arm(active_.front().begun_us);
}

void H2Client::give_up(H2Exchange& exchange, const std::string& within) {
  H2Connection& connection = *exchange.connection;
  const bool sent = exchange.exchange->sent_us != 0;
  exchange.connection = nullptr;
  if (!connection.give_up(exchange)) ended(connection, "no reply" + within);
  exchange.exchange->problem = (sent ? "no reply" : "no connection") + within;
  exchange.exchange->state = sent ? HttpExchange::State::lost : HttpExchange::State::not_sent;
  hand_out(exchange);
}

}  // namespace rlctl
