// Finds out what identifies a client to an HTTP service: denied, then changed, then denied again.
// A service that denies nobody who asks one request after another is filled by requests at once. A
// fresh quota is asked for once more, because a refill, or another machine behind the same address,
// may have admitted the first request. Borrows the loop. Throws Error(Exit::usage) for a target
// that cannot be asked. One thread.
#pragma once

#include <optional>
#include <vector>

#include "io/http/http_client.h"
#include "limiter/http_target.h"
#include "limiter/request_numbers.h"
#include "probe/identity_trial.h"
#include "run/probe/examination_play.h"
#include "run/probe/paced_limiter.h"

namespace rlctl {

// What its requests are sent for, in words.
inline constexpr const char* kWhoIsAClient = "to find out who is a client";

struct IdentityPlan {
  TargetSpec spec;
  HttpSettings settings;     // completed: the host is looked up once
  std::int64_t limit = 1;    // so many admissions fill the limiter, at most
  std::int64_t at_once = 0;  // so many requests at once fill it; 0: they come one after another
  ExaminationPace pace{};
  // Addresses of this machine from which the service can be reached.
  std::vector<std::string> sources{};
  std::int64_t most_requests = 0;  // no trial begins that may send more in all
};

// Other addresses from which a connection to this one can be made; only if it is loopback.
std::vector<std::string> other_sources(const HostAddress& target);

class IdentityPlay {
 public:
  IdentityPlay(Loop& loop, IdentityPlan plan);

  // One finding for each trial that can be played; fewer after Ctrl-C, if the requests do not
  // suffice, or if the service went away.
  Task<std::vector<IdentityFinding>> play();
  // The parts that were not changed, and why. Those whose trials have no meaning are not among
  // them.
  const std::vector<PartLeftOut>& left_out() const { return trials_.left_out; }
  std::int64_t requests() const { return requests_; }
  // Why there are no more answers.
  const std::optional<Error>& lost() const { return lost_; }
  const std::string& doing() const { return doing_; }

 private:
  Task<IdentityFinding> play(const IdentityTrial& trial);
  Task<QuotaAnswer> decided(const IdentityTrial& trial);
  Task<QuotaAnswer> try_once(const IdentityTrial& trial);
  Task<QuotaAnswer> try_at_once(const IdentityTrial& trial);
  Task<> look_if_lost();
  PacedLimiter paced(Limiter& limiter) const { return {loop_, limiter, {}, plan_.pace.gap_us}; }
  int next_number();
  std::int64_t most_of_a_try() const;
  bool may_send() const;
  bool has_more_values(const IdentityTrial& trial) const;
  bool is_playable(const IdentityTrial& trial, const std::vector<IdentityFinding>& findings) const;

  Loop& loop_;
  IdentityPlan plan_;
  std::unique_ptr<HttpClient> client_;
  RequestNumbers numbers_;
  std::int64_t requests_ = 0;
  IdentityTrials trials_;
  bool is_undecided_ = false;  // the last unchanged request got no decision
  std::optional<Error> lost_;
  int n_ = 1;
  std::string doing_;
};

}  // namespace rlctl
