// Checks if the headers are true: compares what a service promised in Retry-After, RateLimit and
// RateLimit-Policy with what it then did. Pure: the same log and claims give the same answer. O(n
// log n).
//
// Only a client that is alone can test a promise: another request may have taken the promised
// place. So a request counts as a test of the denial before it only if no other request of its key
// was in progress from the sending of the denied request to the end of the second one.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/words.h"
#include "log/header_claims.h"
#include "log/record.h"

namespace rlctl {

struct KeptPromises {
  std::int64_t tested = 0;            // retried alone, at received + Retry-After or later
  std::int64_t broken = 0;            // of them denied again, later than the tolerance
  std::vector<std::uint32_t> breaks;  // the second denials, indexes into Log::records
  // The most by which a wait was too short: the time from the promise to the last denial of those
  // who obeyed it and the promises after it, plus the wait that this denial gave. 0: no wait was
  // too short.
  std::int64_t error_us = 0;
  // The largest that was used: the denial's round trip, and kPromiseClockUs. A second denial that
  // was too early by no more than this proves nothing, and is not tested.
  std::int64_t tolerance_us = 0;

  std::int64_t early = 0;     // waits that were too long by far: the next request was admitted
  std::int64_t early_us = 0;  // the most that was left of such a wait
  std::vector<std::uint32_t> early_records;  // the first of those admissions

  // Of other keys. Their records are not taken over.
  void add(const KeptPromises& other);
};
// Limiters count in ms, and so do the records of a reset.
inline constexpr std::int64_t kPromiseClockUs = 1'000;

// Uses only the tests whose second request `counts` accepts; empty: all tests.
KeptPromises check_promises(const Log& log, const std::function<bool(const Record&)>& counts = {});

// What verify tells of a log: all promises, if it is whole and its answers have a status. The
// delays that a script in Redis proposes are no headers.
KeptPromises waits_in(const Log& log);

enum class FindingKind : std::uint8_t {
  untrue,  // the service did not do what it said
  breach,  // breaks the specification
  hint,    // permitted, but worth knowing
  agrees   // the service did what it said
};
inline constexpr Word<FindingKind> kFindingKindWords[] = {{"untrue", FindingKind::untrue},
                                                          {"breach", FindingKind::breach},
                                                          {"hint", FindingKind::hint},
                                                          {"true", FindingKind::agrees}};
constexpr std::span<const Word<FindingKind>> words_of(FindingKind) { return kFindingKindWords; }

struct HeaderFinding {
  FindingKind kind = FindingKind::hint;
  std::string words;                   // one sentence without a full stop
  std::vector<std::uint32_t> records;  // the first that show it; indexes into Log::records
};

std::vector<HeaderFinding> findings_on(const KeptPromises& promises);
std::string note_on(const HeaderFinding& finding);

// Worst first. Claims in a unit other than requests, and claims without a window, are not judged.
// With several policies, another policy may have caused a denial: then a false denial is only a
// hint. `found`: the rules of the service, if they are known otherwise; what it says of its limit
// is compared with them, in place of being judged as a sliding window, and told if it agrees.
std::vector<HeaderFinding> header_findings(const Log& log, const HeaderClaims& claims,
                                           const Rules& found = {});

}  // namespace rlctl
