#include "io/tls/tls_client.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>

#include <new>
#include <utility>

#include "base/error.h"
#include "base/escape.h"
#include "io/tls/tls_session.h"

namespace rlctl {
namespace {

// A resumed session needs no certificate of the server: one handshake with a signature is enough
// for many connections.
int on_new_session(SSL* ssl, SSL_SESSION* session) {
  static_cast<TlsSession*>(SSL_get_app_data(ssl))->keep(session);
  return 1;  // the session is ours now
}

// Otherwise OpenSSL would ask for the passphrase of a key on the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

// The first error of the queue is the cause of the others.
std::string first_reason() {
  const unsigned long error = ERR_peek_error();
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(error)) return std::string(": ") + strerror(ERR_GET_REASON(error));
  const char* reason = ERR_reason_error_string(error);
  return reason != nullptr ? std::string(": ") + reason : "";
}

[[noreturn]] void reject_file(const char* option, const std::string& file, const char* hint) {
  const std::string why = first_reason();
  throw Error(Exit::usage, std::string(option) + ": can't use " + in_quotes(file) + why, hint);
}

}  // namespace

void TlsClient::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }
void TlsClient::Free::operator()(ssl_session_st* session) const { SSL_SESSION_free(session); }

TlsClient::TlsClient(TlsSettings settings)
    : settings_(std::move(settings)), context_(SSL_CTX_new(TLS_client_method())) {
  if (!context_) throw std::bad_alloc();
  SSL_CTX* context = context_.get();
  ERR_clear_error();
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  // The bytes to write are a string that grows; it may move between two tries.
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // One read() for the head of a record and its body, not two.
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
  SSL_CTX_sess_set_new_cb(context, on_new_session);
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  trust();
  if (!settings_.cert_file.empty()) identify();
}

void TlsClient::trust() {
  if (settings_.insecure) return;
  SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, TlsSession::on_verified);
  if (settings_.ca_file.empty())
    SSL_CTX_set_default_verify_paths(context_.get());
  else if (SSL_CTX_load_verify_file(context_.get(), settings_.ca_file.c_str()) != 1)
    reject_file("--cacert", settings_.ca_file, "give a file with certificates in PEM form");
}

void TlsClient::identify() {
  SSL_CTX* context = context_.get();
  if (SSL_CTX_use_certificate_chain_file(context, settings_.cert_file.c_str()) != 1)
    reject_file("--cert", settings_.cert_file, "give a file with a certificate in PEM form");
  const bool own_file = !settings_.key_file.empty();
  const std::string& key = own_file ? settings_.key_file : settings_.cert_file;
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1)
    reject_file(own_file ? "--cert-key" : "--cert", key,
                "give --cert-key FILE with the certificate's private key in PEM form, without a "
                "passphrase");
}

ssl_session_st* TlsClient::session(const std::string& server) const {
  const auto found = sessions_.find(server);
  return found == sessions_.end() ? nullptr : found->second.get();
}

void TlsClient::keep(const std::string& server, ssl_session_st* owned) {
  sessions_[server].reset(owned);
}

}  // namespace rlctl
