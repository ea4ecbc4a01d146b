// ClientSocket: the socket of a connection of OwnClient or H2Client. It connects to the first
// address that can be reached, from the source address that is asked for, and agrees on TLS. Then
// it is read and written without waiting; its owner hears when to go on. One thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/descriptor.h"
#include "io/http/http_client.h"
#include "io/http/rendered_request.h"
#include "io/tls/tls_session.h"

struct event;

namespace rlctl {

// By a client. More than its users, since each source address needs its own connection.
inline constexpr std::size_t kMostKeptSockets = 256;
// After an answer a server that wants to hang up has either said so or does it at once. To look
// again costs a system call, so it is not done for a request that follows at once.
inline constexpr std::int64_t kSurelyAliveUs = 50;

// What the sockets of a client share. Borrows the loop and the settings.
class ClientSockets {
 public:
  ClientSockets(Loop& loop, const HttpSettings& settings) : loop_(loop), settings_(settings) {}

  Loop& loop() const { return loop_; }
  const HttpSettings& settings() const { return settings_; }
  const std::shared_ptr<TlsClient>& tls();
  std::vector<HostAddress> addresses_of(const HttpPlace& place) const;

 private:
  Loop& loop_;
  const HttpSettings& settings_;
  std::shared_ptr<TlsClient> tls_;
};

class ClientSocket {
 public:
  // Each call may be the last one that the owner gets: it may destroy the socket.
  class Owner {
   public:
    virtual void on_open() = 0;
    virtual void on_not_open(std::string problem) = 0;
    virtual void on_readable() = 0;
    virtual void on_writable() = 0;  // after a write that was not whole, or wait_writable()

   protected:
    ~Owner() = default;
  };

  // `alpn`: the protocol to offer in TLS, or nothing.
  ClientSocket(ClientSockets& sockets, std::shared_ptr<const HttpPlace> goes_to, Owner& owner,
               std::string_view alpn = {});
  ~ClientSocket() { close(); }
  ClientSocket(const ClientSocket&) = delete;
  ClientSocket& operator=(const ClientSocket&) = delete;

  // Tries the addresses from the first one on. Empty: the owner hears how it ends; otherwise why
  // none can be reached.
  std::string open();
  void close();

  // As read(2). Read on until EAGAIN or until all that was awaited is there: without TLS an event
  // tells of an arrival once, and TLS may hold more than it returned.
  ssize_t read(char* bytes, std::size_t size);
  // How much of the bytes was written. If it fails for good, the end comes as a read event, perhaps
  // after an answer.
  std::size_t write(std::string_view bytes);
  void wait_writable();

  // Nothing was heard from the server since the last read: it has not hung up. A system call.
  bool is_quiet();
  // Perhaps more is there than the last read returned, or the server's end.
  bool has_pending() const { return tls_ ? tls_->has_pending() : filled_ || hung_up_; }
  bool has_tls() const { return tls_ != nullptr; }
  // The server closed its end, and answered what came later with a reset.
  bool was_closed_before() const;
  // Why a read failed for good; empty if the server just closed the connection.
  std::string end_words(ssize_t got, int os_error) const;
  // What the server chose of `alpn`.
  std::string_view chosen_protocol() const { return tls_ ? tls_->chosen_protocol() : ""; }

  bool goes_to(const std::shared_ptr<const HttpPlace>& there) const {
    return there == goes_to_ || *there == *goes_to_;
  }

 private:
  enum class Phase : std::uint8_t { closed, connecting, agreeing, open };

  event* watch_for(short what, void (*told)(int, short, void*));
  std::string try_next();
  bool try_address(const HostAddress& address);
  bool bind_source(int socket) const;
  void connected();
  void agree();
  void watch();
  void on_ready_to_read(bool hung_up);
  void on_ready_to_write();

  ClientSockets& sockets_;
  std::shared_ptr<const HttpPlace> goes_to_;
  Owner& owner_;
  std::string_view alpn_;
  int socket_ = -1;
  event* read_event_ = nullptr;
  event* write_event_ = nullptr;  // while it connects, and after EAGAIN
  std::unique_ptr<TlsSession> tls_;
  Phase phase_ = Phase::closed;
  bool filled_ = false;   // the last read took all that it had room for
  bool hung_up_ = false;  // the server's end was seen, perhaps behind bytes
  std::uint16_t addresses_tried_ = 0;
  std::string problem_;  // of the last address
};

}  // namespace rlctl
