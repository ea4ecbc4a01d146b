// ScriptCall: one script under one policy. It has the bytes of the EVALSHA (or of the command that
// is the limiter), or the script itself if it runs on the client, and the meaning of the reply.
//
// All parts that are the same for every decision are encoded once; rendering then only copies bytes
// around the key (and the cost, the time and a uuid if the script asks for them). Shared by all
// virtual users of a run; one thread. Throws Error(Exit::usage) if the script can't be used with
// the policy.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "io/redis/reply.h"
#include "limiter/client_script.h"
#include "limiter/expression.h"
#include "limiter/key_setup.h"
#include "limiter/limiter.h"
#include "limiter/registry.h"
#include "policy/policy.h"

namespace rlctl {

// real: time passes by itself. virtual_time: each attempt brings its own time, and keys live for an
// hour, since Redis expires them in real time; a script without a now_* argument can't be used.
// modelled: each attempt brings its own time, for a Redis with the same clock; uuids are the same
// in every process.
enum class TimeSource : std::uint8_t { real, virtual_time, modelled };

class ScriptCall {
 public:
  ScriptCall(Script script, const Policy& policy, TimeSource time = TimeSource::real);

  const Script& script() const { return script_; }
  TimeSource time() const { return time_; }

  // Every key that an attempt at this time may touch.
  std::vector<std::string> keys_of(const Attempt& attempt) const;

  // The same keys for all clients: as the manifest names each of them, and as a template of <ip>
  // and <user> for may_meet(). Calls that are compared are given the same time.
  struct KeyTemplate {
    std::string role;
    std::string text;
  };
  std::vector<KeyTemplate> key_templates() const;

  // In a Redis Cluster, all keys of a decision must be in one slot. Error(Exit::usage) names two
  // keys that are not, their slots, and how to write `key`.
  void require_one_slot(const std::string& key) const;
  // The same for the key of the policy, which is made alike for all clients.
  void require_one_slot() const;

  // KEYS and ARGV of this attempt, for code that runs the script itself. Of a command, all its
  // words are arguments.
  struct Values {
    std::vector<std::string> keys;
    std::vector<std::string> arguments;
    std::int64_t told_us = kNoTime;  // as render()
  };
  Values values_of(const Attempt& attempt);
  // The compiled script; null if Redis runs it.
  ClientScript* client_script() { return client_script_.get(); }

  // The call at the end of the work; null if the script has none.
  ScriptCall* finish() { return finish_.get(); }
  // The call before the first decision of a key; null if the script needs none.
  ScriptCall* setup() { return setup_.get(); }
  KeySetup& key_setup() { return key_setup_; }
  // A uuid for a decision and its finish (Attempt::ticket).
  std::string new_ticket() { return uuid(); }

  // Something noticed while the script ran. Only the first remark is kept, for a person to read.
  void remark_once(std::string remark);
  const std::string& remark() const { return remark_; }

  // Replaces the content of `wire` with the command of this attempt. Returns the time that it gives
  // to the script, by our own clock; kNoTime if the script is given none.
  std::int64_t render(const Attempt& attempt, std::string& wire);

  // What decides where a command belongs in a cluster: its first key, where it stands in the wire.
  // Empty for a script, whose place is known by its form.
  std::string_view key_in(std::string_view wire) const;

  // Reads outcome, remaining, retry_after, delay and stamp from a reply that is not an error.
  // decision.sent_us must be set before: expressions may use the time.
  void decode(const Reply& reply, const Attempt& attempt, Decision& decision);

 private:
  // The command is a sequence of parts; adjacent parts that never change are one literal.
  enum class PartKind : std::uint8_t { literal, key, cost, actual_cost, now, uuid };
  struct Part {
    PartKind kind = PartKind::literal;
    std::string bytes;                              // literal: as on the wire; key: a template
    ArgumentKind argument = ArgumentKind::literal;  // now
  };

  void add_head();
  void add_literal(std::string_view bytes);
  void add_key(const std::string& key_template);
  void add_argument(const Argument& argument);
  void append_part(const Part& part, const Attempt& attempt, std::int64_t now_us,
                   std::string& wire);
  bool attempts_bring_time() const { return time_ != TimeSource::real; }
  bool is_given_time(const Argument& argument) const;
  std::int64_t time_number(ArgumentKind kind, std::int64_t now_us) const;
  std::string argument_text(const Argument& argument) const;
  std::string uuid();
  std::int64_t time_of(const Attempt& attempt) const;
  double argument_number(const Argument& argument) const;
  void expand_slots();
  void compile_reply();
  std::string mixed_types(bool allowed);
  void make_repeatable();
  void set_attempt(const Attempt& attempt, const Decision& decision);
  std::int64_t time_to_live_us() const;
  // The time in which one more is admitted.
  double emission_us() const {
    return static_cast<double>(policy_.window_us) / static_cast<double>(policy_.limit);
  }
  void check_fit() const;

  Script script_;
  Policy policy_;
  TimeSource time_;
  std::vector<Part> parts_;
  std::mt19937_64 random_{std::random_device{}()};
  std::vector<Equality> equalities_;          // of a command's `allowed`
  std::unique_ptr<Expressions> expressions_;  // null: the reply is read by position
  std::unique_ptr<ClientScript> client_script_;
  std::unique_ptr<ScriptCall> finish_;
  std::unique_ptr<ScriptCall> setup_;
  KeySetup key_setup_;
  std::string remark_;
};

}  // namespace rlctl
