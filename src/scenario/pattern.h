// The traffic patterns of `simulate`, as scenarios with one policy: what a bot, a burst at a
// window's edge, a double click or racing consumers do to a limiter. Rates, durations and how long
// admissions are held follow from the policy's first rule if they are not given, so that a sound
// limiter must deny. Pure.
//
// Throws Error(Exit::usage) for an unknown pattern, for an option that does not apply to the
// pattern, and for more users than can play. Numbers of requests have no bound here:
// check_planned() refuses what is too much.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "scenario/scenario.h"

namespace rlctl {

// The options that a pattern takes. The members are those of PatternOptions below.
struct PatternTakes {
  bool rate = false;
  bool duration = false;
  bool requests = false;
  bool users = false;
  bool items = false;
  bool on_deny = false;
  bool anchor = false;
};

struct PatternDraft;

struct PatternInfo {
  const char* name;
  const char* summary;
  std::int64_t limit;  // of the policy, if the user gives none
  std::int64_t window_us;
  PatternTakes takes;
  void (*make)(PatternDraft&);  // adds the phases and the clients
  bool measures_time = false;   // so that it needs the real clock
};
std::span<const PatternInfo> patterns();
const PatternInfo& find_pattern(const std::string& name);
// The names of those that take an option: "bot, ramp".
std::string patterns_with(bool PatternTakes::*option);

enum class EdgeChoice : std::uint8_t { clock, first_hit, both };
inline constexpr Word<EdgeChoice> kEdgeChoiceWords[] = {
    {"clock", EdgeChoice::clock}, {"first-hit", EdgeChoice::first_hit}, {"both", EdgeChoice::both}};
constexpr std::span<const Word<EdgeChoice>> words_of(EdgeChoice) { return kEdgeChoiceWords; }

// An empty member means the pattern's default.
struct PatternOptions {
  std::optional<Rate> rate;
  std::optional<std::int64_t> duration_us;
  std::optional<std::int64_t> requests;
  std::optional<std::int64_t> users;
  std::optional<std::int64_t> items;
  std::optional<OnDeny> on_deny;
  std::optional<EdgeChoice> anchor;
  bool real_time = false;  // a pattern is as short as shows its point
  bool lockstep = false;
  std::int64_t cost = 1;                // of each request: as many fewer of them fit into a limit
  bool has_finish = false;              // the limiter's, so that an admission can be held
  std::optional<std::int64_t> hold_us;  // after an admission, until its finish
  double vanishing_share = 0;
};

// The caller sets policy, target, clock and seed.
Scenario make_pattern(const PatternInfo& pattern, const PolicySpec& policy,
                      const PatternOptions& options);

// Throws Error(Exit::usage) if a pattern's plan shows nothing: it sends no request, or a request
// costs more than can ever be admitted. `promise`: what the limiter promises, if it is not the
// policy.
void check_pattern(const Scenario& scenario, const Rules& promise = {});

}  // namespace rlctl
