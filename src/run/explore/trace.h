// Schedules as text and as traces: the choice in each state, the reply to each command, and where
// the contract was broken. Error(Exit::usage) for a schedule that is not possible.
#pragma once

#include <string>
#include <vector>

#include "run/explore/space.h"
#include "verdict/outcome/explore_result.h"

namespace rlctl {

// `0,1,c0,t,e0,f`: steps of clients 0 and 1, a crash, a time step, a key's expiry, SCRIPT FLUSH.
std::string format_schedule(const std::vector<Choice>& choices);
// Of at most so many clients.
std::vector<Choice> parse_schedule(const std::string& text,
                                   std::size_t clients = kMostExploredClients);

struct WalkedSchedule {
  std::vector<TraceStep> trace;
  ExploreSpace::State end = 0;
  std::int64_t preemptions = 0;
  Rules broken;  // where the contract was broken first
};

// Follows the choices one by one from the first state.
WalkedSchedule walk_schedule(ExploreSpace& space, const std::vector<Choice>& choices);

// Renumbers clients in the order in which they begin, for programs that can't tell them apart.
std::vector<Choice> renamed_by_order(std::vector<Choice> choices);

// A command in one line, for readers: long words are cut, and times are relative to `start_us`: T,
// T+5ms, T-1m.
std::string command_in_words(const Words& command, std::int64_t start_us);
std::string reply_in_words(const Reply& reply, std::int64_t start_us);

}  // namespace rlctl
