#include "house/type_scan.h"

#include <algorithm>
#include <optional>
#include <regex>

#include "house/source_scan.h"

namespace rlctl::house {
namespace {

// An open block: the name of a namespace, or empty for a block that hides its contents.
using Block = std::optional<std::string>;

Block block_of(const std::string& head) {
  static const std::regex named(R"((?:inline\s+)?namespace\s+([\w:]+)\s*$)");
  std::smatch match;
  if (std::regex_search(head, match, named)) return match[1].str();
  return std::nullopt;
}

std::optional<std::string> type_in(const std::string& head) {
  static const std::regex type(
      R"(^\s*(?:template\s*<.*>\s*)?(?:struct|class|union|enum(?:\s+class)?))"
      R"(\s+(?:\[\[[^\]]*\]\]\s*)?(\w+)(?:\s+final)?\s*(?::(?!:)[^]*)?$)");
  std::smatch match;
  if (std::regex_search(head, match, type)) return match[1].str();
  return std::nullopt;
}

std::string qualified(const std::vector<Block>& blocks, const std::string& name) {
  std::string text;
  for (const Block& block : blocks) text += *block + "::";
  return text + name;
}

}  // namespace

std::vector<TypeDefinition> types_of(std::string_view source) {
  const std::string text = blank_cpp(source);
  std::vector<TypeDefinition> types;
  std::vector<Block> blocks;
  std::string head;
  std::size_t line = 1;
  for (const char c : text) {
    if (c == '\n') ++line;
    if (c == '{') {
      const bool seen = std::ranges::all_of(blocks, [](const Block& b) { return b.has_value(); });
      const auto name = type_in(head);
      if (seen && name) types.push_back({qualified(blocks, *name), line});
      blocks.push_back(block_of(head));
    }
    if (c == '}' && !blocks.empty()) blocks.pop_back();
    if (c == '{' || c == '}' || c == ';')
      head.clear();
    else
      head += c;
  }
  return types;
}

}  // namespace rlctl::house
