// What a Redis knows of our scripts: its script cache (SCRIPT LOAD, gone with a restart, per node)
// and, from Redis 7 on, one function library (kept, and replicated). Error(Exit::target) where
// Redis refuses, with the script's name. One thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/redis/redis.h"
#include "limiter/registry.h"

namespace rlctl {

// Of each script: is it in the cache?
Task<std::vector<bool>> find_cached(Redis& redis, std::vector<std::string> sha1s);

// SCRIPT LOAD, in the scripts' order.
Task<> load_into_cache(Redis& redis, std::span<const Script> scripts);

// `sliding-list` -> `rlctl_sliding_list`: functions' names have no hyphens.
std::string function_name(const Script& script);

inline constexpr const char* kLibraryName = "rlctl";

// The library's text: each script as a function of (keys, args), unchanged inside.
// Error(Exit::usage) when two scripts would get the same function name.
std::string library_text(std::span<const Script> scripts);

enum class LibraryState : std::uint8_t { missing, differs, same };
Task<LibraryState> find_library(Redis& redis, std::string text);

// FUNCTION LOAD REPLACE: afterwards the library holds these functions and no others.
Task<> load_library(Redis& redis, std::string text);

}  // namespace rlctl
