// ScriptCall: one script under one policy: the bytes of its EVALSHA, or the script itself where it
// runs on the client, and the meaning of its reply.
//
// All that does not change from decision to decision is encoded once; rendering then copies bytes
// around the key (and the cost, the time and a uuid where the script asks for them). Shared by all
// virtual users of a run; one thread. Throws Error(Exit::usage) where script and policy can't meet.
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
#include "limiter/limiter.h"
#include "limiter/registry.h"
#include "policy/policy.h"

namespace rlctl {

// real: time passes by itself. virtual_time: each attempt brings its own, and keys live for an
// hour, since Redis expires them in real time; a script without a now_* argument refuses it.
// modelled: each attempt brings its own, for a Redis whose clock is the same one; uuids are the
// same in every process.
enum class TimeSource : std::uint8_t { real, virtual_time, modelled };

class ScriptCall {
 public:
  ScriptCall(Script script, const Policy& policy, TimeSource time = TimeSource::real);

  const Script& script() const { return script_; }
  TimeSource time() const { return time_; }

  // Every key that an attempt at this time may touch.
  std::vector<std::string> keys_of(const Attempt& attempt) const;

  // For whoever runs the script itself: KEYS and ARGV of this attempt.
  struct Values {
    std::vector<std::string> keys;
    std::vector<std::string> arguments;
  };
  Values values_of(const Attempt& attempt);
  // The script, compiled; null where Redis runs it.
  ClientScript* client_script() { return client_script_.get(); }

  // Something about the script that showed while it ran; the first is kept, for people.
  void remark_once(std::string remark);
  const std::string& remark() const { return remark_; }

  // Replaces `wire` by the command of this attempt.
  void render(const Attempt& attempt, std::string& wire);

  // Reads outcome, remaining, retry_after, delay and stamp from a reply that is no error.
  // decision.sent_us is set before: expressions may ask for the time.
  void decode(const Reply& reply, const Attempt& attempt, Decision& decision);

 private:
  // The command is a row of parts; neighbours that never change are one literal.
  enum class PartKind : std::uint8_t { literal, key, cost, now, uuid };
  struct Part {
    PartKind kind = PartKind::literal;
    std::string bytes;                              // literal: as on the wire; key: a template
    ArgumentKind argument = ArgumentKind::literal;  // now
  };

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
  void compile_reply();
  void make_repeatable();
  void set_attempt(const Attempt& attempt, const Decision& decision);
  std::int64_t time_to_live_us() const;
  void check_fit() const;

  Script script_;
  Policy policy_;
  TimeSource time_;
  std::vector<Part> parts_;
  std::mt19937_64 random_{std::random_device{}()};
  std::unique_ptr<Expressions> expressions_;  // null: the reply is read by position
  std::unique_ptr<ClientScript> client_script_;
  std::string remark_;
};

}  // namespace rlctl
