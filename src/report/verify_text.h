// The result of verify as text: the verdict in words, the worst keys, the evidence, the notes.
// Tables are at most `width` columns wide if possible; 0: no bound. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "verdict/outcome/verify_result.h"

namespace rlctl {

std::string verify_text(const VerifyResult& result, std::size_t width = 0);

}  // namespace rlctl
