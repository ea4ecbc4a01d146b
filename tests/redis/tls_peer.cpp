#include "redis/tls_peer.h"

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace rlctl::test {

TlsPeerConnection::TlsPeerConnection(ssl_ctx_st* context, int socket)
    : socket_(socket), ssl_(SSL_new(context)) {
  SSL_set_bio(ssl_, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_accept_state(ssl_);
}

TlsPeerConnection::~TlsPeerConnection() {
  SSL_free(ssl_);
  close(socket_);
}

bool TlsPeerConnection::flush() {
  char bytes[4096];
  for (;;) {
    const int size = BIO_read(SSL_get_wbio(ssl_), bytes, sizeof bytes);
    if (size <= 0) return true;
    const std::size_t sent = std::min(allowed_, static_cast<std::size_t>(size));
    allowed_ -= sent;
    if (send(socket_, bytes, sent, MSG_NOSIGNAL) < 0 || allowed_ == 0) return false;
  }
}

bool TlsPeerConnection::receive() {
  char bytes[4096];
  const ssize_t size = recv(socket_, bytes, sizeof bytes, 0);
  return size > 0 && BIO_write(SSL_get_rbio(ssl_), bytes, static_cast<int>(size)) > 0;
}

bool TlsPeerConnection::accept() {
  while (SSL_do_handshake(ssl_) != 1)
    if (!flush() || !receive()) return false;
  return flush();
}

std::string TlsPeerConnection::read() {
  char bytes[4096];
  for (;;) {
    const int size = SSL_read(ssl_, bytes, sizeof bytes);
    if (size > 0) return {bytes, static_cast<std::size_t>(size)};
    if (SSL_get_error(ssl_, size) != SSL_ERROR_WANT_READ || !flush() || !receive()) return {};
  }
}

void TlsPeerConnection::write(const std::string& bytes) {
  SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()));
}

void TlsPeerConnection::renew_keys() {
  SSL_key_update(ssl_, SSL_KEY_UPDATE_REQUESTED);
  SSL_do_handshake(ssl_);
}

bool TlsPeerConnection::resumed() const { return SSL_session_reused(ssl_) == 1; }

TlsPeer::TlsPeer(const IssuedFiles& files, Behaviour behaviour)
    : behaviour_(std::move(behaviour)),
      context_(SSL_CTX_new(TLS_server_method())),
      listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  SSL_CTX_use_certificate_file(context_, files.certificate.c_str(), SSL_FILETYPE_PEM);
  SSL_CTX_use_PrivateKey_file(context_, files.key.c_str(), SSL_FILETYPE_PEM);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      listen(listener_, 64) != 0)
    throw std::runtime_error("cannot listen");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

TlsPeer::~TlsPeer() {
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  close(listener_);
  SSL_CTX_free(context_);
}

void TlsPeer::serve() {
  for (;;) {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    TlsPeerConnection connection(context_, client);
    behaviour_(connection);
  }
}

}  // namespace rlctl::test
