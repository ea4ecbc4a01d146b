// The result of verify as JSON ("rlctl.verify/1", README). The document is that of the worst
// history; where the logs hold several, `histories` has them all. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include "core/verify_result.h"

namespace rlctl {

nlohmann::ordered_json verify_json(const VerifyResult& result);

}  // namespace rlctl
