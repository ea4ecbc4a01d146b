// Who asked, out of a key: key_of() the other way round. For logs, which know keys and not clients.
// Pure.
#pragma once

#include <string_view>

#include "policy/identity.h"

namespace rlctl {

// By the key's template, with or without a prefix that ends in a colon; `unknown` is nobody. A key
// that does not fit is an address (as access logs have it), or else a user's name.
Identity identity_in_key(std::string_view key_template, std::string_view key);

}  // namespace rlctl
