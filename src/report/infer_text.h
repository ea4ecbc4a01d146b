// What a log shows about the limiter behind it, in sentences and a table. Pure.
#pragma once

#include <string>

#include "verdict/outcome/inference.h"

namespace rlctl {

std::string infer_text(const Inference& inference, std::size_t width = 0);

}  // namespace rlctl
