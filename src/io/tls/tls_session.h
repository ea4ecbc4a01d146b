// TlsSession: TLS on one non-blocking socket, for Redis and HTTP alike. read() and write() are used
// like those of the system and cost no event: the connection's own events tell when to go on.
//
// Owns the SSL object, not the socket. Throws only in handshake(): Error(Exit::target). Later
// failures are kept as problem(). One thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "io/loop.h"
#include "io/tls/tls_problem.h"

struct ssl_st;
struct ssl_session_st;
struct x509_store_ctx_st;

namespace rlctl {

class TlsClient;

// With whom.
struct TlsServer {
  std::string name;  // for messages
  std::string host;  // that the certificate must name, unless the settings say another
  std::int64_t timeout_us = 0;
  std::string_view alpn{};  // the protocol to offer; empty: none
};

class TlsSession {
 public:
  TlsSession(std::shared_ptr<TlsClient> client, TlsServer server, int socket);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // Until both sides have agreed and the server's certificate is verified.
  Task<> handshake(Loop& loop, std::int64_t deadline_us);
  // The same without a coroutine: a step of it, which returns as read() does; 1 at its end.
  ssize_t agree();

  // As read(2) and write(2). EAGAIN can also mean that TLS itself has to write before it can read,
  // or the other way round: then wants_write() tells what to wait for. After that, a write must be
  // repeated with the same bytes, or with more bytes after them.
  ssize_t read(char* bytes, std::size_t size);
  ssize_t write(const char* bytes, std::size_t size);
  bool wants_write() const { return wants_write_; }
  // Bytes were taken from the socket that read() has not yet returned: no event will tell.
  bool has_pending() const;

  // What the server chose of the protocols that were offered; empty: none of them.
  std::string_view chosen_protocol() const;

  // Tells the peer that this is the end; the caller closes the socket.
  void shut_down();

  // Why a read, a write or the handshake failed for good; empty if the peer just went away.
  const std::optional<TlsProblem>& problem() const { return problem_; }
  // The problem as an Error(Exit::target) that names the server. There must be one.
  Error error() const;

  // For TlsClient.
  void keep(ssl_session_st* session);
  static int on_verified(int good, x509_store_ctx_st* chain);

 private:
  void expect_name();
  void offer_protocol();
  ssize_t outcome(int result, std::size_t done);
  void note_failure();

  std::shared_ptr<TlsClient> client_;
  TlsServer server_;
  std::string name_;  // that the certificate must have
  int socket_;
  ssl_st* ssl_;
  bool wants_write_ = false;
  bool broken_ = false;
  std::optional<TlsProblem> problem_;
};

}  // namespace rlctl
