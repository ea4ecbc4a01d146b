// Are the headers true? What a service promised in Retry-After, RateLimit and RateLimit-Policy
// against what it then did. Pure: the same log and claims give the same answer. O(n log n).
//
// A promise can be tested only by who is alone: somebody else's request may have taken the place
// that was promised. So a request counts as a test of the denial before it when no other request of
// its key was under way at any time from the sending of the one to the end of the other.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/header_claims.h"
#include "core/record.h"
#include "core/words.h"

namespace rlctl {

struct KeptPromises {
  std::int64_t tested = 0;            // came back alone, at or after received + Retry-After
  std::int64_t broken = 0;            // of them denied again
  std::vector<std::uint32_t> breaks;  // the second denials, indexes into Log::records
  // The longest that a wait fell short by, as told at the second denial: how late after the promise
  // it came, and the wait it was then given. 0: none fell short.
  std::int64_t error_us = 0;
};

// Of the tests for which `counts` is true of the second request; empty: of all.
KeptPromises check_promises(const Log& log, const std::function<bool(const Record&)>& counts = {});

enum class FindingKind : std::uint8_t {
  untrue,  // the service said what it did not keep
  breach,  // against the specification
  hint     // allowed, and worth knowing
};
inline constexpr Word<FindingKind> kFindingKindWords[] = {
    {"untrue", FindingKind::untrue}, {"breach", FindingKind::breach}, {"hint", FindingKind::hint}};
constexpr std::span<const Word<FindingKind>> words_of(FindingKind) { return kFindingKindWords; }

struct HeaderFinding {
  FindingKind kind = FindingKind::hint;
  std::string words;                   // one sentence without a final stop
  std::vector<std::uint32_t> records;  // the first that show it; indexes into Log::records
};

// Worst first. Claims of another unit than requests, and such without a window, are not judged.
// With several policies a denial may be another one's, so a false denial is only a hint then.
std::vector<HeaderFinding> header_findings(const Log& log, const HeaderClaims& claims);

}  // namespace rlctl
