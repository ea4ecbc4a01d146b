#include "io/tls/tls_session.h"

#include <errno.h>
#include <event2/event.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <limits>
#include <new>

#include "base/error.h"
#include "base/units.h"
#include "io/descriptor.h"
#include "io/tls/tls_client.h"

namespace rlctl {

TlsSession::TlsSession(std::shared_ptr<TlsClient> client, TlsServer server, int socket)
    : client_(std::move(client)),
      server_(std::move(server)),
      socket_(socket),
      ssl_(SSL_new(client_->context())) {
  if (ssl_ == nullptr) throw std::bad_alloc();
  SSL_set_app_data(ssl_, this);
  expect_name();
  offer_protocol();
  if (ssl_session_st* session = client_->session(server_.name + " " + name_))
    SSL_set_session(ssl_, session);
  if (SSL_set_fd(ssl_, socket) != 1) throw std::bad_alloc();
}

TlsSession::~TlsSession() { SSL_free(ssl_); }

void TlsSession::expect_name() {
  const std::string& sni = client_->settings().sni;
  name_ = sni.empty() ? server_.host : sni;
  X509_VERIFY_PARAM* wanted = SSL_get0_param(ssl_);
  // An address is no server name (RFC 6066); the zone of fe80::1%eth0 is known only here.
  const std::string address = name_.substr(0, name_.find('%'));
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, address.c_str()) == 1) return;
  ERR_clear_error();
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (X509_VERIFY_PARAM_set1_host(wanted, name_.data(), name_.size()) != 1 ||
      SSL_set_tlsext_host_name(ssl_, name_.c_str()) != 1)
    throw Error(Exit::usage,
                "TLS: '" + server_.name + "' has no name that a certificate could have",
                "give the server's name with --sni NAME");
}

void TlsSession::offer_protocol() {
  if (server_.alpn.empty()) return;
  const std::string names = static_cast<char>(server_.alpn.size()) + std::string(server_.alpn);
  if (SSL_set_alpn_protos(ssl_, reinterpret_cast<const unsigned char*>(names.data()),
                          static_cast<unsigned>(names.size())) != 0)
    throw std::bad_alloc();
}

std::string_view TlsSession::chosen_protocol() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_, &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

Task<> TlsSession::handshake(Loop& loop, std::int64_t deadline_us) {
  while (agree() < 0 && errno == EAGAIN) {
    const short event = wants_write_ ? EV_WRITE : EV_READ;
    if (co_await Ready(loop, socket_, event, deadline_us)) continue;
    problem_ = no_tls_answer(format_duration(server_.timeout_us));
    break;
  }
  if (SSL_is_init_finished(ssl_) == 1) co_return;
  if (!problem_) problem_ = hung_up_in_handshake();
  throw error();
}

ssize_t TlsSession::agree() {
  ERR_clear_error();
  return outcome(SSL_connect(ssl_), 1);
}

Error TlsSession::error() const {
  return Error(Exit::target, "can't connect to " + server_.name + ": " + problem_->what,
               problem_->hint);
}

ssize_t TlsSession::read(char* bytes, std::size_t size) {
  ERR_clear_error();
  std::size_t done = 0;
  const int result = SSL_read_ex(ssl_, bytes, size, &done);
  return outcome(result, done);
}

ssize_t TlsSession::write(const char* bytes, std::size_t size) {
  ERR_clear_error();
  std::size_t done = 0;
  const int result = SSL_write_ex(ssl_, bytes, size, &done);
  return outcome(result, done);
}

ssize_t TlsSession::outcome(int result, std::size_t done) {
  wants_write_ = false;
  if (result > 0) return static_cast<ssize_t>(done);
  const int system_error = errno;
  const int why = SSL_get_error(ssl_, result);
  wants_write_ = why == SSL_ERROR_WANT_WRITE;
  errno = EAGAIN;
  if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) return -1;
  if (why == SSL_ERROR_ZERO_RETURN) return 0;
  broken_ = true;
  if (why == SSL_ERROR_SSL) note_failure();
  errno = why == SSL_ERROR_SYSCALL && system_error != EAGAIN ? system_error : EPROTO;
  return -1;
}

// What a callback has noted about the certificate says more than the error queue.
void TlsSession::note_failure() {
  if (!problem_) problem_ = tls_problem(ERR_peek_error());
  ERR_clear_error();
}

bool TlsSession::has_pending() const { return SSL_has_pending(ssl_) == 1; }

void TlsSession::shut_down() {
  ERR_clear_error();
  if (!broken_ && SSL_is_init_finished(ssl_) == 1) SSL_shutdown(ssl_);
  ERR_clear_error();
}

void TlsSession::keep(ssl_session_st* session) {
  client_->keep(server_.name + " " + name_, session);
}

int TlsSession::on_verified(int good, x509_store_ctx_st* chain) {
  if (good == 1) return 1;
  const auto* ssl = static_cast<const SSL*>(
      X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* self = static_cast<TlsSession*>(SSL_get_app_data(ssl));
  self->problem_ = certificate_problem(chain, self->name_);
  self->problem_->untrusted = true;
  return 0;
}

}  // namespace rlctl
