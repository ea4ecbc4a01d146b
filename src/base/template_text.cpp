#include "base/template_text.h"

#include "base/text.h"

namespace rlctl {
namespace {

// The name in brackets at the beginning of the text, such as `<ip>`; empty if there is none.
TemplatePart bracketed(std::string_view text, std::string_view open, char close,
                       TemplatePart::Kind kind) {
  if (!text.starts_with(open)) return {};
  std::size_t end = open.size();
  while (end < text.size() && is_name_character(text[end])) ++end;
  if (end == open.size() || end == text.size() || text[end] != close) return {};
  return {kind, text.substr(open.size(), end - open.size()), text.substr(0, end + 1)};
}

TemplatePart part_at(std::string_view text) {
  constexpr std::string_view kEscaped = "$${";
  if (text.starts_with(kEscaped))
    return {TemplatePart::Kind::text, text.substr(1, 2), text.substr(0, kEscaped.size())};
  const TemplatePart word = bracketed(text, "<", '>', TemplatePart::Kind::word);
  return word.written.empty() ? bracketed(text, "${", '}', TemplatePart::Kind::variable) : word;
}

}  // namespace

std::vector<TemplatePart> template_parts(std::string_view text) {
  std::vector<TemplatePart> parts;
  while (!text.empty()) {
    TemplatePart part = part_at(text);
    if (part.written.empty()) {
      const std::string_view plain = text.substr(0, text.find_first_of("<$", 1));
      part = {TemplatePart::Kind::text, plain, plain};
    }
    parts.push_back(part);
    text.remove_prefix(part.written.size());
  }
  return parts;
}

}  // namespace rlctl
