// ExploreSpace: the states of an exploration, and what can happen next in each. A state consists of
// the state of Redis, the position of each client in its program, and the events that have
// happened. Each state and each step from it is stored once, no matter how many schedules lead to
// it.
//
// A client that only waits (local_states.h) is not scheduled while another can do something: a
// retry that changes nothing is not a step. If all remaining clients wait, one of them uses up its
// retries.
//
// Borrows the program and the evaluator. Error(Exit::usage) for a command that the model of Redis
// does not know. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "policy/rule.h"
#include "run/explore/local_states.h"

namespace rlctl {

inline constexpr std::size_t kMostExploredClients = 16;

struct ExploreEvents {
  std::vector<std::int64_t> time_steps_us;  // each once, in this order, anywhere
  // Each happens at most once in a schedule.
  bool crash = false;   // a client that has begun and not ended crashes
  bool expiry = false;  // time passes until a key has expired
  bool forget = false;  // SCRIPT FLUSH

  bool let_time_pass() const { return expiry || !time_steps_us.empty(); }
  bool any() const { return crash || forget || let_time_pass(); }
};

struct ExploreRules {
  std::size_t clients = 2;
  Rules contract;                 // must not be broken
  std::int64_t tolerance_us = 0;  // the resolution of the clock that the clients use
  std::int64_t start_us = 0;      // the virtual clock at the beginning
  ExploreEvents events;
  // Clients differ only in their names. So clients begin in their order, and the first step of the
  // next one also represents the schedules in which another idle client begins.
  bool clients_alike = false;
};

// What may happen next. `index`: the client, or the n-th key by name of those that can expire.
struct Choice {
  enum class Kind : std::uint8_t { client, crash, time, expiry, forget };
  Kind kind = Kind::client;
  std::uint8_t index = 0;
  friend bool operator==(const Choice&, const Choice&) = default;
};

class ExploreSpace {
 public:
  using State = std::uint32_t;
  struct Edge {
    Choice choice;
    State to = 0;
    std::uint8_t alike = 1;  // number of choices that this one represents
  };
  enum class Phase : std::uint8_t { idle, running, ended, crashed };
  // One client in one state.
  struct Slot {
    Phase phase = Phase::idle;
    LocalStates::Id local = 0;  // running
    Outcome outcome = Outcome::unknown;
    // When the commands of its decision ran, each instant once.
    std::vector<std::int64_t> ran_at_us;
    std::string problem;  // of a decision that failed
  };

  // `redis`: its state before the first command.
  ExploreSpace(ExploreRules rules, StepProgram& program, RedisModel redis);

  State first() const { return 0; }
  const ExploreRules& rules() const { return rules_; }

  // What can happen in a state, clients first. Empty if all clients have ended.
  std::vector<Edge> edges(State state);
  // The one with this choice; empty if it is not possible. Far cheaper than edges().
  std::optional<Edge> edge(State state, const Choice& choice);
  // The number of keys that can expire next.
  std::size_t expirable(State state) const { return ends_of_keys_ms(keys_[state]).size(); }

  bool breaks_contract(State state) const { return facts_[state].over_admission; }
  // Of the contract; all of its windows if each of them holds by itself.
  Rules broken_rules(State state) const;
  bool is_final(State state) const { return facts_[state].is_final; }
  // No client is between its first and its last command.
  bool is_quiescent(State state) const { return facts_[state].is_quiescent; }
  std::size_t admitted(State state) const { return facts_[state].admitted; }
  // Clients that were admitted and whose finish has not begun.
  std::size_t held(State state) const { return facts_[state].held; }
  bool is_holding(State state, std::size_t client) const { return is_holding(slot(state, client)); }
  bool has_decided(State state, std::size_t client) const {
    return has_decided(slot(state, client));
  }
  std::size_t in_doubt(State state) const { return facts_[state].in_doubt; }
  bool has_crash(State state) const;

  const RedisModel& redis(State state) const { return models_[keys_[state][0]]; }
  const Slot& slot(State state, std::size_t client) const;
  LocalStates& locals() { return locals_; }
  std::vector<std::string> keys_without_expiry(State state) const;

  // The next step of a client; null if it has not begun or has ended.
  const ProgramStep* pending(State state, std::size_t client) const;

  std::size_t states() const { return keys_.size(); }

  // A command that a waiting client repeated without effect; empty if no client waited.
  const Words& waited_with() const { return waited_with_; }

 private:
  using Key = std::array<std::uint32_t, 2 + kMostExploredClients>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Facts {
    bool over_admission = false, is_final = false, is_quiescent = false;
    std::uint8_t admitted = 0, held = 0, in_doubt = 0;
  };
  struct Executed {
    std::uint32_t model = 0;
    LocalStates::Id local = 0;
    bool waits = false;
  };

  State intern(const Key& key);
  std::uint32_t intern(RedisModel model);
  std::uint32_t intern(const Slot& slot);
  Facts facts_of(const Key& key) const;
  bool has_decided(const Slot& slot) const;
  bool is_admitted(const Slot& slot) const;
  bool is_holding(const Slot& slot) const;
  bool breaks_rules(const Key& key) const;
  bool breaks_windows(const Key& key, const Rules& rules) const;
  bool breaks_flight(const Key& key, const Rule& rule) const;
  Key key_before_step(State state) const;

  std::uint8_t alike(const Key& key, std::size_t client) const;
  LocalStates::Id local_of(const Key& key, std::size_t client);
  Executed execute(std::uint32_t model, LocalStates::Id local, std::size_t client);
  Key after(const Key& key, std::size_t client, const Executed& executed);
  bool has_free_client(const Key& key);
  std::optional<Edge> free_edge(const Key& key, std::size_t client);
  std::optional<Edge> waiter_edge(const Key& key, std::size_t client);
  std::optional<Edge> crash_edge(const Key& key, std::size_t client);
  std::optional<Edge> time_edge(const Key& key);
  std::optional<Edge> expiry_edge(const Key& key, std::size_t index);
  std::optional<Edge> forget_edge(const Key& key);
  Edge later(const Key& key, std::int64_t now_us, std::uint32_t events, const Choice& choice);
  std::vector<std::int64_t> ends_of_keys_ms(const Key& key) const;

  ExploreRules rules_;
  LocalStates locals_;
  std::vector<RedisModel> models_;
  std::unordered_map<std::string, std::uint32_t> model_ids_;
  std::vector<Slot> slots_;
  std::map<std::string, std::uint32_t> slot_ids_;
  std::vector<Key> keys_;
  std::vector<Facts> facts_;
  std::unordered_map<Key, State, KeyHash> ids_;
  std::unordered_map<std::uint64_t, Executed> executed_;
  Words waited_with_;
};

}  // namespace rlctl
