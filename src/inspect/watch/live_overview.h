// LiveOverview: the limiters of a Redis as they are now, a row each, from looks at their keys again
// and again: use, flags, and what was admitted between two looks. Owns what it knows of each key;
// of too many limiters the most used stay. Pure; one thread. Times are the server's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inspect/block_flag.h"
#include "inspect/key_state.h"
#include "inspect/watch/admissions_between.h"
#include "inspect/watch/row.h"

namespace rlctl {

class LiveOverview {
 public:
  static constexpr std::size_t kMostLimiters = 10'000;

  // `policy`: limit 0 when it is not known.
  explicit LiveOverview(Policy policy, std::size_t most = kMostLimiters)
      : policy_(std::move(policy)), most_(most) {}

  // When the newest entry of a log was at the last look; empty: it has not been seen before.
  std::optional<std::int64_t> newest_us(const std::string& key) const;

  // A look at all keys has met this one. True when it was looked at since then anyway, so that it
  // need not be again.
  bool meet(const std::string& key, std::int64_t since_us);

  // `younger` as in admissions_between. A key that has gone takes its limiter along.
  void add(const KeyState& state, const KeyReading& reading, std::int64_t now_us,
           std::optional<std::int64_t> younger);

  // A look at all keys begins; it ends: limiters that it has not met are gone.
  void begin_pass();
  void end_pass();

  std::vector<WatchRow> rows() const;

  // All keys of a limiter that are known, its flag's among them or not; none: it is not known.
  std::vector<std::string> keys_of(const std::string& name) const;

  std::int64_t other_keys() const { return other_keys_; }  // of no limiter, in the last pass
  std::int64_t forgotten() const { return forgotten_; }    // limiters that there was no room for

 private:
  // What was seen between two looks.
  struct KeySpan {
    std::int64_t began_us = 0;
    std::int64_t ended_us = 0;
    Admissions seen;
  };
  struct Key {
    KeyLook look;
    std::vector<KeySpan> spans;  // between the looks of the last seconds
    std::string kind;
    std::optional<double> limit;
    std::optional<std::int64_t> frees_at_us;
    bool stuck = false;

    // Per second, over the spans; empty where none of them tells.
    std::optional<double> rate(std::optional<double> Admissions::*what) const;
  };
  struct Limiter {
    std::map<std::string, Key> keys;
    BlockFlag flag;
    std::string flag_key;  // empty: none was seen
    std::string problem;
    std::int64_t pass = 0;  // the last that has met it
  };

  void remove(const std::string& key);
  void add_key(Limiter& limiter, const KeyState& state, const KeyReading& reading,
               std::int64_t now_us, std::optional<std::int64_t> younger);
  void make_room();
  static WatchRow row_of(const std::string& name, const Limiter& limiter);
  static double rank_of(const Limiter& limiter);  // the least goes first where room is needed

  Policy policy_;
  std::size_t most_;
  std::map<std::string, Limiter> limiters_;
  std::int64_t pass_ = 0;
  std::int64_t other_keys_ = 0;
  std::int64_t other_keys_so_far_ = 0;
  std::int64_t forgotten_ = 0;
};

}  // namespace rlctl
