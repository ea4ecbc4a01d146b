// The Redis that a verb uses: options -> Endpoint, and the loop and connections on it.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "cli/options/tls_options.h"
#include "io/loop.h"
#include "io/redis/deployment/deployment.h"
#include "io/redis/deployment/embedded_redis.h"
#include "io/redis/deployment/replica.h"
#include "io/redis/endpoint.h"
#include "io/redis/paced_redis.h"

namespace rlctl {

// Without --redis, admin verbs use redis://127.0.0.1:6379 like redis-cli. Verbs that play traffic
// start an embedded server of their own, so that by default they can't reach anybody's data.
enum class WithoutUrl : std::uint8_t { local, embedded };

// A replica may be older than its master, and what is written to it does not reach its master.
// tell: a remark, for verbs that read. refuse: Error(Exit::target), for verbs that write. go_on:
// for verbs to which neither matters.
enum class OnReplica : std::uint8_t { tell, refuse, go_on };

class RedisOptions {
 public:
  void add_to(Options& app, WithoutUrl without_url);

  bool embedded() const { return without_url_ == WithoutUrl::embedded && !names_server(); }
  // The private server or cluster. Error(Exit::usage) if the user's Redis was given too, or what
  // starts a server beside it.
  EmbeddedSpec embedded_spec() const;
  // Error(Exit::usage) if the private server is used and options were given that it can't have.
  void check_private_server() const;
  // The endpoint of --redis, or of -s, or of -h and -p, or the default. The password is the first
  // of: --pass, the URL's, --pass-file, REDISCLI_AUTH. Error(Exit::usage).
  Endpoint endpoint() const;
  // The endpoint of another URL, with the time-out, the settings of TLS and, if it has none, the
  // password of --pass-file or REDISCLI_AUTH; endpoint() if `url` is empty.
  Endpoint endpoint_of(const std::string& url) const;
  const TlsOptions& tls() const { return tls_; }
  std::int64_t timeout_us() const;
  bool has_timeout() const { return !timeout_.empty(); }

 private:
  std::vector<std::string> naming_server() const;
  bool names_server() const { return !naming_server().empty(); }
  Endpoint named_server() const;
  int database_of(const Endpoint& named) const;
  Endpoint completed(Endpoint endpoint) const;
  std::string password() const;
  void warn_of_password(const char* option) const;

  WithoutUrl without_url_ = WithoutUrl::local;
  std::string url_;
  std::string host_;
  std::string port_;
  std::string socket_;
  std::string database_;
  std::string user_;
  std::string password_;  // of --pass
  mutable bool warned_ = false;
  std::string pass_file_;
  std::string timeout_;
  std::string server_program_;
  TlsOptions tls_;
  std::string embedded_;
  bool cluster_ = false;
};

// A running verb's Redis: the loop, the embedded server if there is one, and a first connection.
class RedisSession {
 public:
  // Connects. Error(Exit::target) if that fails.
  explicit RedisSession(const RedisOptions& options, OnReplica on_replica = OnReplica::tell,
                        Loop::Timers timers = Loop::Timers::coarse);
  // For long work that takes at most a share of the server's time.
  RedisSession(const RedisOptions& options, LoadPacer pacer);

  Loop& loop() { return loop_; }
  RedisClient& redis() { return paced_ ? *paced_ : *redis_; }
  // Of a session that is paced; that Redis is then redis().
  PacedRedis& paced() { return paced_.value(); }
  Task<bool> turn() { return paced().turn(); }
  Deployment& deployment() { return deployment_; }
  // A command for the user, at the same Redis.
  std::string command(const std::string& words) const {
    return rlctl_command(words, deployment_.endpoint());
  }
  bool embedded() const { return server_.has_value(); }
  // As OnReplica::refuse, for a verb that does not write each time.
  void require_master() const;
  // What is missing on a replica that is not in step with its master, in words; else "".
  std::string lag() const;
  // What a search of all keys could not see, in words: "" if it was complete. Asks the Sentinels.
  std::string unseen();
  // Tells it on standard error, unless this session has told it: one verb may search several times.
  void tell_once(const std::string& words);

  template <typename T>
  T run(Task<T> task) {
    return loop_.run(std::move(task));
  }

 private:
  // The order matters: the first member is destroyed last and must outlive the others.
  std::optional<EmbeddedRedis> server_;
  Loop loop_;
  Deployment deployment_;
  std::unique_ptr<RedisClient> redis_;
  std::optional<Replica> replica_;
  std::optional<PacedRedis> paced_;
  std::set<std::string> told_;
};

}  // namespace rlctl
