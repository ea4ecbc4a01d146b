#include "run/target.h"

#include "base/error.h"

namespace rlctl {
namespace {

[[noreturn]] void refuse(const char* fault) {
  throw Error(Exit::usage, std::string("this target can't play the fault ") + fault,
              "faults need an embedded server: \"target\": {\"kind\": \"embedded\"}");
}

}  // namespace

const HeaderClaims* Target::claims(const std::string&) const { return nullptr; }

Task<> Target::admit(PolicyPlay&, std::span<const Identity>) { co_return; }

Task<> Target::forget_scripts() { refuse("script_flush"); }
Task<> Target::restart(std::int64_t) { refuse("redis_restart"); }
Task<> Target::hang(std::int64_t) { refuse("redis_pause"); }
void Target::crash_client(std::int64_t) { refuse("client_crash"); }

}  // namespace rlctl
