// The keys under which rules count the records of a log: the key of each record, or, for a rule
// `per NAME`, what the record's value of that name gives (policy/per.h). A rule does not count a
// record without a value. Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "log/record.h"
#include "policy/rule.h"

namespace rlctl {

inline constexpr std::uint32_t kUncounted = std::numeric_limits<std::uint32_t>::max();

// Throws Error(Exit::usage) if a rule counts by a name of which no record has a value. `columns`:
// those of the log, if they are known.
void require_names(const Log& log, const Rules& rules, std::span<const std::string> columns = {});

// "2 requests have no 'user': 10 per 1s per user does not count them", for each such rule.
std::vector<std::string> notes_on_names(const Log& log, const Rules& rules);

// Whether rules of different keys count the same record: then a record has several keys.
bool have_different_keys(const Rules& rules);

// The keys of one rule, numbered.
class RuleKeys {
 public:
  // Refers to the log. `per`: Rule::per; a name that the log does not have counts nothing.
  RuleKeys(const Log& log, const std::string& per);

  std::uint32_t of(std::size_t record) const;
  bool has_own() const { return !per_.empty(); }  // not those of the log
  std::size_t size() const { return texts().size(); }
  const std::vector<std::string>& texts() const { return per_.empty() ? log_.keys : texts_; }

 private:
  const Log& log_;
  std::string per_;
  const NamedValues* values_ = nullptr;
  std::vector<std::uint32_t> key_of_value_;
  std::vector<std::string> texts_;
};

// The records of each key in their order, one key after the other in one block of memory.
class RecordsByKey {
 public:
  RecordsByKey(const Log& log, const RuleKeys& keys);

  std::size_t keys() const { return begins_.size() - 1; }
  std::span<const std::uint32_t> of(std::size_t key) const {
    return std::span(indexes_).subspan(begins_[key], begins_[key + 1] - begins_[key]);
  }

 private:
  std::vector<std::size_t> begins_;  // where each key's records begin; the last entry: the end
  std::vector<std::uint32_t> indexes_;
};

// The records that the rule counts, with its keys as keys of the log. For pictures: a copy, with
// records at other indexes.
Log counted_by(const Log& log, const Rule& rule);

// Empty: the rule does not count it.
std::optional<std::string> key_under(const Log& log, const Rule& rule, std::size_t record);

}  // namespace rlctl
