// ModelKeyspace: the keys of a modelled Redis, with their values, their expiry and a clock that
// moves only when told to. Part of RedisModel (redis_model.h). A plain value: copying it copies the
// Redis. Never fails. One thread.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rlctl {

using ModelList = std::vector<std::string>;
using ModelHash = std::vector<std::pair<std::string, std::string>>;  // in the order of insertion
using ModelSet = std::set<std::string>;
using ModelZset = std::set<std::pair<double, std::string>>;
using ModelValue = std::variant<std::string, ModelList, ModelHash, ModelSet, ModelZset>;

inline constexpr std::int64_t kNeverExpires = std::numeric_limits<std::int64_t>::max();

struct ModelEntry {
  ModelValue value;
  std::int64_t expires_ms = kNeverExpires;  // since 1970; the key exists during that millisecond
};

class ModelKeyspace {
 public:
  explicit ModelKeyspace(std::int64_t now_us) : now_us_(now_us) {}

  std::int64_t now_us() const { return now_us_; }
  std::int64_t now_ms() const { return now_us_ / 1000; }

  // Never moves back. Expired keys are removed at once, which is what every client of a Redis sees.
  void advance_to(std::int64_t now_us);
  void drop_expired();

  ModelEntry* find(const std::string& key);
  const std::map<std::string, ModelEntry>& entries() const { return entries_; }

  // Replaces any old value and its expiry.
  ModelEntry& put(const std::string& key, ModelValue value);
  bool erase(const std::string& key);
  void drop_if_empty(const std::string& key);

  // For WATCH: the keys that were changed since the last take.
  void touch(const std::string& key) { touched_.push_back(key); }
  std::vector<std::string> take_touched() { return std::exchange(touched_, {}); }

  // Equal if and only if no command can tell two keyspaces apart.
  void append_fingerprint(std::string& bytes) const;

 private:
  std::map<std::string, ModelEntry> entries_;
  std::vector<std::string> touched_;
  std::int64_t now_us_;
};

// Writes the length before the bytes: different sequences of texts give different bytes.
void put_text(std::string& bytes, const std::string& text);
void put_number(std::string& bytes, std::int64_t number);

}  // namespace rlctl
