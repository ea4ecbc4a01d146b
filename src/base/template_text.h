// Texts with words to fill in: <name>, and ${NAME} for a variable of the environment. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace rlctl {

struct TemplatePart {
  enum class Kind : std::uint8_t { text, word, variable };
  Kind kind = Kind::text;
  std::string_view name;     // without its brackets; of a text: what it stands for
  std::string_view written;  // as it is in the template
};

// The parts in order. Names are letters, digits and `_`. A `<` or `$` that does not begin a name in
// its brackets is text, and `$${` stands for `${`. The parts point into the text.
std::vector<TemplatePart> template_parts(std::string_view text);

}  // namespace rlctl
