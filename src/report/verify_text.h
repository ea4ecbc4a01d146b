// The result of verify as people read it: the verdict in words, the worst keys, the evidence,
// notes. Tables keep within `width` columns where they can; 0: as wide as they are. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "core/verify_result.h"

namespace rlctl {

std::string verify_text(const VerifyResult& result, std::size_t width = 0);

}  // namespace rlctl
