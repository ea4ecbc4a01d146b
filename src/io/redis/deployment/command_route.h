// Which nodes of a cluster must get a command, and how their answers become one. Pure, any thread.
//
// The two policies are those of Redis' own command tips (request_policy and response_policy,
// https://redis.io/docs/latest/develop/reference/command-tips/), for the commands that rlctl and
// scripts send. A command that is not in the table has its first key as its first argument, as
// nearly all have.
#pragma once

#include <cstdint>
#include <string_view>

namespace rlctl {

enum class RequestPolicy : std::uint8_t {
  by_key,      // the node that serves the slot of its first key
  any_shard,   // it has no key: one master
  all_shards,  // every master
  scan,        // SCAN: one master after the other; the cursor says which
};

enum class ResponsePolicy : std::uint8_t {
  first,        // all_succeeded: the first error, else the first answer
  sum,          // agg_sum
  logical_and,  // agg_logical_and, element by element
};

struct CommandRoute {
  RequestPolicy request = RequestPolicy::by_key;
  ResponsePolicy response = ResponsePolicy::first;
  std::string_view key;  // by_key: a part of the wire
};

// `wire`: one command as an array of bulk strings (command.h).
CommandRoute route_of(std::string_view wire);

}  // namespace rlctl
