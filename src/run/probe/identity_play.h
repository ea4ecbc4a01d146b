// Finds out what identifies a client to an HTTP service: denied, then changed, then denied again.
// A service that denies nobody who asks one request after another is filled by requests at once.
// Borrows the loop. Throws Error(Exit::usage) for a target that cannot be asked. One thread.
#pragma once

#include <vector>

#include "io/http/http_client.h"
#include "limiter/http_target.h"
#include "probe/identity_trial.h"
#include "run/probe/paced_limiter.h"

namespace rlctl {

struct IdentityPlan {
  TargetSpec spec;
  HttpSettings settings;     // completed: the host is looked up once
  std::int64_t limit = 1;    // so many admissions fill the limiter, at most
  std::int64_t at_once = 0;  // so many requests at once fill it; 0: they come one after another
  std::int64_t gap_us = 0;
  bool on_loopback = false;  // other source addresses can be taken
};

class IdentityPlay {
 public:
  IdentityPlay(Loop& loop, IdentityPlan plan);

  // One finding for each row of the table that can be played; fewer after Ctrl-C.
  Task<std::vector<IdentityFinding>> play();
  const char* doing() const { return doing_; }

 private:
  Task<QuotaAnswer> play(const IdentityTrial& trial);
  Task<QuotaAnswer> try_once(const IdentityTrial& trial);
  Task<QuotaAnswer> try_at_once(const IdentityTrial& trial);
  PacedLimiter paced(Limiter& limiter) const { return {loop_, limiter, {}, plan_.gap_us}; }
  bool is_playable(const IdentityTrial& trial, const std::vector<IdentityFinding>& findings) const;

  Loop& loop_;
  IdentityPlan plan_;
  std::unique_ptr<HttpClient> client_;
  RequestNumbers numbers_;
  int n_ = 1;
  const char* doing_ = "";
};

}  // namespace rlctl
