// From which of this machine's addresses an identity asks, so that a limiter that goes by the
// peer's address sees many clients. On loopback all of 127.0.0.0/8 is ours.
//
// Plain values. Any thread.
#pragma once

#include <optional>
#include <string>

#include "base/host_address.h"
#include "policy/identity.h"

namespace rlctl {

class SourceAddress {
 public:
  SourceAddress() = default;  // as the kernel picks
  // An address, a template (`<ip>`), or an IPv4 range (`127.0.0.0/8`). Error(Exit::usage).
  explicit SourceAddress(const std::string& text);

  bool is_set() const { return range_.has_value() || !template_.empty(); }

  // Of a range: the address whose last bits are those of the identity's IPv4 address, so that
  // clients of one network stay apart; without one, the n-th (neither the first nor the last of
  // the range, which are no hosts' addresses). Empty: a template, and the identity has no address.
  std::string of(const Identity& identity) const;

 private:
  std::string template_;
  std::optional<HostNetwork> range_;
};

}  // namespace rlctl
