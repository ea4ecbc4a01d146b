#include "io/http/own_client.h"

#include "base/units.h"
#include "io/clock.h"
#include "io/http/client_connection.h"

namespace rlctl {

OwnClient::OwnClient(Loop& loop, const HttpSettings& settings)
    : sockets_(loop, settings), deadline_(loop, settings.timeout_us, [this] { on_deadline(); }) {}

OwnClient::~OwnClient() = default;

bool OwnClient::start(HttpExchange& exchange, const HttpQuestion& question) {
  request_.render(question);
  if (!request_.problem().empty()) {
    exchange.state = HttpExchange::State::not_sent;
    exchange.problem = request_.problem();
    return false;
  }
  const std::int64_t begun_us = now_us();
  return begin(take_connection(begun_us), exchange, request_, begun_us);
}

bool OwnClient::start_connecting(HttpExchange& exchange,
                                 const std::shared_ptr<const HttpPlace>& place) {
  static const RenderedRequest kNoRequest;
  if (idle_.size() + active_.size() >= kMostKeptSockets) {
    exchange.state = HttpExchange::State::not_sent;
    return false;
  }
  return begin(add_connection(place), exchange, kNoRequest, now_us());
}

bool OwnClient::begin(ClientConnection& connection, HttpExchange& exchange,
                      const RenderedRequest& request, std::int64_t now_us) {
  if (!connection.begin(exchange, request, now_us)) {
    active_.erase(connection.place);
    return false;
  }
  deadline_.arm(active_.front().begun_us());
  return true;
}

ClientConnection& OwnClient::take_connection(std::int64_t now_us) {
  for (auto at = idle_.begin(); at != idle_.end();) {
    const auto connection = at++;
    if (!connection->goes_to(request_.place())) continue;
    if (now_us - connection->answered_us() < kSurelyAliveUs || connection->is_alive()) {
      active_.splice(active_.end(), idle_, connection);
      return active_.back();
    }
    idle_.erase(connection);
  }
  return add_connection(request_.place());
}

ClientConnection& OwnClient::add_connection(std::shared_ptr<const HttpPlace> place) {
  active_.emplace_back(*this, std::move(place));
  active_.back().place = std::prev(active_.end());
  return active_.back();
}

// The last thing that a connection does: it may be gone after this. Those that were only opened
// wait behind the others, in their order: a server may work on one connection after the other.
void OwnClient::hand_out(ClientConnection& connection) {
  const std::coroutine_handle<> waiter = connection.waiter();
  if (connection.is_idle()) {
    idle_.splice(connection.answered_us() != 0 ? idle_.begin() : idle_.end(), active_,
                 connection.place);
    if (idle_.size() > kMostKeptSockets) idle_.pop_back();
  } else {
    active_.erase(connection.place);
  }
  sockets_.loop().resume(waiter);
}

void OwnClient::drop(ClientConnection& idle) { idle_.erase(idle.place); }

void OwnClient::on_deadline() {
  const std::string within = " within " + format_duration(sockets_.settings().timeout_us);
  while (!active_.empty() && deadline_.has_passed(active_.front().begun_us()))
    active_.front().give_up(within);
  if (!active_.empty()) deadline_.arm(active_.front().begun_us());
}

}  // namespace rlctl
