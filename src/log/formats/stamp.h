// Which moment of a request the log's only stamp marks. Plain values.
#pragma once

#include <cstdint>

#include "base/words.h"

namespace rlctl {

// The decision was made between start and end.
enum class StampAt : std::uint8_t { detected, start, end };
inline constexpr Word<StampAt> kStampAtWords[] = {{"start", StampAt::start}, {"end", StampAt::end}};
constexpr std::span<const Word<StampAt>> words_of(StampAt) { return kStampAtWords; }

}  // namespace rlctl
