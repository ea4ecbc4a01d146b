// The members of a JSON object as checked values. Every getter returns the value, or the default if
// the member is missing or wrong. Errors are collected with their places, so that one reading finds
// all of them. Pure; throws nothing but std::bad_alloc.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json_document.h"
#include "base/source_text.h"
#include "base/units.h"
#include "base/words.h"

namespace rlctl {

// Collects the errors of a document.
class SourceProblems {
 public:
  explicit SourceProblems(std::vector<SourceProblem>& list) : list_(list) {}
  void add(SourceSpan span, std::string pointer, std::string what, std::string hint = {}) {
    list_.push_back({span, std::move(pointer), std::move(what), std::move(hint)});
  }
  std::size_t size() const { return list_.size(); }

 private:
  std::vector<SourceProblem>& list_;
};

struct CountRange {
  std::int64_t min = 1;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

class ObjectFields {
 public:
  // Reports members that are not in `keys`. Reports a value that is not an object, and treats it as
  // an empty object.
  ObjectFields(const JsonValue& value, std::string pointer, std::span<const std::string> keys,
               SourceProblems& problems);

  const JsonValue* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::string pointer(std::string_view name) const { return pointer_to(pointer_, name); }
  const std::string& pointer() const { return pointer_; }
  SourceSpan span() const { return value_.span; }
  SourceProblems& problems() { return problems_; }

  // Adds a problem with a member (its name and value are underlined), or with the object itself.
  void complain(std::string_view name, std::string what, std::string hint = {});
  // The functions of base/units.h throw "NAME: what". The NAME is removed, because the pointer
  // contains it.
  void complain(std::string_view name, const Error& error);
  // A mistake inside of a text: underlined there.
  void complain_in_text(std::string_view name, TextMistake mistake);
  void complain_here(std::string what, std::string hint = {});
  void require(std::string_view name, std::string hint);

  std::string text(std::string_view name, std::string otherwise = {});
  bool boolean(std::string_view name, bool otherwise);
  std::int64_t count(std::string_view name, std::int64_t otherwise, CountRange range = {});
  // A decimal number within [min, max].
  double decimal(std::string_view name, double otherwise, double min, double max);
  // "60s"; `duration` also accepts 0s.
  std::int64_t duration(std::string_view name, std::int64_t otherwise);
  std::int64_t positive_duration(std::string_view name, std::int64_t otherwise);
  // "+1500ms", "-2s".
  std::int64_t signed_duration(std::string_view name, std::int64_t otherwise);
  // "30/1m".
  std::optional<Rate> rate(std::string_view name, std::int64_t least = 1);
  // "0.1%" -> 0.001.
  double share(std::string_view name, double otherwise);
  // The items of a list, of any kind; empty if it is not a list.
  std::vector<const JsonValue*> list(std::string_view name);
  // One text, or a list of texts.
  std::vector<std::string> texts(std::string_view name);

  template <typename Meaning>
  Meaning word(std::string_view name, Meaning otherwise) {
    if (!has(name)) return otherwise;
    const std::optional<std::string> written = text_of(name);
    if (!written) return otherwise;
    if (const auto meaning = meaning_of<Meaning>(*written)) return *meaning;
    refuse_word(name, *written, all_words<Meaning>());
    return otherwise;
  }

 private:
  // Null for a value that was already reported as wrong.
  const JsonValue* readable(std::string_view name) const;
  std::optional<std::string> text_of(std::string_view name);
  void refuse_word(std::string_view name, const std::string& written,
                   const std::vector<std::string>& words);
  void expected(std::string_view name, const char* what, std::string hint = {});

  const JsonValue& value_;
  std::string pointer_;
  SourceProblems& problems_;
};

// "it is one of wall, virtual".
std::string one_of(std::span<const std::string> words);

// "did you mean …", otherwise one_of.
std::string suggestion(std::string_view written, std::span<const std::string> words);

}  // namespace rlctl
