// What requests that are sent at once tell, where a limiter denies none that come one after
// another: it lets them wait (a queue), or counts those in flight. Pure; times are µs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "log/record.h"
#include "policy/rule.h"
#include "probe/undecided.h"

namespace rlctl {

enum class BurstKind : std::uint8_t {
  none,       // nothing was denied, nothing had to wait
  queue,      // answers came one after another, at a steady pace
  in_flight,  // some were denied, and as many the next time: those that were answered are gone
  unclear     // some were denied, and the next time more or fewer
};
inline constexpr Word<BurstKind> kBurstKindWords[] = {{"none", BurstKind::none},
                                                      {"queue", BurstKind::queue},
                                                      {"in_flight", BurstKind::in_flight},
                                                      {"unclear", BurstKind::unclear}};
constexpr std::span<const Word<BurstKind>> words_of(BurstKind) { return kBurstKindWords; }

struct BurstFinding {
  BurstKind kind = BurstKind::none;
  std::int64_t sent = 0;      // of the last burst
  std::int64_t requests = 0;  // of all bursts
  std::int64_t admitted = 0;  // fewer than sent: the limit was reached
  // They may have been admitted, so that it is not known how many it holds.
  Undecided undecided{};
  // Of a queue: from one answer to the next, the middle half of them and 2 % on either side.
  std::int64_t gap_low_us = 0;
  std::int64_t gap_high_us = 0;
};

// The rules of the roundest numbers that fit; empty if nothing was found, or not how many it holds.
Rules rules_of(const BurstFinding& finding);

// `burst`: requests that were sent at once. `waits`: so did requests one after another.
BurstFinding burst_finding(std::span<const Record> burst, bool waits);
// For people, a line; empty if there is none.
std::string burst_text(const BurstFinding& finding);

}  // namespace rlctl
