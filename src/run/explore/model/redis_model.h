// RedisModel: a Redis in memory, for exploring many sequences of events. It is cheap to copy, equal
// states have equal fingerprints, and time moves only when told to. It knows the commands that
// limiters use on strings, lists, hashes, sets and sorted sets, expiry, MULTI/EXEC/WATCH per
// client, and scripts, each as one atomic step. Its replies are those of a redis-server, byte for
// byte (RESP2), errors included. For what it does not know it throws Error(Exit::usage); it never
// guesses.
//
// A plain value except for the evaluator of scripts, which it borrows. One thread.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "run/explore/model/command.h"

namespace rlctl {

// Runs a script's text as one atomic step; `call` is its redis.call.
class ScriptEvaluator {
 public:
  virtual ~ScriptEvaluator() = default;
  virtual Reply evaluate(const std::string& text, const Words& keys, const Words& args,
                         const std::function<Reply(const Words&)>& call) = 0;
};

class RedisModel {
 public:
  // `evaluator` may be null: then EVAL and EVALSHA throw Error(Exit::usage).
  RedisModel(std::size_t clients, std::int64_t now_us, ScriptEvaluator* evaluator = nullptr)
      : keyspace_(now_us), clients_(clients), evaluator_(evaluator) {}

  // One command of one client: its name in any case, then its arguments.
  Reply execute(std::size_t client, const Words& command);

  std::int64_t now_us() const { return keyspace_.now_us(); }
  void advance_to(std::int64_t now_us);

  // The connection is closed: its WATCH and its queue are lost.
  void disconnect(std::size_t client) { clients_[client] = {}; }
  // Another client sends SCRIPT FLUSH.
  void forget_scripts() { scripts_.clear(); }
  bool knows_scripts() const { return !scripts_.empty(); }

  const std::map<std::string, ModelEntry>& entries() const { return keyspace_.entries(); }
  bool watches(const std::string& key) const;

  std::string fingerprint() const;

 private:
  struct Client {
    bool in_transaction = false;
    bool aborted = false;  // a command could not be queued
    bool dirty = false;    // a watched key was changed
    std::vector<Words> queue;
    std::set<std::string> watched;
  };

  Reply dispatch(std::size_t client, const Words& words);
  Reply transaction(Client& client, const Words& words);
  Reply execute_queue(Client& client);
  Reply run(const Words& words);
  Reply evaluate(const Words& words);
  Reply script_command(const Words& words);
  void mark_watchers();

  ModelKeyspace keyspace_;
  std::vector<Client> clients_;
  std::map<std::string, std::string> scripts_;  // by SHA-1
  ScriptEvaluator* evaluator_;
};

}  // namespace rlctl
