#include "run/run_id.h"

#include <fmt/format.h>

#include <random>

namespace rlctl {

std::string make_run_id() { return fmt::format("{:08x}", std::random_device{}()); }

}  // namespace rlctl
