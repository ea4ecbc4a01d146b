// H2Connection: one connection of an H2Client, for many requests at once: a socket and an H2Session
// on it. Requests wait in it until it is open and has room. It tells the client how they end, and
// when it has ended itself: then the client destroys it. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>

#include "io/http/client_socket.h"
#include "io/http/h2_session.h"

namespace rlctl {

class H2Client;
class H2Connection;

// A request of an H2Client, from its start to its end.
struct H2Exchange : H2Stream {
  std::shared_ptr<const HttpPlace> goes_to;
  std::int64_t begun_us = 0;
  bool asked_again = false;
  H2Connection* connection = nullptr;
  std::list<H2Exchange>::iterator place;  // in the client's list
};

class H2Connection final : private ClientSocket::Owner, private Loop::Flushable {
 public:
  H2Connection(H2Client& client, ClientSockets& sockets, std::shared_ptr<const HttpPlace> goes_to);
  ~H2Connection();
  H2Connection(const H2Connection&) = delete;
  H2Connection& operator=(const H2Connection&) = delete;

  // Empty, or why no address can be reached.
  std::string open() { return socket_.open(); }
  void begin(H2Exchange& exchange);
  // The time is up for it: it is no longer this connection's. False: the connection is of no use.
  bool give_up(H2Exchange& exchange);
  // Whether the server has not hung up: false if this connection has ended, and is destroyed.
  // Costs a system call if nothing was heard for a while.
  bool is_alive(std::int64_t now_us);

  bool goes_to(const std::shared_ptr<const HttpPlace>& there) const {
    return socket_.goes_to(there);
  }
  // Whether a request that it gets now is sent now; or later, when it is open.
  bool has_room() const { return !retired_ && session_.room() > waiting_.size(); }
  bool is_awaited() const;
  bool is_idle() const;

  std::list<H2Connection>::iterator place;  // in the client's list

 private:
  void on_open() override;
  void on_not_open(std::string problem) override;
  void on_readable() override;
  void on_writable() override;
  void flush() override;
  bool read();
  void deliver();
  void ask_waiting();
  bool is_done() const;

  H2Client& client_;
  Loop& loop_;
  ClientSocket socket_;
  H2Session session_;
  bool open_ = false;
  bool retired_ = false;     // gets no more requests
  bool delivering_ = false;  // must not be destroyed
  std::int64_t heard_us_ = 0;
  std::deque<H2Exchange*> waiting_;
  std::deque<H2Exchange*> without_request_;  // until it is open
};

}  // namespace rlctl
