// Finds the types a source defines for others to see: those of named namespaces. Two of one name
// break the one-definition rule without a word from compiler or linker. Pure; a scan of braces, as
// in source_scan.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rlctl::house {

struct TypeDefinition {
  std::string name;  // "rlctl::house::TypeDefinition"
  std::size_t line = 0;
};

// Types in anonymous namespaces, in functions and in other types are their own affair: left out.
std::vector<TypeDefinition> types_of(std::string_view source);

}  // namespace rlctl::house
