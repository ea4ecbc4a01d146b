// Finds the client in a key: the inverse of key_of(), for logs, which have keys but no clients.
// Pure.
#pragma once

#include <string_view>

#include "policy/identity.h"

namespace rlctl {

// Uses the key's template, with or without a prefix that ends in a colon; `unknown` means no
// client. A key that does not match the template is taken as an address (as in access logs),
// otherwise as a user's name.
Identity identity_in_key(std::string_view key_template, std::string_view key);

}  // namespace rlctl
