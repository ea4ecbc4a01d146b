// 128 bits, for products of times, limits and windows that must be exact.
#pragma once

namespace rlctl {

__extension__ typedef __int128 Wide;

}  // namespace rlctl
