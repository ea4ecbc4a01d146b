// TlsSession: TLS on one non-blocking socket, for Connection. read() and write() are used like
// those of the system and cost no event: the connection's own events tell when to go on.
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

#include "base/error.h"
#include "io/loop.h"
#include "io/redis/endpoint.h"
#include "io/redis/tls_problem.h"

struct ssl_st;
struct ssl_session_st;
struct x509_store_ctx_st;

namespace rlctl {

class TlsSession {
 public:
  TlsSession(const Endpoint& endpoint, int socket);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // Until both sides have agreed and the server's certificate is verified.
  Task<> handshake(Loop& loop, std::int64_t deadline_us);

  // As read(2) and write(2). EAGAIN can also mean that TLS itself has to write before it can read,
  // or the other way round: then wants_write() tells what to wait for. After that, a write must be
  // repeated with the same bytes, or with more bytes after them.
  ssize_t read(char* bytes, std::size_t size);
  ssize_t write(const char* bytes, std::size_t size);
  bool wants_write() const { return wants_write_; }
  // Bytes were taken from the socket that read() has not yet returned: no event will tell.
  bool has_pending() const;

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
  void expect_name(const Endpoint& endpoint);
  ssize_t agree();
  ssize_t outcome(int result, std::size_t done);
  void note_failure();

  std::shared_ptr<TlsClient> client_;
  std::string server_;  // for messages
  std::string name_;    // that the certificate must have
  std::int64_t timeout_us_;
  int socket_;
  ssl_st* ssl_;
  bool wants_write_ = false;
  bool broken_ = false;
  std::optional<TlsProblem> problem_;
};

}  // namespace rlctl
