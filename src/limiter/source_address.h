// Which of this machine's addresses an identity uses as its source, so that a limiter that counts
// by peer address sees many clients. On loopback all of 127.0.0.0/8 can be used.
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
  SourceAddress() = default;  // the kernel chooses
  // An address, a template (`<ip>`), or an IPv4 range (`127.0.0.0/8`). Throws Error(Exit::usage).
  explicit SourceAddress(const std::string& text);

  // False if clients differ in it.
  bool is_one_for_all() const { return !range_ && template_.find('<') == std::string::npos; }
  bool is_set() const { return range_.has_value() || !template_.empty(); }

  // For a range: the address whose last bits are those of the identity's IPv4 address, so that
  // clients of one network get different addresses. If the identity has none: the n-th address,
  // without the first and the last of the range, which are not host addresses. Empty for a template
  // if the identity has no address.
  std::string of(const Identity& identity) const;

 private:
  std::string template_;
  std::optional<HostNetwork> range_;
};

}  // namespace rlctl
