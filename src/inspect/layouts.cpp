#include "inspect/layouts.h"

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/suggest.h"
#include "io/byte_source.h"
#include "limiter/shipped/embedded.h"

namespace rlctl {
namespace {

constexpr std::size_t kAnyByte = 256;

std::size_t first_byte_of(const LayoutKey& key) {
  const LayoutKey::NamePart& part = key.name.front();
  if (part.part != LayoutKey::Part::text) return kAnyByte;
  return static_cast<unsigned char>(part.text.front());
}

}  // namespace

std::string NameMatch::client() const {
  for (const NameFilling& filling : fillings)
    if (filling.name == "client" || filling.name == "braced_client") return filling.text;
  return {};
}

std::string NameMatch::limiter() const {
  return filled_name(layout->keys.front(), fillings, std::nullopt);
}

std::string NameMatch::family() const {
  std::string family;
  for (const LayoutKey::NamePart& part : layout->keys[key].name) {
    const auto found = std::ranges::find(fillings, part.text, &NameFilling::name);
    const bool varies = part.text.ends_with("client") || part.text == "slot" ||
                        part.text.ends_with("_s") || part.text.ends_with("_ms") ||
                        part.text.ends_with("_us");
    if (part.part == LayoutKey::Part::text || (!varies && found == fillings.end()))
      family += part.text;
    else if (varies)
      family += '<' + part.text + '>';
    else
      family += found->text;
  }
  return family;
}

Layouts::Layouts() {
  for (const EmbeddedFile& file : embedded_files())
    if (file.path.starts_with("layouts/"))
      add(parse_layouts({"lua/" + std::string(file.path), std::string(file.text)}));
  index();
}

void Layouts::add_file(const std::string& path) {
  const std::string text = whole_file(path);
  if (text.empty())
    throw Error(Exit::usage, "--layouts: " + in_quotes(path) + " is empty",
                "it needs a file such as those of: rlctl algos --known-keys");
  add(parse_layouts({path, text}));
  index();
}

void Layouts::use_only(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& layout : layouts_) names.push_back(layout->name);
  if (std::ranges::find(names, name) == names.end()) {
    const std::string guess = did_you_mean(name, names);
    throw Error(Exit::usage, "there is no layout " + in_quotes(name),
                guess + (guess.empty() ? "" : " ") + "see: rlctl algos --known-keys");
  }
  std::erase_if(layouts_, [&](const auto& layout) { return layout->name != name; });
  layouts_.front()->is_common_name = false;  // it is named by the user
  takes_any_name_ = true;
  index();
}

void Layouts::add(std::vector<Layout> layouts) {
  for (Layout& layout : layouts) layouts_.push_back(std::make_shared<Layout>(std::move(layout)));
}

void Layouts::index() {
  by_first_byte_.fill({});
  for (const auto& layout : layouts_)
    for (std::size_t i = 0; i < layout->keys.size(); ++i)
      by_first_byte_[first_byte_of(layout->keys[i])].push_back(
          {layout.get(), i, layout->keys[i].literal_bytes(), layout->has_companions()});
  const std::vector<Entry>& any = by_first_byte_[kAnyByte];
  for (std::vector<Entry>& entries : by_first_byte_) {
    if (&entries != &any) entries.insert(entries.end(), any.begin(), any.end());
    std::ranges::stable_sort(entries, std::ranges::greater{}, &Entry::literal_bytes);
  }
}

const std::vector<Layouts::Entry>& Layouts::entries_for(std::string_view key) const {
  return by_first_byte_[key.empty() ? kAnyByte : static_cast<unsigned char>(key.front())];
}

std::vector<NameMatch> Layouts::match(std::string_view key, StateType type,
                                      const Fits& fits) const {
  std::vector<NameMatch> matches;
  bool has_name = false;
  const auto take = [&](const Layout& layout, std::size_t of_it,
                        std::vector<NameFilling> fillings) {
    has_name = true;
    if (!fits || fits(layout.keys[of_it].state))
      matches.push_back({&layout, of_it, std::move(fillings)});
  };
  std::size_t last_literal = 0;
  for (const Entry& entry : entries_for(key)) {
    if (fits && !matches.empty() && entry.literal_bytes < last_literal) break;
    const LayoutKey& named = entry.layout->keys[entry.key];
    if (type != StateType::none && named.state.type != type) continue;
    if (auto fillings = fillings_of(named, key))
      take(*entry.layout, entry.key, std::move(*fillings));
    last_literal = entry.literal_bytes;
  }
  if (!has_name && takes_any_name_ && !layouts_.empty() && layouts_.front()->keys.size() == 1)
    take(*layouts_.front(), 0, {{"client", std::string(key), std::nullopt}});
  return matches;
}

bool Layouts::has_client(std::string_view key, std::string_view client) const {
  return std::ranges::any_of(match(key, StateType::none),
                             [&](const NameMatch& one) { return one.client() == client; });
}

std::string Layouts::split_with(std::string_view key, std::string_view client) const {
  for (const NameMatch& one : match(key, StateType::none))
    if (one.layout->may_hold(one.client(), client)) return one.layout->split.state.words;
  return {};
}

std::string Layouts::limiter_of(std::string_view key) const {
  for (const Entry& entry : entries_for(key)) {
    if (!entry.has_companions || entry.literal_bytes == 0) continue;
    if (auto fillings = fillings_of(entry.layout->keys[entry.key], key))
      return NameMatch{entry.layout, entry.key, std::move(*fillings)}.limiter();
  }
  return {};
}

std::vector<std::string> Layouts::partners_of(std::string_view key) const {
  std::vector<std::string> names;
  for (const NameMatch& match : this->match(key, StateType::none))
    for (const LayoutKey& other : match.layout->keys)
      if (!match.layout->asks_apart && !other.has_slot())
        if (std::string name = filled_name(other, match.fillings, 0); !name.empty() && name != key)
          names.push_back(std::move(name));
  return names;
}

std::string Layouts::family_of(std::string_view key) const {
  for (const NameMatch& match : this->match(key, StateType::none)) {
    const LayoutKey& named = match.layout->keys[match.key];
    const bool known = !takes_any_name_ || fillings_of(named, key).has_value();
    if (known && !match.layout->is_common_name && named.has_word() &&
        named.name.front().part == LayoutKey::Part::text)
      return match.family();
  }
  return {};
}

std::vector<std::string> Layouts::companions_of(std::string_view key) const {
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    if (!name.empty() && name != key && std::ranges::find(names, name) == names.end())
      names.push_back(std::move(name));
  };
  for (const NameMatch& match : this->match(key, StateType::none))
    for (const LayoutKey& other : match.layout->keys)
      for (const int ahead : {0, -1, 1})
        if (ahead == 0 || other.has_slot()) add(filled_name(other, match.fillings, ahead));
  return names;
}

}  // namespace rlctl
