#include "inspect/client_name.h"

#include <algorithm>

#include "base/host_address.h"
#include "base/text.h"
#include "policy/identity.h"

namespace rlctl {
namespace {

// Letters of other scripts count too: their bytes have the highest bit.
bool is_of_name(char c) {
  return is_letter(c) || is_digit(c) || (static_cast<unsigned char>(c) & 0x80) != 0;
}

// Whether a name that ends in `own` goes on over `next` and what is after it. A dot or a dash joins
// two digits or two letters: 10.0.0.1 in 110.0.0.1.5, but not in 10.0.0.1.tokens.
bool goes_on(char own, std::string_view rest) {
  if (rest.empty()) return false;
  if (is_of_name(rest[0])) return true;
  if (rest.size() == 1 || !is_of_name(rest[1])) return false;
  if (rest[0] == '@') return true;
  return std::string_view(".-+").find(rest[0]) != std::string_view::npos &&
         is_digit(own) == is_digit(rest[1]);
}

bool is_whole(std::string_view key, std::size_t at, std::string_view client) {
  std::string before(key.substr(0, at));
  std::ranges::reverse(before);
  return !goes_on(client.front(), before) &&
         !goes_on(client.back(), key.substr(at + client.size()));
}

}  // namespace

Mention mention_of(std::string_view key, std::string_view client) {
  Mention mention = Mention::none;
  if (client.empty()) return mention;
  for (auto at = key.find(client); at != key.npos; at = key.find(client, at + 1)) {
    if (is_whole(key, at, client)) return Mention::whole;
    mention = Mention::in_longer_name;
  }
  return mention;
}

bool is_address(std::string_view text) { return parse_host_address(text).has_value(); }

std::vector<std::string> forms_of_client(const std::string& text) {
  std::vector<std::string> forms{text};
  const auto add = [&](std::string form) {
    if (std::ranges::find(forms, form) == forms.end()) forms.push_back(std::move(form));
  };
  if (const auto address = parse_host_address(text)) add(format_host_address(*address));
  add(is_address(text) ? address_in_key(text) : user_in_key(text));
  return forms;
}

}  // namespace rlctl
