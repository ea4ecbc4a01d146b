// What a script's text shows about the manifest that it needs: the keys and arguments it reads, by
// number, and a manifest to begin with. The proposal is a guess from names and commands, and is
// shown as one. Pure; never fails.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limiter/manifest.h"
#include "limiter/shipped/layout_call.h"

namespace rlctl {

// "-- rlctl: keys = <key>", "-- rlctl: args = limit, window_s" … , a line each, indented. An
// argument whose meaning nothing tells is '?'.
std::string proposed_manifest(std::string_view script);

// The highest number of a key and of an argument that it reads, also if it may do without.
ScriptReads reads_of(std::string_view script);

// "the script reads ARGV[2], but the manifest gives no args": it cannot work like that. Empty if
// nothing is missing: an argument that the script may do without (`ARGV[3] or 1`) is not.
std::string missing_in_manifest(std::string_view script, const Manifest& manifest);

// The lines of the script without comments, which would be read as code.
std::vector<std::string> code_lines(std::string_view script);

}  // namespace rlctl
