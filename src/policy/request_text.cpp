#include "policy/request_text.h"

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/suggest.h"
#include "base/template_text.h"
#include "base/text.h"

namespace rlctl {
namespace {

bool is_of_request(RequestWord word) { return word >= RequestWord::request; }
bool is_of_client(RequestWord word) { return !is_of_request(word); }

bool has_word(std::string_view text, bool (*meant)(RequestWord)) {
  return std::ranges::any_of(template_parts(text), [&](const TemplatePart& part) {
    const auto word =
        part.kind == TemplatePart::Kind::word ? meaning_of<RequestWord>(part.name) : std::nullopt;
    return word && meant(*word);
  });
}

std::string value_of(RequestWord word, const RequestValues& values) {
  switch (word) {
    case RequestWord::ip:
      return values.client.ip;
    case RequestWord::user:
      return values.client.user;
    case RequestWord::n:
      return std::to_string(values.client.n);
    case RequestWord::request:
      return std::to_string(values.request);
    case RequestWord::uuid:
      break;
  }
  return values.uuid;
}

std::string captured_value(std::string_view name, const RequestValues& values) {
  if (values.captured == nullptr) return {};
  for (const auto& [known, value] : *values.captured)
    if (known == name) return value;
  return {};
}

[[noreturn]] void refuse_word(std::string_view name, std::span<const std::string> captured) {
  std::vector<std::string> known = all_words<RequestWord>();
  known.insert(known.end(), captured.begin(), captured.end());
  const std::string nearest = did_you_mean(name, known);
  for (std::string& word : known) word = "<" + word + ">";
  throw Error(Exit::usage, "the word <" + std::string(name) + "> is not known here",
              nearest.empty() ? "it is one of " + joined(known) : nearest);
}

}  // namespace

RequestText::RequestText(std::string_view text, std::span<const std::string> captured,
                         const Environment& environment) {
  for (const TemplatePart& part : template_parts(text)) {
    if (part.kind == TemplatePart::Kind::word)
      add_word(part.name, captured);
    else if (part.kind == TemplatePart::Kind::variable)
      add_variable(part.name, environment);
    else
      pieces_.push_back({Kind::text, {}, std::string(part.name)});
  }
}

void RequestText::add_word(std::string_view name, std::span<const std::string> captured) {
  if (std::ranges::find(captured, name) != captured.end())
    return pieces_.push_back({Kind::captured, {}, std::string(name)});
  const auto word = meaning_of<RequestWord>(name);
  if (!word) refuse_word(name, captured);
  pieces_.push_back({Kind::word, *word, {}});
}

// CI systems set a secret that is missing to an empty text.
void RequestText::add_variable(std::string_view name, const Environment& environment) {
  const std::string shown(name);
  std::optional<std::string> value = environment(name);
  if (!value || value->empty())
    throw Error(Exit::usage,
                "the environment variable " + shown + (value ? " is empty" : " is not set"),
                "set it for this command: " + shown + "=… rlctl …; a plain ${ is written $${");
  secrets_.push_back(*value);
  pieces_.push_back({Kind::text, {}, std::move(*value)});
}

std::string RequestText::filled(const RequestValues& values, Encode encode) const {
  std::string text;
  for (const Piece& piece : pieces_) {
    if (piece.kind == Kind::text) {
      text += piece.text;
      continue;
    }
    const std::string value = piece.kind == Kind::captured ? captured_value(piece.text, values)
                                                           : value_of(piece.word, values);
    text += encode != nullptr ? encode(value) : value;
  }
  return text;
}

bool names_client(std::string_view text) { return has_word(text, is_of_client); }
bool names_request(std::string_view text) { return has_word(text, is_of_request); }

std::string masked(std::string text, const std::vector<std::string>& secrets) {
  constexpr std::string_view kMask = "***";
  for (const std::string& secret : secrets)
    for (std::size_t at = 0; !secret.empty() && (at = text.find(secret, at)) != text.npos;
         at += kMask.size())
      text.replace(at, secret.size(), kMask);
  return text;
}

}  // namespace rlctl
