#include "inspect/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/escape.h"
#include "base/template_text.h"
#include "base/text.h"
#include "base/words.h"
#include "inspect/client_name.h"

namespace rlctl {
namespace {

using Part = LayoutKey::Part;
constexpr std::string_view kSlot = "slot";
constexpr std::string_view kPeriods[] = {"second", "minute", "hour", "day", "month", "year"};

struct Line {
  std::string value;
  std::string place;
};

[[noreturn]] void refuse_line(const std::string& place, const std::string& what, std::string hint) {
  throw Error(Exit::usage, escape_for_terminal(place) + ": " + what, std::move(hint));
}

bool is_time(std::string_view name) {
  return name == kSlot || name.ends_with("_s") || name.ends_with("_ms") || name.ends_with("_us");
}

Part part_of(std::string_view name) {
  if (name == "client" || name.ends_with("_text")) return Part::any;
  if (name == "braced_client") return Part::braced;
  if (name == "period") return Part::period;
  return is_time(name) || name == "limit" || name == "number" ? Part::number : Part::word;
}

// With <client> or another part that may be any text.
LayoutKey key_of(const Line& line, std::string_view text) {
  LayoutKey key;
  key.text = text;
  for (const TemplatePart& part : template_parts(text)) {
    if (part.kind != TemplatePart::Kind::word)
      key.name.push_back({Part::text, std::string(part.written)});
    else
      key.name.push_back({part_of(part.name), std::string(part.name)});
  }
  if (std::ranges::none_of(key.name, [](const LayoutKey::NamePart& part) {
        return part.part == Part::any || part.part == Part::braced;
      }))
    refuse_line(line.place, "the key has no <client>", "for example: key = rl:<client>");
  return key;
}

void take_key(const Line& line, Layout& layout) { layout.keys.push_back(key_of(line, line.value)); }

void take_split(const Line& line, Layout& layout) {
  std::string_view words = line.value;
  layout.split = key_of(line, trimmed(take_until(words, ';')));
  layout.split.state.words = trimmed(words);
}

void take_state(const Line& line, Layout& layout) {
  if (layout.keys.empty() || layout.keys.back().state.type != StateType::none)
    refuse_line(line.place, "this state has no key", "write it below the line of its key");
  layout.keys.back().state = parse_state(line.value, line.place);
}

template <std::string Layout::*text>
void take_text(const Line& line, Layout& layout) {
  layout.*text = line.value;
}

template <bool Layout::*flag>
void take_yes(const Line& line, Layout& layout) {
  if (line.value != "yes") refuse_line(line.place, "this line is yes", "leave it out instead");
  layout.*flag = true;
}

// Lines with which the library calls its script: limiter/shipped/layout_call.h reads them.
void take_call(const Line&, Layout&) {}

struct LineRow {
  std::string_view name;
  void (*take)(const Line&, Layout&);
};
constexpr LineRow kLines[] = {
    {"name", take_text<&Layout::name>},
    {"words", take_text<&Layout::words>},
    {"contract", take_text<&Layout::contract>},
    {"unit", take_text<&Layout::unit>},
    {"stale", take_text<&Layout::stale>},
    {"common_name", take_yes<&Layout::is_common_name>},
    {"may_last", take_yes<&Layout::may_last>},
    {"asks_apart", take_yes<&Layout::asks_apart>},
    {"blocks", take_yes<&Layout::blocks>},
    {"key", take_key},
    {"split", take_split},
    {"prefix", take_text<&Layout::prefix>},
    {"state", take_state},
    {"limit", take_text<&Layout::limit>},
    {"window_us", take_text<&Layout::window_us>},
    {"used", take_text<&Layout::used>},
    {"left", take_text<&Layout::left>},
    {"frees_us", take_text<&Layout::frees_us>},
    {"fits", take_text<&Layout::fits>},
    {"impossible", take_text<&Layout::impossible>},
    {"keys", take_call},
    {"args", take_call},
    {"reply", take_call},
    {"setup", take_call},
    {"finish", take_call},
    {"clock", take_call},
    {"approximate", take_call},
};

void take_line(std::string_view text, const std::string& place, std::vector<Layout>& layouts) {
  const auto equals = text.find('=');
  const std::string name(trimmed(text.substr(0, equals)));
  const auto row = std::ranges::find(kLines, name, &LineRow::name);
  if (row == std::end(kLines) || equals == text.npos)
    refuse_line(place, in_quotes(name) + " is not a line of a layout",
                "see: rlctl algos --known-keys");
  const Line line{std::string(trimmed(text.substr(equals + 1))), place};
  if (line.value.empty()) refuse_line(place, in_quotes(name) + " is empty", "leave the line out");
  if (name == "name") {
    layouts.emplace_back();
    layouts.back().origin = place;
  }
  if (layouts.empty())
    refuse_line(place, "a layout begins with its name", "for example: name = mine");
  row->take(line, layouts.back());
}

// Up to the first line that does not end in \; `lines` counts them.
std::string take_long_line(std::string_view& text, int& lines) {
  std::string line(trimmed(take_until(text, '\n'), kBlanksAndLineEnds));
  for (++lines; line.ends_with('\\') && !text.empty(); ++lines)
    line.replace(line.size() - 1, 1, trimmed(take_until(text, '\n'), kBlanksAndLineEnds));
  return line;
}

bool is_of_word(char c) {
  return is_letter(c) || is_digit(c) || std::string_view("./_- ").find(c) != std::string_view::npos;
}

using Fillings = std::vector<NameFilling>;
using Parts = std::span<const LayoutKey::NamePart>;

// Most names that are no such names fail here, which costs little.
bool has_texts_in_order(Parts parts, std::string_view rest) {
  for (const LayoutKey::NamePart& part : parts) {
    if (part.part != Part::text) continue;
    const std::size_t at = rest.find(part.text);
    if (at == rest.npos) return false;
    rest.remove_prefix(at + part.text.size());
  }
  return true;
}

// The most bytes at the begin of the rest of a name that may be of this part.
std::size_t most_of(const LayoutKey::NamePart& part, std::string_view rest) {
  const auto while_all = [&](bool (*is_of_it)(char)) {
    return static_cast<std::size_t>(std::ranges::find_if_not(rest, is_of_it) - rest.begin());
  };
  switch (part.part) {
    case Part::text:
      return rest.starts_with(part.text) ? part.text.size() : 0;
    case Part::number:  // no library writes 0, nor 07
      return rest.starts_with('0') ? 0 : while_all([](char c) { return is_digit(c); });
    case Part::period: {
      const std::string_view word = rest.substr(0, while_all(is_of_word));
      return std::ranges::find(kPeriods, word) == std::end(kPeriods) ? 0 : word.size();
    }
    case Part::word:
      return while_all(is_of_word);
    case Part::any:
    case Part::braced:
      break;
  }
  return rest.size();
}

bool has_brace(std::string_view text) { return text.find('{') != text.npos; }

// The rest of a name against the rest of its parts: the size of each. Any text takes as much as it
// can, the others all that is of them.
bool measure(Parts parts, std::string_view rest, std::span<std::size_t> sizes) {
  if (parts.empty()) return rest.empty();
  const LayoutKey::NamePart& part = parts.front();
  const std::size_t most = most_of(part, rest);
  const bool is_any = part.part == Part::any || part.part == Part::braced;
  const std::size_t least = is_any ? 1 : std::max<std::size_t>(most, 1);
  const Parts next = parts.subspan(1);
  const bool ends_at_text = !next.empty() && next.front().part == Part::text;
  for (std::size_t size = most; size >= least; --size) {
    if (ends_at_text) size = rest.rfind(next.front().text, size);
    if (size == rest.npos || size < least) return false;
    if (part.part == Part::braced && !has_brace(rest.substr(0, size))) return false;
    sizes.front() = size;
    if (measure(next, rest.substr(size), sizes.subspan(1))) return true;
  }
  return false;
}

Fillings cut(Parts parts, std::string_view name, std::span<const std::size_t> sizes) {
  Fillings fillings;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view text = name.substr(0, sizes[i]);
    name.remove_prefix(sizes[i]);
    if (parts[i].part == Part::text) continue;
    fillings.push_back({parts[i].text, std::string(text), std::nullopt});
    if (parts[i].part == Part::number) fillings.back().number = parse_whole<double>(text);
  }
  return fillings;
}

// The same layout behind what the application may put before its keys.
Layout with_prefix(Layout layout) {
  for (LayoutKey& key : layout.keys) {
    State state = std::move(key.state);
    key = key_of({{}, layout.origin}, layout.prefix + key.text);
    key.state = std::move(state);
  }
  return layout;
}

}  // namespace

std::size_t LayoutKey::literal_bytes() const {
  std::size_t bytes = 0;
  for (const NamePart& part : name) bytes += part.part == Part::text ? part.text.size() : 0;
  return bytes;
}

bool LayoutKey::has_word() const {
  return std::ranges::any_of(name, [](const NamePart& part) {
    return part.part == Part::text &&
           std::ranges::any_of(part.text, [](char c) { return is_letter(c) || is_digit(c); });
  });
}

bool LayoutKey::has_slot() const {
  return std::ranges::find(name, kSlot, &NamePart::text) != name.end();
}

bool LayoutKey::tells_window() const {
  return std::ranges::any_of(
      name, [](const NamePart& part) { return part.part == Part::number && is_time(part.text); });
}

bool Layout::has_companions() const {
  return keys.size() > 1 || (keys.size() == 1 && keys.front().has_slot());
}

bool Layout::may_be_split(std::string_view in_place) const {
  return !split.name.empty() && !is_address(in_place) && fillings_of(split, in_place).has_value();
}

bool Layout::may_hold(std::string_view in_place, std::string_view client) const {
  if (!may_be_split(in_place)) return false;
  LayoutKey with_client = split;
  for (LayoutKey::NamePart& part : with_client.name)
    if (part.text == "client") part = {Part::text, std::string(client)};
  return fillings_of(with_client, in_place).has_value();
}

std::optional<RuleKind> Layout::counts_by() const {
  Manifest manifest;
  manifest.contract = contract;
  return manifest.counts_by();
}

std::vector<Layout> parse_layouts(const ManifestText& file) {
  std::vector<Layout> layouts;
  std::string_view text = file.text;
  for (int lines = 0; !text.empty();) {
    const std::string place = file.name + ':' + std::to_string(lines + 1);
    const std::string line = take_long_line(text, lines);
    if (!line.empty() && !line.starts_with('#')) take_line(line, place, layouts);
  }
  for (const Layout& layout : layouts) {
    if (layout.keys.empty())
      refuse_line(layout.origin, in_quotes(layout.name) + " has no key",
                  "for example: key = rl:<client>");
    for (const LayoutKey& key : layout.keys)
      if (key.state.type == StateType::none)
        refuse_line(layout.origin, "a key of " + in_quotes(layout.name) + " has no state",
                    "for example: state = string: count");
  }
  for (std::size_t i = 0, read = layouts.size(); i < read; ++i)
    if (!layouts[i].prefix.empty()) layouts.push_back(with_prefix(layouts[i]));
  return layouts;
}

std::optional<Fillings> fillings_of(const LayoutKey& key, std::string_view name) {
  const LayoutKey::NamePart& first = key.name.front();
  if (first.part == Part::text && !name.starts_with(first.text)) return std::nullopt;
  const LayoutKey::NamePart& last = key.name.back();
  if (last.part == Part::text && !name.ends_with(last.text)) return std::nullopt;
  if (!has_texts_in_order(key.name, name)) return std::nullopt;
  std::vector<std::size_t> sizes(key.name.size());
  if (!measure(key.name, name, sizes)) return std::nullopt;
  return cut(key.name, name, sizes);
}

std::string filled_name(const LayoutKey& key, const Fillings& fillings,
                        std::optional<int> slots_ahead) {
  std::string name;
  for (const LayoutKey::NamePart& part : key.name) {
    if (part.part == Part::text) {
      name += part.text;
      continue;
    }
    const auto found = std::ranges::find(fillings, part.text, &NameFilling::name);
    if (found == fillings.end()) return {};
    if (part.text != kSlot)
      name += found->text;
    else
      name += slots_ahead ? fmt::format("{:.0f}", found->number.value_or(0) + *slots_ahead) : "*";
  }
  return name;
}

}  // namespace rlctl
