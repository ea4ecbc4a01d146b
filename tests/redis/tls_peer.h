// A TLS server for a test, on a port of 127.0.0.1. It serves its connections one after the other,
// each by the given behaviour. It ends with the test. Throws std::runtime_error if it can't start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>

#include "tools/test_authority.h"

struct ssl_st;
struct ssl_ctx_st;

namespace rlctl::test {

// One connection, seen from the server. TLS writes into memory, so that the test decides which of
// its bytes are sent, and when.
class TlsPeerConnection {
 public:
  TlsPeerConnection(ssl_ctx_st* context, int socket);
  ~TlsPeerConnection();
  TlsPeerConnection(const TlsPeerConnection&) = delete;
  TlsPeerConnection& operator=(const TlsPeerConnection&) = delete;

  // After this many more bytes it hangs up.
  void cut_after(std::size_t bytes) { allowed_ = bytes; }

  bool accept();
  // What the client said, at least one byte; empty if it has gone.
  std::string read();
  // Kept back until flush(), each as a record of its own.
  void write(const std::string& bytes);
  void renew_keys();  // and asks the client to do the same
  bool flush();
  bool resumed() const;

 private:
  bool receive();

  int socket_;
  ssl_st* ssl_;
  std::size_t allowed_ = std::numeric_limits<std::size_t>::max();
};

class TlsPeer {
 public:
  using Behaviour = std::function<void(TlsPeerConnection&)>;

  TlsPeer(const IssuedFiles& files, Behaviour behaviour);
  ~TlsPeer();
  TlsPeer(const TlsPeer&) = delete;
  TlsPeer& operator=(const TlsPeer&) = delete;

  std::uint16_t port() const { return port_; }

 private:
  void serve();

  Behaviour behaviour_;
  ssl_ctx_st* context_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace rlctl::test
