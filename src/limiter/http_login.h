// HttpLogin: the requests that each client sends before its first one, and the values that it
// captures from their answers, such as a token. They are not part of any log.
//
// If no text of them differs between clients, they are sent once, for all. Captured values and
// variables of the environment are never shown. The loop must outlive it. One thread.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>

#include "io/http/http_client.h"
#include "io/latch.h"
#include "io/loop.h"
#include "limiter/http_target.h"
#include "limiter/request_numbers.h"

namespace rlctl {

class HttpLogin {
 public:
  // Throws Error(Exit::usage) if the login of the spec is invalid. `transport`: TLS and proxy.
  HttpLogin(Loop& loop, const TargetSpec& spec, const HttpSettings& transport,
            RequestNumbers& numbers);

  bool is_needed() const { return !steps_.empty(); }
  // True if clients log in one by one, so that what they captured tells them apart.
  bool varies_with_client() const;

  // Logs in those of the clients that have not logged in yet. Throws Error(Exit::target) if an
  // answer is not 2xx, or has no value to capture.
  Task<> log_in(std::span<const Identity> clients);

  // Logs the client in again if its login is too old (LoginStep::again_us). If several requests of
  // one login find that, the first does it and the others go on with the old values. If it fails:
  // Error(Exit::target), the old values stay, and the next request tries again.
  Task<> renew_if_old(const Identity& client);
  bool is_renewed() const { return again_us_ > 0; }

  // What the client has captured; nothing before its login.
  const CapturedValues& values_of(const Identity& client) const;

 private:
  struct Step {
    HttpTarget target;
    std::unique_ptr<HttpPool> pool;
  };

  struct Session {
    CapturedValues values;
    std::int64_t old_at_us = 0;
  };

  std::string name_of(const Identity& client) const;
  Task<> log_in_one(Identity client, Session& session);
  Task<> send(Step& step, RequestValues& values, CapturedValues& captured);

  Loop& loop_;
  RequestNumbers& numbers_;
  std::deque<Step> steps_;
  std::int64_t again_us_ = 0;  // the shortest of the steps; 0: no login gets too old
  std::unordered_map<std::string, Session> sessions_;  // by client
};

}  // namespace rlctl
