#include "cli/options/key_options.h"

#include <algorithm>

#include "base/error.h"
#include "base/escape.h"
#include "base/glob.h"

namespace rlctl {

// What rlctl has printed is not escaped once more.
std::string KeyTarget::in_words() const {
  for (const OtherName& other : others)
    if (escape_for_terminal(other.bytes) == bytes) return in_quotes(other.bytes);
  return in_quotes(bytes);
}

std::string KeyTarget::not_found() const {
  return pattern ? "no key matches the pattern " + in_words() : "no key " + in_words() + " found";
}

void KeyOptions::add_to(Options& app, Takes takes) {
  const bool many = takes == Takes::keys || takes == Takes::keys_or_patterns;
  const bool patterns = takes == Takes::keys_or_patterns || takes == Takes::one_pattern;
  const char* name = takes == Takes::one_pattern ? "pattern" : "key";
  Option option = app.add_option(
      name, keys_,
      takes == Takes::one_pattern ? "a pattern of keys, such as 'ratelimit:ip:*'; a name stands "
                                    "for all that begin with it [*]"
      : patterns ? "a client, such as 203.0.113.7; a key; or a pattern, such as 'api:*'"
                 : "the limiter's key");
  option.type_name(patterns ? "PATTERN" : "KEY");
  if (takes == Takes::keys_or_patterns) option.type_name("CLIENT|KEY|PATTERN");
  if (takes != Takes::one_pattern) option.required();
  option.expected(takes == Takes::one_pattern ? 0 : 1, many ? Options::kAnyNumber : 1);
  app.add_flag("--literal", literal_, "treat * ? [ ] and \\ as ordinary characters");
  app.add_flag("--escaped", escaped_,
               "names are escaped as rlctl prints them (\\x1b is one byte), and never patterns");
}

void KeyOptions::add_block_key_to(Options& app) {
  app.add_option("--block-key", block_key_,
                 "the key of the block flag [<key>:blocked; a suffix such as :minute is replaced]")
      .type_name("KEY");
}

std::string KeyOptions::decoded(const std::string& text) const {
  if (text.empty())
    throw Error(Exit::usage, "the key is empty", "check that your shell variable is set");
  if (!escaped_) return text;
  const auto bytes = unescape(text);
  if (!bytes)
    throw Error(Exit::usage,
                "--escaped: a backslash in " + in_quotes(text) + " does not begin a \\xNN",
                "write a backslash as \\x5c");
  return *bytes;
}

std::vector<KeyTarget> KeyOptions::targets() const {
  std::vector<KeyTarget> targets;
  for (const std::string& text : keys_) targets.push_back(target_of(text));
  return targets;
}

KeyTarget KeyOptions::target_of(const std::string& text) const {
  KeyTarget target{decoded(text)};
  const std::string& bytes = target.bytes;
  // After a prefix, '[' usually belongs to an IPv6 address (rl:[::1]), not to a class, so the key
  // is taken literally unless it also has a * or ?. At the beginning it stays a pattern, which
  // reset refuses.
  const bool address = bytes.find_first_of("*?") == bytes.npos && !literal_prefix(bytes).empty();
  target.pattern = !literal_ && !escaped_ && is_pattern(bytes) && !address;
  if (target.pattern) target.others.push_back({bytes, "--literal"});
  const auto unescaped = escaped_ ? std::nullopt : unescape(text);
  if (unescaped && *unescaped != bytes) target.others.push_back({*unescaped, "--escaped"});
  return target;
}

std::string KeyOptions::search_pattern() const {
  const std::vector<KeyTarget> all = targets();
  if (all.empty()) return "*";
  return all.front().pattern ? all.front().bytes : escape_pattern(all.front().bytes) + "*";
}

std::string KeyOptions::block_key() const {
  return block_key_.empty() ? block_key_ : decoded(block_key_);
}

}  // namespace rlctl
