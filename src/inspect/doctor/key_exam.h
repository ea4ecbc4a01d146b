// KeyExam: what the keys of a whole Redis show, collected while SCAN runs. Names that differ only
// in their numbers, or within braces, are one family: `rl:{10.0.0.1}:minute` and
// `rl:{10.0.0.2}:minute`. Memory: up to 10,000 families. Pure; one thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/doctor/finding.h"
#include "inspect/doctor/hot_keys.h"
#include "inspect/fingerprints.h"
#include "inspect/key_reading.h"
#include "inspect/key_state.h"
#include "inspect/layouts.h"

namespace rlctl {

// `rl:{#}:minute`, `LIMITS:LIMITER/#.#.#.#/login/#/#/minute`.
std::string family_of(std::string_view key);

struct KeyExamPlan {
  Policy policy{};              // limit 0: not known
  bool all_are_limits = false;  // the user named the keys, so none is taken for something else
  bool on_cluster = false;
};

class KeyExam {
 public:
  explicit KeyExam(KeyExamPlan plan) : plan_(std::move(plan)) {}

  // Keys may come in any order, and twice.
  void add(const KeyState& state, const KeyReading& reading, std::int64_t now_us);
  void examine(HealthFindings& findings) const;

  std::int64_t keys() const { return keys_; }  // that may be of limiters, flags too
  // Their limiters: the keys of one client are one.
  std::int64_t clients() const { return clients_; }
  FullestCounters& fullest() { return fullest_; }
  // Some of them, for an estimate of their memory.
  const std::vector<std::string>& sample() const { return sample_; }

 private:
  struct Seen {
    std::int64_t keys = 0;
    std::string example;
    void add(std::string_view key) {
      if (keys++ == 0) example = key;
    }
  };
  struct Family {
    Seen never_reset, kept, endless, long_lived, impossible, crossed;
    std::array<Seen, 5> by_type;  // of StateType
    std::int64_t expiring = 0;
    bool known = false;  // an algorithm that is known stores such a state
  };

  void add_expiry(Family& family, const KeyState& state, const KeyReading& reading) const;
  bool is_impossible(const KeyState& state) const;
  bool holds_limits(const Family& family) const;
  static void tell(Ailment kind, const Seen& seen, const std::string& what,
                   HealthFindings& findings);
  void examine(const std::string& name, const Family& family, HealthFindings& findings) const;

  KeyExamPlan plan_;
  Layouts layouts_;
  std::map<std::string, Family> families_;
  Fingerprints met_;
  Fingerprints limiters_;
  FullestCounters fullest_;
  std::vector<std::string> sample_;
  std::int64_t keys_ = 0;
  std::int64_t clients_ = 0;
};

}  // namespace rlctl
