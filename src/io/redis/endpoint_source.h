// EndpointSource: where a server is to be found now. One thread.
#pragma once

#include <cstdint>
#include <utility>

#include "io/redis/endpoint.h"
#include "io/redis/redis.h"

namespace rlctl {

class EndpointSource {
 public:
  virtual ~EndpointSource() = default;

  // Throws Error(Exit::target) if it can't be found out.
  virtual Task<Endpoint> find() = 0;

  // Over the new connection: is this the server that was meant? Throws Error(Exit::target) if not.
  virtual Task<> verify(Redis& connected) = 0;

  // Whether the server is no longer at `endpoint`; asked every so often while a connection is open,
  // so that a server that hangs is left. 0: it never moves.
  virtual std::int64_t watch_interval_us() const { return 0; }
  virtual Task<bool> has_left(Endpoint) { co_return false; }

  // Of a server that may move, asked now: why what this one holds is not, or may soon not be, what
  // the service holds; "" if it still is the server.
  virtual Task<std::string> why_moved(NodeAddress) { co_return std::string(); }
};

// A server whose address never changes.
class FixedEndpoint final : public EndpointSource {
 public:
  explicit FixedEndpoint(Endpoint endpoint) : endpoint_(std::move(endpoint)) {}
  Task<Endpoint> find() override { co_return endpoint_; }
  Task<> verify(Redis&) override { co_return; }

 private:
  Endpoint endpoint_;
};

}  // namespace rlctl
