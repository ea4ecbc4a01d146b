#include "policy/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <string>
#include <vector>

#include "base/host_address.h"
#include "base/template_text.h"
#include "base/text.h"
#include "policy/key.h"

namespace rlctl {
namespace {

std::string fill(std::string_view text, const Identity& identity, std::string_view ip,
                 std::string_view user) {
  const std::string n = std::to_string(identity.n);
  const std::array fillings{KeyFilling{"ip", ip}, KeyFilling{"user", user}, KeyFilling{"n", n}};
  return fill_key_template(text, fillings);
}

std::string or_unknown(std::string text) { return text.empty() ? "unknown" : text; }

constexpr std::string_view kPlaceholders[] = {"<ip>", "<user>", "<n>"};

// A place in a key: one of these bytes.
struct KeyPlace {
  std::bitset<256> bytes;
  bool repeats = false;  // any number of times, also none
};

std::bitset<256> bytes_in(std::string_view text) {
  std::bitset<256> bytes;
  for (const char c : text) bytes.set(static_cast<unsigned char>(c));
  return bytes;
}

std::bitset<256> bytes_of(std::string_view placeholder) {
  if (placeholder == "ip") return bytes_in("0123456789abcdef._");
  return placeholder == "n" ? bytes_in("0123456789") : ~bytes_in(":");
}

std::vector<KeyPlace> places_of(std::string_view key_template) {
  std::vector<KeyPlace> places;
  for (const TemplatePart& part : template_parts(key_template)) {
    if (part.kind == TemplatePart::Kind::word) {
      places.push_back({bytes_of(part.name)});
      places.push_back({bytes_of(part.name), true});
    } else {
      for (const char c : part.written) places.push_back({bytes_in({&c, 1})});
    }
  }
  return places;
}

std::string_view placeholder_at(std::string_view text) {
  for (const std::string_view placeholder : kPlaceholders)
    if (text.starts_with(placeholder)) return placeholder;
  return {};
}

// In keys, IPv6 addresses have `_` instead of `:`.
std::string address_of(std::string text) {
  if (!parse_host_address(text)) std::ranges::replace(text, '_', ':');
  return text;
}

std::string decoded(std::string_view user) {
  std::string text;
  for (std::size_t i = 0; i < user.size(); ++i) {
    const std::string_view three = user.substr(i, 3);
    if (three == "%3A" || three == "%25") {
      text += three == "%3A" ? ':' : '%';
      i += 2;
    } else {
      text += user[i];
    }
  }
  return text;
}

bool fill_in(std::string_view placeholder, std::string_view value, Identity& identity) {
  const bool nobody = value == "unknown";
  if (placeholder == "<user>") {
    if (!nobody) identity.user = decoded(value);
    return true;
  }
  if (placeholder == "<ip>") {
    identity.ip = nobody ? "" : address_of(std::string(value));
    return nobody || parse_host_address(identity.ip).has_value();
  }
  const auto n = parse_whole<decltype(identity.n)>(value);
  identity.n = n.value_or(0);
  return n.has_value();
}

// A value contains no colon and ends at the template's next character.
std::optional<Identity> match(std::string_view rest, std::string_view key) {
  Identity identity;
  while (!rest.empty()) {
    const std::string_view placeholder = placeholder_at(rest);
    if (placeholder.empty()) {
      if (key.empty() || key.front() != rest.front()) return std::nullopt;
      rest.remove_prefix(1);
      key.remove_prefix(1);
      continue;
    }
    rest.remove_prefix(placeholder.size());
    const std::string_view until = rest.substr(0, 1);
    const std::size_t end = std::min(until.empty() ? key.npos : key.find(until), key.size());
    const std::string_view value = key.substr(0, end);
    if (value.empty() || value.find(':') != value.npos || !fill_in(placeholder, value, identity))
      return std::nullopt;
    key.remove_prefix(end);
  }
  if (!key.empty()) return std::nullopt;
  return identity;
}

}  // namespace

std::string address_in_key(std::string_view ip) {
  const auto address = parse_host_address(ip);
  if (!address || !address->v6) return or_unknown(std::string(ip));
  std::string full;
  for (std::size_t i = 0; i < 16; i += 2)
    full +=
        fmt::format("{}{:x}", i == 0 ? "" : "_", address->bytes[i] << 8 | address->bytes[i + 1]);
  return full;
}

std::string user_in_key(std::string_view user) {
  std::string text;
  for (const char c : user) {
    if (c == ':' || c == '%')
      text += c == ':' ? "%3A" : "%25";
    else
      text += c;
  }
  return or_unknown(std::move(text));
}

std::string key_of(std::string_view key_template, const Identity& identity) {
  return fill(key_template, identity, address_in_key(identity.ip), user_in_key(identity.user));
}

std::string text_of(std::string_view text_template, const Identity& identity) {
  return fill(text_template, identity, identity.ip, identity.user);
}

// Places that are reached side by side, row by row: a byte that both take leads one place on in
// each whose place does not repeat; a place that repeats may also end.
bool may_meet(std::string_view key_template, std::string_view other) {
  const std::vector<KeyPlace> ours = places_of(key_template), theirs = places_of(other);
  std::vector<bool> row(theirs.size() + 1), next(theirs.size() + 1);
  row[0] = true;
  for (std::size_t i = 0; i <= ours.size(); ++i) {
    next.assign(next.size(), false);
    for (std::size_t j = 0; j <= theirs.size(); ++j) {
      if (!row[j]) continue;
      const bool has_our = i < ours.size(), has_their = j < theirs.size();
      if (!has_our && !has_their) return true;
      if (has_our && ours[i].repeats) next[j] = true;
      if (has_their && theirs[j].repeats) row[j + 1] = true;
      if (!has_our || !has_their || (ours[i].bytes & theirs[j].bytes).none()) continue;
      const bool moves = !ours[i].repeats, they_move = !theirs[j].repeats;
      if (moves && they_move) next[j + 1] = true;
      if (moves && !they_move) next[j] = true;
      if (!moves && they_move) row[j + 1] = true;
    }
    row.swap(next);
  }
  return false;
}

Identity identity_in_key(std::string_view key_template, std::string_view key) {
  for (std::size_t begin = 0; begin <= key.size();) {
    if (const auto identity = match(key_template, key.substr(begin))) return *identity;
    const std::size_t colon = key.find(':', begin);
    if (colon == key.npos) break;
    begin = colon + 1;
  }
  Identity identity;
  const std::string address = address_of(std::string(key));
  (parse_host_address(address) ? identity.ip : identity.user) =
      parse_host_address(address) ? address : std::string(key);
  return identity;
}

}  // namespace rlctl
