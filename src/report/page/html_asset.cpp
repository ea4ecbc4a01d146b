#include "report/page/html_asset.h"

#include <cstdlib>

#include "base/escape.h"

namespace rlctl {

std::string csp_hash(const HtmlAsset& asset) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < asset.sha256.size(); i += 2) {
    const std::string digits(asset.sha256.substr(i, 2));
    bytes += static_cast<char>(std::strtoul(digits.c_str(), nullptr, 16));
  }
  return "'sha256-" + base64(bytes) + "'";
}

}  // namespace rlctl
