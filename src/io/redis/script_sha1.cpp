#include "io/redis/script_sha1.h"

#include <openssl/evp.h>

#include <array>
#include <span>

#include "base/error.h"

namespace rlctl {

std::string script_sha1(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha1(), nullptr) != 1) {
    throw Error(Exit::target, "OpenSSL does not offer SHA-1", "Redis needs it to name scripts");
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hexadecimal;
  for (const unsigned char byte : std::span(digest).first(length)) {
    hexadecimal += kDigits[byte >> 4];
    hexadecimal += kDigits[byte & 15];
  }
  return hexadecimal;
}

}  // namespace rlctl
