// Who sent a request that came through proxies: X-Forwarded-For, read from its trustworthy end.
// Pure values; never fails.
#pragma once

#include <span>
#include <string_view>

#include "base/host_address.h"

namespace rlctl {

// The right-most address that is not a trusted proxy's. `fields` are the values of all
// X-Forwarded-For fields in their order: each proxy appends the address it saw, so all left of what
// the outermost trusted proxy wrote is the client's own claim. Of a peer that is not trusted the
// field counts for nothing; an entry that is no address ends the search at the proxy that sent it.
HostAddress client_address(const HostAddress& peer, std::span<const std::string_view> fields,
                           std::span<const HostNetwork> trusted);

}  // namespace rlctl
