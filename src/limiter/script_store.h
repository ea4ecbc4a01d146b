// Our scripts in a Redis: in its script cache (SCRIPT LOAD; per node, lost at a restart) and, from
// Redis 7 on, in one function library (persistent and replicated). Throws Error(Exit::target) with
// the script's name if Redis refuses. One thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/redis/redis.h"
#include "limiter/registry.h"

namespace rlctl {

// For each script: is it in the cache? Empty if this user may not ask (SCRIPT EXISTS).
Task<std::optional<std::vector<bool>>> find_cached(Redis& redis, std::vector<std::string> sha1s);

// SCRIPT LOAD, in the scripts' order.
Task<> load_into_cache(Redis& redis, std::span<const Script> scripts);

// `sliding-list` -> `rlctl_sliding_list`: function names can't contain hyphens.
std::string function_name(const Script& script);

inline constexpr const char* kLibraryName = "rlctl";

// The library's text: each script becomes a function of (keys, args), otherwise unchanged. Throws
// Error(Exit::usage) if two scripts would get the same function name.
std::string library_text(std::span<const Script> scripts);

enum class LibraryState : std::uint8_t { missing, differs, same };
struct FoundLibrary {
  LibraryState state = LibraryState::missing;
  std::vector<std::string> functions;  // that it has now: raw
};
Task<FoundLibrary> find_library(Redis& redis, std::string text);

// FUNCTION LOAD REPLACE: afterwards the library holds only these functions.
Task<> load_library(Redis& redis, std::string text);

}  // namespace rlctl
