#include "http/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace rlctl::test {
namespace {

constexpr int kLookMs = 20;

bool readable(int socket, int wait_ms) {
  pollfd poll_for{socket, POLLIN, 0};
  return poll(&poll_for, 1, wait_ms) > 0;
}

}  // namespace

bool PeerConnection::read_request() {
  for (;;) {
    const std::size_t end = in_.find("\r\n\r\n");
    if (end != std::string::npos) {
      request_ = in_.substr(0, end + 4);
      in_.erase(0, end + 4);
      return true;
    }
    if (stopping_) return false;
    if (!readable(socket_, kLookMs)) continue;
    char bytes[4096];
    const ssize_t got = recv(socket_, bytes, sizeof bytes, 0);
    if (got <= 0) return false;
    in_.append(bytes, static_cast<std::size_t>(got));
  }
}

bool PeerConnection::write(const std::string& bytes) {
  return send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

void PeerConnection::write_last(const std::string& bytes) {
  send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_MORE);
  shutdown(socket_, SHUT_WR);
}

void PeerConnection::reset() {
  const linger at_once{1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

void PeerConnection::hang() {
  char byte;
  while (!stopping_)
    if (readable(socket_, kLookMs) && recv(socket_, &byte, 1, 0) <= 0) return;
}

Peer::Peer(Behaviour behaviour) : behaviour_(std::move(behaviour)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, generic, size) != 0 || listen(listener_, 128) != 0 ||
      getsockname(listener_, generic, &size) != 0)
    throw std::runtime_error("the peer can't listen");
  port_ = ntohs(address.sin_port);
  accepting_ = std::thread([this] { accept_all(); });
}

Peer::~Peer() {
  stopping_ = true;
  accepting_.join();
  for (std::thread& thread : serving_) thread.join();
  close(listener_);
}

void Peer::accept_all() {
  while (!stopping_) {
    if (!readable(listener_, kLookMs)) continue;
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    ++connections_;
    serving_.emplace_back([this, socket] {
      PeerConnection connection(socket, stopping_);
      behaviour_(connection);
      close(socket);
    });
  }
}

std::string Peer::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

std::string response(int status, const std::string& headers, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " whatever\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace rlctl::test
