// KeyExam: what the keys of a whole Redis show, collected while SCAN runs. Names that differ only
// in the client are one family: by the layout of their library, else as key_family.h says. Memory:
// up to 10,000 families. Pure; one thread.
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

struct KeyExamPlan {
  Policy policy{};              // limit 0: not known
  bool all_are_limits = false;  // the user named the keys, so none is taken for something else
  bool on_cluster = false;
};

class KeyExam {
 public:
  // Borrows the layouts.
  KeyExam(KeyExamPlan plan, const Layouts& layouts) : plan_(std::move(plan)), layouts_(layouts) {}

  // Keys may come in any order, and twice. `reading`: together with the other keys of its limiter.
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
    void add(const Seen& other) {
      if (keys == 0) example = other.example;
      keys += other.keys;
    }
  };
  using Types = std::array<Seen, 5>;  // by StateType
  struct Family {
    std::string library;  // that writes such keys; empty: not known
    Seen never_reset, may_be_any, kept, endless, long_lived, impossible;
    Types by_type;
    Types expiring_by_type;
    std::int64_t expiring = 0;
    std::int64_t window_us = 0;  // of those that are long-lived
    bool known = false;          // an algorithm that is known stores such a state
    bool must_expire = false;    // its library sets an expiry always
    bool is_flag = false;
  };
  // Names that only one library's limiters should have.
  struct Claim {
    std::map<std::string, Seen> by_library;
    std::map<std::string, StateType> types;
    Types strange;  // by type: not as any of them stores it
  };
  // Keys that may be in another slot than those with which they are asked.
  struct Apart {
    std::string family, key;
    std::vector<std::string> partners;
  };

  Family* family_of_key(const std::string& key, const KeyReading& reading);
  void add_expiry(Family& family, const KeyState& state, const KeyReading& reading) const;
  void add_claim(const KeyState& state, const KeyReading& reading);
  void add_apart(const KeyState& state, const KeyReading& reading, bool flag,
                 const std::string& limiter);
  bool is_impossible(const KeyState& state, const KeyReading& reading) const;
  bool holds_limits(const Family& family) const;
  std::map<std::string, Family> siblings() const;
  static bool differs_from_siblings(const Family& all);
  static void tell(Ailment kind, const Seen& seen, const std::string& like, const char* one,
                   const char* several, HealthFindings& findings);
  static void tell_types(Ailment kind, const std::string& name, const Types& types,
                         HealthFindings& findings);
  void examine(std::string_view name, const Family& family, HealthFindings& findings) const;
  void examine_claims(HealthFindings& findings) const;
  void examine_siblings(HealthFindings& findings) const;
  void examine_slots(HealthFindings& findings) const;

  KeyExamPlan plan_;
  const Layouts& layouts_;
  std::map<std::string, Family> families_;
  std::map<std::string, Claim> claims_;
  std::vector<Apart> apart_;
  Fingerprints met_;
  Fingerprints limiters_;
  FullestCounters fullest_;
  std::vector<std::string> sample_;
  std::int64_t keys_ = 0;
  std::int64_t clients_ = 0;
};

}  // namespace rlctl
