// What Redis says of a script that failed, without its own names for the script. Versions word it
// differently. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace rlctl {

struct ScriptError {
  std::string message;   // raw
  std::size_t line = 0;  // 0: it does not say
  // Only of Redis 6: the state of the server forbids all writes (READONLY, OOM, MISCONF).
  bool is_refusal = false;
};

// Redis 6: "ERR Error running script (call to f_SHA): @user_script:7: WRONGTYPE Operation …", or
// "…: @user_script:7: @user_script: 7: -READONLY …" for a command that was not begun.
// From Redis 7 on: "WRONGTYPE Operation … script: SHA, on @user_script:7.".
ScriptError read_script_error(std::string_view error);

}  // namespace rlctl
