#include "io/http/http_client.h"

#include <curl/curl.h>
#include <event2/event.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <new>

#include "base/units.h"
#include "io/clock.h"
#include "io/http/http_memory.h"
#include "io/http/http_transfer.h"

namespace rlctl {
namespace {

// Number of kept connections of one client. It is more than its users, since each source address
// needs its own connection.
constexpr long kMostKeptConnections = 256;

CURLM* new_multi() {
  start_libcurl();
  CURLM* multi = curl_multi_init();
  if (multi == nullptr) throw std::bad_alloc();
  return multi;
}

}  // namespace

struct HttpClient::Callbacks {
  static int socket_changes(CURL*, curl_socket_t socket, int what, void* client, void*) {
    const bool read = what == CURL_POLL_IN || what == CURL_POLL_INOUT;
    const bool write = what == CURL_POLL_OUT || what == CURL_POLL_INOUT;
    static_cast<HttpClient*>(client)->sockets_.want(socket, read, write);
    return 0;
  }

  static int timer_changes(CURLM*, long milliseconds, void* client) {
    static_cast<HttpClient*>(client)->set_timer(milliseconds);
    return 0;
  }

  static int close_socket(void* sockets, curl_socket_t socket) {
    static_cast<HttpSockets*>(sockets)->forget(socket);
    return ::close(socket);
  }

  static void timer_fires(evutil_socket_t, short, void* client) {
    static_cast<HttpClient*>(client)->act(CURL_SOCKET_TIMEOUT, 0);
  }

  static void deadline_fires(evutil_socket_t, short, void* client) {
    static_cast<HttpClient*>(client)->on_deadline();
  }
};

std::shared_ptr<curl_slist> http_resolve_list(const std::string& host, const std::string& port,
                                              const std::vector<std::string>& addresses) {
  start_libcurl();
  std::string entry = host + ":" + port + ":";
  for (const std::string& address : addresses) entry += (entry.back() == ':' ? "" : ",") + address;
  return {curl_slist_append(nullptr, entry.c_str()), curl_slist_free_all};
}

HttpClient::HttpClient(Loop& loop, const HttpSettings& settings)
    : loop_(loop), settings_(settings), sockets_(loop, *this), multi_(new_multi()) {
  timer_ = event_new(loop_.base(), -1, 0, &Callbacks::timer_fires, this);
  deadline_ = event_new(loop_.base(), -1, 0, &Callbacks::deadline_fires, this);
  if (timer_ == nullptr || deadline_ == nullptr) throw std::bad_alloc();
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Callbacks::socket_changes);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Callbacks::timer_changes);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  // Each user is a client of its own: two users never share a connection at the same time.
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kMostKeptConnections);
}

HttpClient::~HttpClient() {
  assert(!acting_ && "a client must outlive the coroutines that it resumes");
  loop_.forget(*this);
  for (HttpTransfer& transfer : active_) curl_multi_remove_handle(multi_, transfer.easy());
  active_.clear();
  idle_.clear();
  curl_multi_cleanup(multi_);
  event_free(timer_);
  event_free(deadline_);
}

HttpTransfer& HttpClient::take_transfer() {
  if (idle_.empty()) {
    active_.emplace_back(settings_, &Callbacks::close_socket, &sockets_);
    active_.back().place = std::prev(active_.end());
  } else {
    active_.splice(active_.end(), idle_, idle_.begin());
  }
  return active_.back();
}

void HttpClient::start(HttpExchange& exchange, const HttpQuestion& request) {
  HttpTransfer& transfer = take_transfer();
  transfer.begin(exchange, request, now_us());
  if (curl_multi_add_handle(multi_, transfer.easy()) != CURLM_OK) throw std::bad_alloc();
  arm_deadline();
}

void HttpClient::set_timer(long milliseconds) {
  if (milliseconds < 0) {
    event_del(timer_);
  } else if (milliseconds == 0 && !acting_) {
    // A transfer was added: one call at the end of the pass starts all new ones.
    loop_.want_flush(*this);
  } else {
    const timeval wait = to_timeval(milliseconds * 1'000);
    event_add(timer_, &wait);
  }
}

void HttpClient::flush() { act(CURL_SOCKET_TIMEOUT, 0); }

void HttpClient::on_ready(int socket, bool readable, bool writable) {
  act(socket, (readable ? CURL_CSELECT_IN : 0) | (writable ? CURL_CSELECT_OUT : 0));
}

void HttpClient::act(int socket, int events) {
  int running = 0;
  acting_ = true;
  curl_multi_socket_action(multi_, socket, events, &running);
  acting_ = false;
  collect();
}

void HttpClient::collect() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode result = message->data.result;
    HttpTransfer& transfer = HttpTransfer::of(message->easy_handle);
    HttpExchange& exchange = transfer.finish(result, now_us());
    hand_out(transfer, exchange);
  }
}

void HttpClient::hand_out(HttpTransfer& transfer, HttpExchange& exchange) {
  curl_multi_remove_handle(multi_, transfer.easy());
  idle_.splice(idle_.begin(), active_, transfer.place);
  loop_.resume(exchange.waiter);
}

// All exchanges have the same time-out, so the oldest expires first. The timer is not changed when
// others finish: if it fires for an exchange that has finished, it is set for the next one.
void HttpClient::arm_deadline() {
  if (deadline_armed_ || active_.empty()) return;
  const std::int64_t at_us = active_.front().begun_us() + settings_.timeout_us;
  const timeval wait = to_timeval(std::max<std::int64_t>(1'000, at_us - now_us()));
  event_add(deadline_, &wait);
  deadline_armed_ = true;
}

void HttpClient::on_deadline() {
  deadline_armed_ = false;
  const std::string within = " within " + format_duration(settings_.timeout_us);
  while (!active_.empty() && now_us() - active_.front().begun_us() >= settings_.timeout_us) {
    HttpTransfer& transfer = active_.front();
    HttpExchange& exchange = transfer.give_up("no connection" + within, "no reply" + within);
    hand_out(transfer, exchange);
  }
  arm_deadline();
}

}  // namespace rlctl
