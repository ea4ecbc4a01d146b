// Examines the source of a Lua limiter for mistakes that can be seen in it. It reads words, not a
// syntax tree: it can miss a mistake, and what it finds names the line to look at. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "inspect/doctor/finding.h"

namespace rlctl {

// What the servers do with a write after TIME or another random command. A function library need
// not ask: the servers that have functions accept it.
enum class RandomWrites : std::uint8_t { accepted, refused, not_asked };

// `name`: of the file or the function library, raw.
void examine_script(const std::string& name, std::string_view text, RandomWrites random_writes,
                    HealthFindings& findings);

}  // namespace rlctl
