#include "io/http/server/http_connection.h"

#include <errno.h>
#include <event2/event.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <new>

#include "io/clock.h"

namespace rlctl {
namespace {

// Limit for early requests, which wait behind the one that is being answered.
constexpr std::size_t kMostAheadBytes = 64 * 1024;
// Larger buffers are freed between requests.
constexpr std::size_t kKeptBytes = 4 * 1024;
// Time for the client to read the last answer. A close with unread input is a reset, and the kernel
// may then drop the answer (RFC 9112, 9.6).
constexpr std::int64_t kLingerUs = 2'000'000;

void clear(std::string& buffer) {
  if (buffer.capacity() > kKeptBytes) buffer = {};
  buffer.clear();
}

const char* words_for(int status) {
  switch (status) {
    case 408:
      return "the request did not arrive in time";
    case 413:
      return "the body is too long";
    case 417:
      return "this expectation is not supported";
    case 431:
      return "the head is too long";
    case 501:
      return "this transfer coding is not supported";
    case 505:
      return "only HTTP/1.0 and HTTP/1.1 are supported";
    default:
      return "this is not an HTTP request";
  }
}

}  // namespace

HttpConnection::HttpConnection(HttpServer& server, int socket, const HostAddress& peer)
    : server_(server), socket_(socket) {
  request_.peer = peer;
  deadline_us_ = now_us() + server_.bounds_.idle_us;
  auto readable = [](evutil_socket_t, short, void* self) {
    static_cast<HttpConnection*>(self)->on_readable();
  };
  read_event_ = event_new(server_.loop_.base(), socket_, EV_READ | EV_PERSIST, readable, this);
  if (read_event_ == nullptr) throw std::bad_alloc();
  event_add(read_event_, nullptr);
}

HttpConnection::~HttpConnection() {
  free_event(read_event_);
  free_event(write_event_);
  if (socket_ >= 0) ::close(socket_);
}

void HttpConnection::on_readable() {
  // Early requests come first: what one answer makes room for is less than what a read brings.
  if (!peer_done_ && !is_ahead() && !read_some()) return;
  advance();
  if (phase_ >= Phase::handling) return;
  // A request that the client cut off by closing gets no answer.
  if (peer_done_) return end();
  read_on();
}

bool HttpConnection::read_some() {
  std::vector<char>& buffer = server_.read_buffer_;
  const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), 0);
  if (got > 0) {
    take_in({buffer.data(), static_cast<std::size_t>(got)});
    return true;
  }
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got < 0 || phase_ == Phase::lingering) {
    give_up();
    return false;
  }
  peer_done_ = true;
  event_del(read_event_);  // otherwise the end of the stream would be reported for ever
  return true;
}

void HttpConnection::take_in(std::string_view bytes) {
  if (phase_ == Phase::lingering) return;
  // A client that sends without a pause never lets the buffer become empty.
  if (in_done_ == in_.size() || in_done_ > kMostAheadBytes) {
    in_.erase(0, in_done_);
    in_done_ = 0;
  }
  in_ += bytes;
  if (phase_ < Phase::handling || !is_ahead()) return;
  paused_ = true;
  event_del(read_event_);
}

bool HttpConnection::is_ahead() const { return unread().size() >= kMostAheadBytes; }

void HttpConnection::advance() {
  while (step()) continue;
}

// True if there may be more to do.
bool HttpConnection::step() {
  switch (phase_) {
    case Phase::idle:
      return begin_request();
    case Phase::head:
      return read_head();
    case Phase::body:
      return read_body();
    default:
      return false;
  }
}

bool HttpConnection::begin_request() {
  // Empty lines before a request come from clients that end a body with one line end too many.
  const std::string_view rest = unread();
  in_done_ += std::min(rest.find_first_not_of("\r\n"), rest.size());
  if (unread().empty()) return false;
  scanned_ = 0;
  phase_ = Phase::head;
  deadline_us_ = now_us() + server_.bounds_.request_us;
  return true;
}

bool HttpConnection::read_head() {
  const std::string_view rest = unread();
  // The line end before the empty line may be in the part that was already scanned.
  const std::size_t size = find_head_end(rest, scanned_ - std::min<std::size_t>(scanned_, 2));
  if (std::min(size, rest.size()) > kMostHeadBytes) {
    refuse(431);
    return false;
  }
  scanned_ = rest.size();
  if (size == rest.npos) return false;
  head_ = rest.substr(0, size);
  in_done_ += size;
  int status = parse_http_head(head_, request_.head);
  if (status == 0) status = body_.start(request_.head.framing);
  if (status != 0) {
    refuse(status);
    return false;
  }
  phase_ = Phase::body;
  if (request_.head.expects_continue && !body_.done() && unread().empty()) {
    out_ += "HTTP/1.1 100 Continue\r\n\r\n";
    server_.want_attention(*this);
  }
  return true;
}

bool HttpConnection::read_body() {
  in_done_ += body_.take(unread());
  if (body_.status() != 0) {
    refuse(body_.status());
    return false;
  }
  if (!body_.done()) return false;
  phase_ = Phase::handling;
  deadline_us_ = 0;
  handler_ = handle();
  handler_.start();
  return false;
}

Task<> HttpConnection::handle() {
  HttpAnswer answer;
  try {
    answer = co_await server_.handler_(request_);
  } catch (const std::exception&) {
    answer = {500, {{"Content-Type", "application/json"}}, "{\"error\":\"internal error\"}\n"};
  }
  respond(answer, request_.head.keep_alive);
}

void HttpConnection::respond(const HttpAnswer& answer, bool keep_alive) {
  HttpFraming framing;
  framing.date = server_.date();
  framing.keep_alive = keep_alive && !server_.stopping_;
  framing.head_only = request_.head.method == "HEAD";
  framing.minor_version = request_.head.minor_version;
  append_http_answer(out_, answer, framing);
  close_after_ = !framing.keep_alive;
  phase_ = Phase::answered;
  deadline_us_ = now_us() + server_.bounds_.write_us;
  server_.want_attention(*this);
}

void HttpConnection::refuse(int status) {
  ++server_.refused_;
  in_done_ = in_.size();  // the start of the next request is not known
  request_.head = HttpHead{};
  respond({status,
           {{"Content-Type", "application/json"}},
           fmt::format("{{\"error\":\"{}\"}}\n", words_for(status))},
          false);
}

void HttpConnection::attend() {
  if (phase_ == Phase::over) return;
  if (gone_) {
    if (phase_ == Phase::answered) end();
    return;
  }
  if (write_out() && phase_ == Phase::answered) after_answer();
}

// True if all is written.
bool HttpConnection::write_out() {
  while (out_done_ < out_.size()) {
    const ssize_t written =
        ::send(socket_, out_.data() + out_done_, out_.size() - out_done_, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      auto writable = [](evutil_socket_t, short, void* self) {
        static_cast<HttpConnection*>(self)->attend();
      };
      if (write_event_ == nullptr)
        write_event_ = event_new(server_.loop_.base(), socket_, EV_WRITE, writable, this);
      if (write_event_ == nullptr) throw std::bad_alloc();
      event_add(write_event_, nullptr);
      return false;
    }
    if (written < 0) {
      give_up();
      return false;
    }
    out_done_ += static_cast<std::size_t>(written);
  }
  clear(out_);
  out_done_ = 0;
  return true;
}

void HttpConnection::after_answer() {
  if (close_after_) return linger();
  phase_ = Phase::idle;
  deadline_us_ = now_us() + server_.bounds_.idle_us;
  clear(head_);
  if (unread().empty()) {
    if (peer_done_) return end();
    clear(in_);
    in_done_ = 0;
  } else {
    // Handle early input as if it arrived now. Do not begin a request at the end of a pass: what it
    // sends would wait for the next event.
    event_active(read_event_, EV_READ, 0);
  }
  if (!is_ahead()) read_on();
}

void HttpConnection::read_on() {
  if (paused_) event_add(read_event_, nullptr);
  paused_ = false;
}

void HttpConnection::linger() {
  if (peer_done_ || ::shutdown(socket_, SHUT_WR) != 0) return end();
  phase_ = Phase::lingering;
  deadline_us_ = now_us() + kLingerUs;
  in_done_ = in_.size();
  read_on();
}

void HttpConnection::give_up() {
  gone_ = true;
  if (phase_ != Phase::handling) return end();
  event_del(read_event_);
}

void HttpConnection::end() {
  free_event(read_event_);
  free_event(write_event_);
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  phase_ = Phase::over;
  server_.want_attention(*this);
}

void HttpConnection::check_deadline(std::int64_t now_us) {
  if (phase_ == Phase::over || deadline_us_ == 0 || now_us < deadline_us_) return;
  if (phase_ == Phase::head || phase_ == Phase::body) return refuse(408);
  end();
}

void HttpConnection::drain() {
  if (phase_ == Phase::idle) on_readable();
  if (phase_ == Phase::idle) end();
}

}  // namespace rlctl
