#include "io/http/http_sockets.h"

#include <event2/event.h>

#include <new>

namespace rlctl {

struct HttpSockets::Watch {
  Watch(HttpSockets& sockets, int descriptor);
  ~Watch();

  void want(bool read, bool write);
  void on_ready(short what);

  HttpSockets& owner;
  int socket;
  event* readable = nullptr;
  event* writable = nullptr;
  bool wants_read = false;
  bool has_read = false;  // its read event is registered
  bool has_write = false;
};

HttpSockets::Watch::Watch(HttpSockets& sockets, int descriptor)
    : owner(sockets), socket(descriptor) {
  auto ready = [](evutil_socket_t, short what, void* self) {
    static_cast<Watch*>(self)->on_ready(what);
  };
  readable = event_new(owner.loop_.base(), socket, EV_READ | EV_PERSIST, ready, this);
  writable = event_new(owner.loop_.base(), socket, EV_WRITE | EV_PERSIST, ready, this);
  if (readable == nullptr || writable == nullptr) throw std::bad_alloc();
}

HttpSockets::Watch::~Watch() {
  if (readable != nullptr) event_free(readable);
  if (writable != nullptr) event_free(writable);
}

void HttpSockets::Watch::want(bool read, bool write) {
  wants_read = read;
  if (read && !has_read) {
    event_add(readable, nullptr);
    has_read = true;
  }
  if (write == has_write) return;
  if (write)
    event_add(writable, nullptr);
  else
    event_del(writable);
  has_write = write;
}

void HttpSockets::Watch::on_ready(short what) {
  if ((what & EV_READ) != 0 && !wants_read) {
    // Between two transfers only the server closes a connection. libcurl notices that when it next
    // uses the connection. Until then the event would be reported again and again.
    event_del(readable);
    has_read = false;
    return;
  }
  // This call may free the watch.
  owner.listener_.on_ready(socket, (what & EV_READ) != 0, (what & EV_WRITE) != 0);
}

HttpSockets::HttpSockets(Loop& loop, Listener& listener) : loop_(loop), listener_(listener) {}
HttpSockets::~HttpSockets() = default;

HttpSockets::Watch& HttpSockets::watch(int socket) {
  const auto index = static_cast<std::size_t>(socket);
  if (index >= watches_.size()) watches_.resize(index + 1);
  if (!watches_[index]) watches_[index] = std::make_unique<Watch>(*this, socket);
  return *watches_[index];
}

void HttpSockets::want(int socket, bool read, bool write) { watch(socket).want(read, write); }

void HttpSockets::forget(int socket) {
  const auto index = static_cast<std::size_t>(socket);
  if (index < watches_.size()) watches_[index].reset();
}

}  // namespace rlctl
