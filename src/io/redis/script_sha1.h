// Redis's name for a script: the SHA-1 of its bytes, in lower case. Error(Exit::target) if OpenSSL
// does not offer SHA-1. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

std::string script_sha1(std::string_view text);

}  // namespace rlctl
