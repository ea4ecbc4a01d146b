// A hostile HTTP server for a test, on a port of 127.0.0.1. It does the given action on every
// connection, each on its own thread. It ends with the test. Throws std::runtime_error if it can't
// listen.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace rlctl::test {

// One connection, seen from the server.
class PeerConnection {
 public:
  PeerConnection(int socket, const std::atomic<bool>& stopping)
      : socket_(socket), stopping_(stopping) {}

  // Reads to the end of a request's head; false if the client has gone.
  bool read_request();
  const std::string& request() const { return request_; }
  // False if the client has gone.
  bool write(const std::string& bytes);
  // The bytes and the end of all that comes from here arrive at once; the client may still write.
  void write_last(const std::string& bytes);
  void reset();  // closes with RST
  // Waits until the client goes or the test ends.
  void hang();

 private:
  int socket_;
  const std::atomic<bool>& stopping_;
  std::string in_;
  std::string request_;
};

class Peer {
 public:
  using Behaviour = std::function<void(PeerConnection&)>;

  explicit Peer(Behaviour behaviour);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  std::string url(const std::string& path = "/") const;
  int connections() const { return connections_; }

 private:
  void accept_all();

  Behaviour behaviour_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> connections_ = 0;
  std::vector<std::thread> serving_;
  std::thread accepting_;
};

// A complete response with this status and these header lines, each ending in CR LF.
std::string response(int status, const std::string& headers = {}, const std::string& body = "ok");

}  // namespace rlctl::test
