// The kinds of rules, each followed along a sequence of decisions: see rule_track.h. Pure.
#pragma once

#include <memory>
#include <span>

#include "verdict/track/rule_track.h"

namespace rlctl {

std::unique_ptr<RuleTrack> make_window_track(const Rule& rule, const JointFrame& frame);
std::unique_ptr<RuleTrack> make_first_hit_track(const Rule& rule, const JointFrame& frame);
std::unique_ptr<RuleTrack> make_bucket_track(const Rule& rule, const JointFrame& frame);
// A bucket that is refilled by steps.
std::unique_ptr<RuleTrack> make_steps_track(const Rule& rule, const JointFrame& frame);
// "N in flight"; `held`: the requests that it counts.
std::unique_ptr<RuleTrack> make_held_track(const Rule& rule, const JointFrame& frame,
                                           std::span<const HeldRequest> held);

}  // namespace rlctl
