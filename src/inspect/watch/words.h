// The words and figures of the live view, shared by its screen, its plain text and its tests: use,
// rates and state of a limiter. Pure; names are returned escaped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspect/watch/status.h"

namespace rlctl {

// "load 0.4 % of 1 %": the share of server time that sampling uses, and the maximum allowed.
std::string load_in_words(const WatchStatus& status);

// The common prefix of these names, up to and including a colon; not escaped.
std::string common_front(const std::vector<LimiterRow>& rows);

// The escaped name in at most `width` columns. If it is too long, the prefix `front` is cut first;
// if that is not enough, the middle is cut, because keys begin alike and differ at the end.
std::string short_name(const std::string& name, std::size_t width, const std::string& front = {});

}  // namespace rlctl
