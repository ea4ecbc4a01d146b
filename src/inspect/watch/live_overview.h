// LiveOverview: the current limiters of a Redis, one row each, from repeated looks at their keys:
// use, flags, and how many requests were admitted between two looks. Owns what it knows about each
// key. If there are too many limiters, the most used stay. Pure; one thread. Times are the
// server's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "inspect/limiter_row.h"
#include "inspect/watch/admissions_between.h"

namespace rlctl {

class LiveOverview {
 public:
  static constexpr std::size_t kMostLimiters = 10'000;

  // `policy`: limit 0 if it is not known.
  // Borrows the reader.
  LiveOverview(Policy policy, KeyReader& reader, std::size_t most = kMostLimiters)
      : policy_(std::move(policy)), reader_(reader), most_(most) {}

  // The time of the newest entry of a log at the last look; empty: it has not been seen before.
  std::optional<std::int64_t> newest_us(const std::string& key) const;

  // A pass over all keys has found this key. Returns true if it was looked at after `since_us` and
  // need not be again.
  bool meet(const std::string& key, std::int64_t since_us);

  // `younger` as in admissions_between. A key that no longer exists is removed from its limiter.
  void add(const KeyState& state, const KeyReading& reading, std::int64_t now_us,
           std::optional<std::int64_t> younger);

  // begin_pass: a pass over all keys begins. end_pass: limiters that it has not found are removed.
  void begin_pass();
  void end_pass();

  std::vector<LimiterRow> rows() const;

  // All known keys of a limiter, perhaps including its flag's; empty: the limiter is not known.
  std::vector<std::string> keys_of(const std::string& name) const;

  std::int64_t other_keys() const { return other_keys_; }  // of no limiter, in the last pass
  std::int64_t forgotten() const { return forgotten_; }    // limiters dropped for lack of room

 private:
  // The difference between two looks.
  struct KeySpan {
    std::int64_t began_us = 0;
    std::int64_t ended_us = 0;
    Admissions seen;
  };
  struct Key {
    KeyLook look;
    std::vector<KeySpan> spans;  // between the looks of the last seconds
    std::optional<double> limit;
    std::optional<std::int64_t> frees_at_us;
    std::int64_t ttl_ms = kNoKey;
    bool hides_expiry = false;
    bool guess = false;
    bool rule_in_doubt = false;
    std::optional<double> left;
    std::vector<std::string> layouts;
    std::string client;
    std::string value;
    bool never_reset = false;
    FieldsSay fields_say = FieldsSay::nothing;
    std::string problem;  // why it can't be read: then nothing else is known

    // Per second, over the spans; empty if no span shows it.
    std::optional<double> rate(std::optional<double> Admissions::*what) const;
  };
  struct Limiter {
    std::map<std::string, Key> keys;
    std::vector<KeyState> together;  // of the keys that are read together
    BlockFlag flag;
    LayoutReading flag_layout;
    std::string flag_key;   // empty: no flag was seen
    std::int64_t pass = 0;  // the last pass that found it
  };

  void remove(const std::string& key);
  void add_together(Limiter& limiter, const KeyState& state, const KeyReading& reading,
                    std::int64_t now_us, std::optional<std::int64_t> younger);
  void add_key(Limiter& limiter, const KeyState& state, const KeyReading& reading,
               std::int64_t now_us, std::optional<std::int64_t> younger);
  void make_room(std::int64_t now_us);
  bool is_known_or_greater(const std::string& name, Urgency urgency);
  static LimiterRow row_of(const std::string& name, const Limiter& limiter);

  Policy policy_;
  KeyReader& reader_;
  std::size_t most_;
  std::unordered_map<std::string, Limiter> limiters_;
  std::int64_t pass_ = 0;
  std::int64_t other_keys_ = 0;
  std::int64_t other_keys_so_far_ = 0;
  std::int64_t forgotten_ = 0;
  std::optional<Urgency> least_kept_;  // what a new limiter must exceed; empty: there is room
};

}  // namespace rlctl
