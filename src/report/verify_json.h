// The result of verify as JSON ("rlctl.verify/1", README). The top level describes the worst
// history; if the logs contain several, `histories` lists them all. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include "verdict/verify_result.h"

namespace rlctl {

nlohmann::ordered_json verify_json(const VerifyResult& result);

}  // namespace rlctl
