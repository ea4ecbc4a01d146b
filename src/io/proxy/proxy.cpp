#include "io/proxy/proxy.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <new>
#include <string>
#include <utility>

#include "base/error.h"
#include "io/clock.h"
#include "io/redis/socket.h"

namespace rlctl {
namespace {

// Makes close() send RST.
void close_with_reset(int descriptor) {
  const linger at_once{1, 0};
  setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace

// A connection of a client, and that to the server which belongs to it.
class Proxy::Pair {
 public:
  Pair(Proxy& proxy, Endpoint upstream, int client)
      : proxy_(proxy), upstream_(std::move(upstream)), up_(*this), down_(*this) {
    open(client_, client);
    if (proxy_.deaf_) bufferevent_enable(client_, EV_READ);
    if (proxy_.deaf_) return;
    connecting_ = connect();
    connecting_.start();
  }
  ~Pair() { end(); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  bool has_ended() const { return client_ == nullptr; }
  // Also not connecting any more.
  bool is_over() const { return has_ended() && connecting_.done(); }

  void reset() {
    if (client_ != nullptr) close_with_reset(bufferevent_getfd(client_));
    end();
  }

 private:
  // One direction: what was read, in its order, each part not before its time.
  class Way {
   public:
    explicit Way(Pair& pair) : pair_(pair) {}
    ~Way() { free_event(timer_); }
    Way(const Way&) = delete;
    Way& operator=(const Way&) = delete;

    void leads_to(bufferevent* to) { to_ = to; }
    void take(std::string bytes) {
      const std::int64_t due_us = pair_.proxy_.due_us();
      last_us_ = std::max(last_us_, due_us);
      waiting_.push_back({last_us_, std::move(bytes)});
      deliver();
    }
    void stop() {
      free_event(timer_);
      waiting_.clear();
      to_ = nullptr;
    }

   private:
    struct Part {
      std::int64_t due_us;
      std::string bytes;  // empty: the end of the connection
    };

    void deliver() {
      while (to_ != nullptr && !waiting_.empty() && waiting_.front().due_us <= now_us()) {
        const Part part = std::move(waiting_.front());
        waiting_.pop_front();
        if (part.bytes.empty()) return pair_.finish(to_);
        bufferevent_write(to_, part.bytes.data(), part.bytes.size());
      }
      if (to_ != nullptr && !waiting_.empty()) wait_until(waiting_.front().due_us);
    }

    void wait_until(std::int64_t due_us) {
      if (timer_ == nullptr)
        timer_ = event_new(
            pair_.proxy_.loop_.base(), -1, 0,
            [](evutil_socket_t, short, void* self) { static_cast<Way*>(self)->deliver(); }, this);
      if (timer_ == nullptr) throw std::bad_alloc();
      const timeval wait = to_timeval(std::max<std::int64_t>(1, due_us - now_us()));
      event_add(timer_, &wait);
    }

    Pair& pair_;
    bufferevent* to_ = nullptr;
    std::deque<Part> waiting_;
    std::int64_t last_us_ = 0;
    event* timer_ = nullptr;
  };

  void open(bufferevent*& side, int descriptor) {
    side = bufferevent_socket_new(proxy_.loop_.base(), descriptor, BEV_OPT_CLOSE_ON_FREE);
    if (side == nullptr) throw std::bad_alloc();
    bufferevent_setcb(
        side, [](bufferevent* from, void* self) { static_cast<Pair*>(self)->read(from); },
        [](bufferevent* to, void* self) { static_cast<Pair*>(self)->written(to); },
        [](bufferevent* from, short what, void* self) {
          static_cast<Pair*>(self)->closed(from, what);
        },
        this);
  }

  Task<> connect() {
    int descriptor = -1;
    try {
      descriptor = co_await open_socket(proxy_.loop_, upstream_);
    } catch (const Error&) {
      reset();
    }
    if (has_ended() && descriptor >= 0) ::close(descriptor);
    if (has_ended()) co_return;
    open(server_, descriptor);
    up_.leads_to(server_);
    down_.leads_to(client_);
    bufferevent_enable(server_, EV_READ | EV_WRITE);
    bufferevent_enable(client_, EV_READ | EV_WRITE);
  }

  Way& way_from(bufferevent* from) { return from == client_ ? up_ : down_; }

  void read(bufferevent* from) {
    evbuffer* input = bufferevent_get_input(from);
    std::string bytes(evbuffer_get_length(input), '\0');
    evbuffer_remove(input, bytes.data(), bytes.size());
    if (!proxy_.deaf_ && !bytes.empty()) way_from(from).take(std::move(bytes));
  }

  void closed(bufferevent* from, short what) {
    if ((what & (BEV_EVENT_EOF | BEV_EVENT_ERROR)) == 0) return;
    if (proxy_.deaf_ && from == server_) return;
    if (from == client_) return end();
    way_from(from).take({});
  }

  // Ends when what was written before has gone out.
  void finish(bufferevent* to) {
    finishing_ = true;
    if (evbuffer_get_length(bufferevent_get_output(to)) == 0) end();
  }
  void written(bufferevent*) {
    if (finishing_) end();
  }

  void end() {
    up_.stop();
    down_.stop();
    if (client_ != nullptr) bufferevent_free(std::exchange(client_, nullptr));
    if (server_ != nullptr) bufferevent_free(std::exchange(server_, nullptr));
  }

  Proxy& proxy_;
  Endpoint upstream_;
  bufferevent* client_ = nullptr;
  bufferevent* server_ = nullptr;
  bool finishing_ = false;
  Way up_;
  Way down_;
  Task<> connecting_;
};

Proxy::Proxy(Loop& loop, std::uint64_t seed) : loop_(loop), random_(seed) {}

Proxy::~Proxy() = default;

// The upstream must not know of the proxy: it would keep it alive.
Endpoint Proxy::entrance(const Endpoint& endpoint) {
  Endpoint upstream = endpoint;
  upstream.detour = nullptr;
  std::unique_ptr<Listener>& listener = entrances_[upstream.name()];
  if (!listener)
    listener = std::make_unique<Listener>(
        loop_, ListenAddress{},
        [this, upstream](int client, const HostAddress&) { accept(upstream, client); });
  upstream.unix_path.clear();
  upstream.host = "127.0.0.1";
  upstream.port = listener->port();
  return upstream;
}

void Proxy::set_delay(std::int64_t delay_us, std::int64_t jitter_us) {
  delay_us_ = delay_us;
  jitter_us_ = jitter_us;
}

// Half of it on each way.
std::int64_t Proxy::due_us() {
  if (delay_us_ == 0 && jitter_us_ == 0) return 0;
  const auto extra = random_.below(static_cast<std::uint64_t>(jitter_us_) + 1);
  return now_us() + (delay_us_ + static_cast<std::int64_t>(extra)) / 2;
}

void Proxy::cut() {
  for (const auto& pair : pairs_) pair->reset();
}

void Proxy::set_deaf(bool deaf) {
  deaf_ = deaf;
  if (!deaf) cut();
}

void Proxy::bury() {
  std::erase_if(pairs_, [](const auto& pair) { return pair->is_over(); });
}

void Proxy::accept(const Endpoint& upstream, int descriptor) {
  bury();
  if (refusing_) {
    close_with_reset(descriptor);
    ::close(descriptor);
    return;
  }
  pairs_.push_back(std::make_unique<Pair>(*this, upstream, descriptor));
}

}  // namespace rlctl
