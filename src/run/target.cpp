#include "run/target.h"

namespace rlctl {

const HeaderClaims* Target::claims(const std::string&) const { return nullptr; }

Task<> Target::admit(PolicyPlay&, std::span<const Identity>) { co_return; }

}  // namespace rlctl
