// The words and figures of the live view, shared by its screen, its plain text and its tests: use,
// rates and state of a limiter. Pure; names are returned escaped.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/watch/status.h"

namespace rlctl {

// "load 0.4 % of 1 %": the share of server time that sampling uses, and the maximum allowed.
std::string load_in_words(const WatchStatus& status);

// What the names of several limiters share before and after the client: `ratelimit:ip:` and
// `:minute`. They end and begin with a separator; not escaped.
struct SharedParts {
  std::string front, back;
};

// For each kind of name on the screen, by its beginning: kind_of_name(). One name alone shares
// nothing.
using PartsOfKinds = std::map<std::string, SharedParts, std::less<>>;
PartsOfKinds shared_parts(const std::vector<LimiterRow>& rows);
std::string_view kind_of_name(std::string_view name);

// The name, escaped as in name_cell, in at most `width` columns. If it is too long, what it shares
// with others is cut first, at the front and then at the back; if that is not enough, the middle is
// cut.
std::string short_name(const std::string& name, std::size_t width, const SharedParts& shared = {});

}  // namespace rlctl
