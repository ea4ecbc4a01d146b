// KEY or PATTERN on the command line, as bytes: options -> targets.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"

namespace rlctl {

// What the same text names with another option.
struct OtherName {
  std::string bytes;
  const char* option = "";
  bool is_client = false;  // of some keys, not one key
};

struct KeyTarget {
  std::string bytes;
  bool pattern = false;                // may match more than one key
  std::vector<OtherName> others = {};  // what the user may have meant if nothing is found

  // In quotes, as the user wrote it.
  std::string in_words() const;
  // "no key matches the pattern 'api:*'", "no key 'api:u1' found".
  std::string not_found() const;
};

class KeyOptions {
 public:
  enum class Takes { keys, one_key, keys_or_patterns, one_pattern };
  void add_to(Options& app, Takes takes);
  void add_block_key_to(Options& app);

  // Error(Exit::usage) for an empty key and a wrong \xNN.
  std::vector<KeyTarget> targets() const;
  // What SCAN searches for the first target: a key stands for all that begin with it. "*" without
  // one.
  std::string search_pattern() const;
  std::string block_key() const;  // empty: the default

 private:
  std::string decoded(const std::string& text) const;
  KeyTarget target_of(const std::string& text) const;

  std::vector<std::string> keys_;
  std::string block_key_;
  bool literal_ = false;
  bool escaped_ = false;
};

}  // namespace rlctl
