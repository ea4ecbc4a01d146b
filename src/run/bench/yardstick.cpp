#include "run/bench/yardstick.h"

namespace rlctl {
namespace {

// Never change this script: another script is another yardstick and needs another name.
constexpr const char* kText =
    "-- The yardstick of rlctl's benches: INCR, and PEXPIRE on the first hit.\n"
    "-- rlctl: keys     = <key>\n"
    "-- rlctl: args     = limit, window_ms\n"
    "-- rlctl: reply    = allowed\n"
    "-- rlctl: contract = limit/window first-hit\n"
    "-- rlctl: run      = server\n"
    "-- rlctl: clock    = expiry\n"
    "local used = redis.call('INCR', KEYS[1])\n"
    "if used == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end\n"
    "return used <= tonumber(ARGV[1]) and 1 or 0\n";

}  // namespace

Script yardstick_script() { return make_script("yardstick.lua", kText); }

}  // namespace rlctl
