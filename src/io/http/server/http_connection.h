// HttpConnection: one client of an HttpServer, which owns it. It handles whatever the client sends:
// requests one after the other, in parts, many at once, or none. One thread.
//
// A connection goes through phases. Early requests wait in `in_` until the answer before them has
// been sent. It never destroys itself: when it is over, it tells the server, which removes it at
// the end of the loop's pass, when none of its functions is on the stack.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/http/http_body.h"
#include "io/http/server/http_answer.h"
#include "io/http/server/http_server.h"

struct event;

namespace rlctl {

class HttpConnection {
 public:
  HttpConnection(HttpServer& server, int socket, const HostAddress& peer);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // Called at the end of a pass, if it requested that: writes, and continues when all is written.
  void attend();
  void check_deadline(std::int64_t now_us);
  // The server stops or needs the place: closes the connection between requests, after a last check
  // for a request that has already arrived.
  void drain();
  // The client is gone or has been given up: nothing more is written.
  void give_up();

  bool is_over() const { return phase_ == Phase::over; }
  // When it will have waited too long for a request; 0: it is not waiting for one.
  std::int64_t idle_until_us() const { return phase_ == Phase::idle ? deadline_us_ : 0; }
  bool wants_attention = false;  // these two are used by the server
  std::size_t index = 0;

 private:
  enum class Phase : std::uint8_t {
    idle,       // between requests
    head,       // a request's head has begun
    body,       // the body follows
    handling,   // the handler runs
    answered,   // until the answer is written
    lingering,  // we have closed our half; further input is read and dropped
    over,
  };

  void on_readable();
  bool read_some();
  void take_in(std::string_view bytes);
  bool is_ahead() const;
  void read_on();
  void advance();
  bool step();
  bool begin_request();
  bool read_head();
  bool read_body();
  Task<> handle();
  void respond(const HttpAnswer& answer, bool keep_alive);
  void refuse(int status);
  bool write_out();
  void after_answer();
  void linger();
  void end();
  std::string_view unread() const { return std::string_view(in_).substr(in_done_); }

  HttpServer& server_;
  int socket_;
  event* read_event_ = nullptr;
  event* write_event_ = nullptr;  // created at the first EAGAIN: most connections never need it
  Phase phase_ = Phase::idle;
  bool paused_ = false;     // too much arrived early: not reading
  bool peer_done_ = false;  // the client closed its half; it may still read
  bool gone_ = false;
  bool close_after_ = false;
  std::int64_t deadline_us_ = 0;  // 0: none
  std::string in_;
  std::size_t in_done_ = 0;  // bytes of in_ that have been handled
  std::size_t scanned_ = 0;  // bytes after in_done_ that contain no end of a head
  std::string head_;         // request_ has views into it
  HttpRequest request_;
  HttpBody body_;
  std::string out_;
  std::size_t out_done_ = 0;
  Task<> handler_;
};

}  // namespace rlctl
