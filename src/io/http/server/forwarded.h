// The client address of a request that came through proxies: X-Forwarded-For, read from its
// trustworthy end. Pure values; never fails.
#pragma once

#include <span>
#include <string_view>

#include "base/host_address.h"

namespace rlctl {

// The right-most address that is not a trusted proxy's. `fields` are the values of all
// X-Forwarded-For fields in their order. Each proxy appends the address that it saw, so everything
// to the left of the outermost trusted proxy's entry is the client's own claim. The field is
// ignored if the peer is not trusted. The search ends at the first entry that is not an address;
// the result is then the proxy that sent that entry.
HostAddress client_address(const HostAddress& peer, std::span<const std::string_view> fields,
                           std::span<const HostNetwork> trusted);

}  // namespace rlctl
