// What may identify a client to a service: each trial is one part of a request that is changed
// while the client is denied. If the changed request is admitted, and the unchanged one still
// denied, the part identifies the client, or helps to. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/words.h"
#include "policy/target.h"

namespace rlctl {

enum class RequestPart : std::uint8_t {
  connection,
  source_address,
  header,
  cookie,
  descriptor,  // of a rate limit service
  query
};

struct IdentityTrial {
  std::string name;  // as the request writes it: not escaped
  RequestPart part = RequestPart::header;
  std::string where{};       // the name of the header, of the cookie, of the descriptor's entry
  std::string base{};        // its value in the unchanged requests; "": that of the user's request
  std::string varied{};      // its value in the changed ones; {n} is another number each time
  std::string only_after{};  // played only if the trial of that name bought a fresh quota
};

// A part that is not changed, and why.
struct PartLeftOut {
  std::string name;  // not escaped
  std::string why;
};

// The trials for a request: the parts that every service may look at, and those that this request
// has. `sources`: addresses of this machine from which the service can be reached.
struct IdentityTrials {
  std::vector<IdentityTrial> trials;
  std::vector<PartLeftOut> left_out;
};
IdentityTrials identity_trials(const TargetSpec& spec, std::span<const std::string> sources);

enum class QuotaAnswer : std::uint8_t {
  same,         // the changed requests were denied too
  fresh,        // they were admitted, while the unchanged ones were denied
  undecided,    // the limiter had room again too soon
  no_decision,  // they were neither admitted nor denied
  changing      // once a fresh quota, once not
};
inline constexpr Word<QuotaAnswer> kQuotaAnswerWords[] = {{"same", QuotaAnswer::same},
                                                          {"fresh", QuotaAnswer::fresh},
                                                          {"undecided", QuotaAnswer::undecided},
                                                          {"no_decision", QuotaAnswer::no_decision},
                                                          {"changing", QuotaAnswer::changing}};
constexpr std::span<const Word<QuotaAnswer>> words_of(QuotaAnswer) { return kQuotaAnswerWords; }

struct IdentityFinding {
  IdentityTrial trial;
  QuotaAnswer answer = QuotaAnswer::undecided;
  std::int64_t times = 0;  // so often was it played to the end, with this answer
};

// The unchanged and the changed request of a trial. `n`: from 2 to 99.
TargetSpec unchanged_request(TargetSpec spec, const IdentityTrial& trial);
TargetSpec changed_request(TargetSpec spec, const IdentityTrial& trial, int n,
                           std::span<const std::string> sources);

// Lines for people.
std::string identity_text(std::span<const IdentityFinding> findings,
                          std::span<const PartLeftOut> left_out);

}  // namespace rlctl
