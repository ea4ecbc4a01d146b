// A header field of an HTTP message, as received. Plain values.
#pragma once

#include <string>

namespace rlctl {

struct HeaderField {
  std::string name;  // in any case
  std::string value;
};

}  // namespace rlctl
