// Finds the types that a source defines in named namespaces. Two such types with one name break the
// one-definition rule, and neither compiler nor linker reports it. Pure; a scan of braces, as in
// source_scan.h.
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

// Leaves out types in anonymous namespaces, in functions and in other types.
std::vector<TypeDefinition> types_of(std::string_view source);

}  // namespace rlctl::house
