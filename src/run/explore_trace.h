// Schedules as text and as traces: which choice is taken in which state, what every command was
// answered and where the contract broke. Error(Exit::usage) for a schedule that can't be taken.
#pragma once

#include <string>
#include <vector>

#include "core/explore_result.h"
#include "run/explore_space.h"

namespace rlctl {

// `0,1,c0,t,e0,f`: clients that go on, then a crash, a time step, a key's expiry, SCRIPT FLUSH.
std::string format_schedule(const std::vector<Choice>& choices);
std::vector<Choice> parse_schedule(const std::string& text);

struct WalkedSchedule {
  std::vector<TraceStep> trace;
  ExploreSpace::State end = 0;
  std::int64_t preemptions = 0;
};

// Takes the choices one by one from the beginning.
WalkedSchedule walk_schedule(ExploreSpace& space, const std::vector<Choice>& choices);

// Clients by the order in which they begin, for programs that can't tell them apart.
std::vector<Choice> renamed_by_order(std::vector<Choice> choices);

// A command in one line, for people: long words are cut, and times are told from `start_us` on, as
// T, T+5ms, T-1m.
std::string command_in_words(const Words& command, std::int64_t start_us);
std::string reply_in_words(const Reply& reply, std::int64_t start_us);

}  // namespace rlctl
