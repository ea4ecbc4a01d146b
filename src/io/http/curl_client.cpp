#include "io/http/curl_client.h"

#include <curl/curl.h>
#include <event2/event.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <new>

#include "base/text.h"
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

// The settings' addresses in the form that libcurl expects; null if there are none.
std::shared_ptr<curl_slist> resolve_list(const HttpSettings& settings) {
  if (settings.addresses.empty()) return nullptr;
  std::vector<std::string> texts;
  for (const HostAddress& address : settings.addresses)
    texts.push_back(address.v6 ? "[" + format_host_address(address) + "]"
                               : format_host_address(address));
  const std::string entry = settings.host + ":" + settings.port + ":" + joined(texts, ",");
  return {curl_slist_append(nullptr, entry.c_str()), curl_slist_free_all};
}

}  // namespace

struct CurlClient::Callbacks {
  static int socket_changes(CURL*, curl_socket_t socket, int what, void* client, void*) {
    const bool read = what == CURL_POLL_IN || what == CURL_POLL_INOUT;
    const bool write = what == CURL_POLL_OUT || what == CURL_POLL_INOUT;
    static_cast<CurlClient*>(client)->sockets_.want(socket, read, write);
    return 0;
  }

  static int timer_changes(CURLM*, long milliseconds, void* client) {
    static_cast<CurlClient*>(client)->set_timer(milliseconds);
    return 0;
  }

  static int close_socket(void* sockets, curl_socket_t socket) {
    static_cast<HttpSockets*>(sockets)->forget(socket);
    return ::close(socket);
  }

  static void timer_fires(evutil_socket_t, short, void* client) {
    static_cast<CurlClient*>(client)->act(CURL_SOCKET_TIMEOUT, 0);
  }
};

CurlClient::CurlClient(Loop& loop, const HttpSettings& settings)
    : loop_(loop),
      settings_(settings),
      resolve_(resolve_list(settings)),
      sockets_(loop, *this),
      multi_(new_multi()),
      deadline_(loop, settings.timeout_us, [this] { on_deadline(); }) {
  timer_ = event_new(loop_.base(), -1, 0, &Callbacks::timer_fires, this);
  if (timer_ == nullptr) throw std::bad_alloc();
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Callbacks::socket_changes);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Callbacks::timer_changes);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  // Each user is a client of its own: two users never share a connection at the same time.
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kMostKeptConnections);
}

CurlClient::~CurlClient() {
  assert(!acting_ && "a client must outlive the coroutines that it resumes");
  loop_.forget(*this);
  for (HttpTransfer& transfer : active_) curl_multi_remove_handle(multi_, transfer.easy());
  active_.clear();
  idle_.clear();
  curl_multi_cleanup(multi_);
  event_free(timer_);
}

HttpTransfer& CurlClient::take_transfer() {
  if (idle_.empty()) {
    active_.emplace_back(settings_, resolve_.get(), &Callbacks::close_socket, &sockets_);
    active_.back().place = std::prev(active_.end());
  } else {
    active_.splice(active_.end(), idle_, idle_.begin());
  }
  return active_.back();
}

bool CurlClient::start(HttpExchange& exchange, const HttpQuestion& request) {
  HttpTransfer& transfer = take_transfer();
  transfer.begin(exchange, request, now_us());
  if (curl_multi_add_handle(multi_, transfer.easy()) != CURLM_OK) throw std::bad_alloc();
  deadline_.arm(active_.front().begun_us());
  return true;
}

void CurlClient::set_timer(long milliseconds) {
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

void CurlClient::flush() { act(CURL_SOCKET_TIMEOUT, 0); }

void CurlClient::on_ready(int socket, bool readable, bool writable) {
  act(socket, (readable ? CURL_CSELECT_IN : 0) | (writable ? CURL_CSELECT_OUT : 0));
}

void CurlClient::act(int socket, int events) {
  int running = 0;
  acting_ = true;
  curl_multi_socket_action(multi_, socket, events, &running);
  acting_ = false;
  collect();
}

void CurlClient::collect() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode result = message->data.result;
    HttpTransfer& transfer = HttpTransfer::of(message->easy_handle);
    HttpExchange& exchange = transfer.finish(result, now_us());
    hand_out(transfer, exchange);
  }
}

void CurlClient::hand_out(HttpTransfer& transfer, HttpExchange& exchange) {
  curl_multi_remove_handle(multi_, transfer.easy());
  idle_.splice(idle_.begin(), active_, transfer.place);
  loop_.resume(exchange.waiter);
}

void CurlClient::on_deadline() {
  const std::string within = " within " + format_duration(settings_.timeout_us);
  while (!active_.empty() && deadline_.has_passed(active_.front().begun_us())) {
    HttpTransfer& transfer = active_.front();
    HttpExchange& exchange = transfer.give_up("no connection" + within, "no reply" + within);
    hand_out(transfer, exchange);
  }
  if (!active_.empty()) deadline_.arm(active_.front().begun_us());
}

}  // namespace rlctl
