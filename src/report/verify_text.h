// The result of verify as people read it: the verdict in words, the worst keys, the evidence,
// notes. Pure.
#pragma once

#include <string>

#include "core/verify_result.h"

namespace rlctl {

std::string verify_text(const VerifyResult& result);

}  // namespace rlctl
