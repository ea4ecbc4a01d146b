// What may identify a client to a limiter, as a table: each row is one part of a request that is
// changed while the client is denied. If the changed request is admitted, and the unchanged one
// still denied, the part identifies the client, or helps to. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/words.h"
#include "policy/target.h"

namespace rlctl {

struct IdentityTrial {
  const char* name;
  const char* header = "";      // "" for what is no header
  const char* base = "";        // its value in the unchanged requests; "": they do not have it
  const char* varied = "";      // its value in the changed ones; {n} is another number each time
  const char* only_after = "";  // played only if the row of that name bought a fresh quota
};
std::span<const IdentityTrial> identity_trials();

// The rows that are no headers.
inline constexpr const char* kNewConnection = "a new connection";
inline constexpr const char* kSourceAddress = "another source address";
inline constexpr const char* kQuery = "the query string";

enum class QuotaAnswer : std::uint8_t {
  same,        // the changed requests were denied too
  fresh,       // they were admitted, while the unchanged ones were denied
  undecided,   // the limiter had room again too soon
  no_decision  // they were neither admitted nor denied
};
inline constexpr Word<QuotaAnswer> kQuotaAnswerWords[] = {
    {"same", QuotaAnswer::same},
    {"fresh", QuotaAnswer::fresh},
    {"undecided", QuotaAnswer::undecided},
    {"no_decision", QuotaAnswer::no_decision}};
constexpr std::span<const Word<QuotaAnswer>> words_of(QuotaAnswer) { return kQuotaAnswerWords; }

struct IdentityFinding {
  const IdentityTrial* trial = nullptr;
  QuotaAnswer answer = QuotaAnswer::undecided;
};

// The unchanged and the changed request of a trial. `n`: from 2 to 99.
TargetSpec unchanged_request(TargetSpec spec, const IdentityTrial& trial);
TargetSpec changed_request(TargetSpec spec, const IdentityTrial& trial, int n);

// Lines for people.
std::string identity_text(std::span<const IdentityFinding> findings);

}  // namespace rlctl
