// The files of lua/, which the build puts into the binary (see embed.cmake). Static storage.
#pragma once

#include <span>
#include <string_view>

namespace rlctl {

struct EmbeddedFile {
  std::string_view path;  // under lua/: `fixed.lua`, `wrappers/block.lua`
  std::string_view text;
};

std::span<const EmbeddedFile> embedded_files();

}  // namespace rlctl
