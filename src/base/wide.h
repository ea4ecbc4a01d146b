// A 128-bit integer, for exact products of times, limits and windows.
#pragma once

namespace rlctl {

__extension__ typedef __int128 Wide;

}  // namespace rlctl
