// CommandTrail: what the commands of one run have done to the keys and to their connection, derived
// only from the commands and their replies. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "io/redis/reply.h"

namespace rlctl {

// Commands that change the connection for later commands, or do not get exactly one reply
// (SUBSCRIBE, MONITOR, SELECT, HELLO …). A limiter does not need them.
bool changes_connection(std::span<const std::string> command);

class CommandTrail {
 public:
  void add(std::span<const std::string> command, const Reply& reply);

  // False only if certainly no key was changed.
  bool may_have_written() const { return may_have_written_; }

  // The command that closes what was left open: DISCARD inside MULTI, UNWATCH after WATCH, or
  // nothing.
  std::string_view closing_command() const;

 private:
  bool in_transaction_ = false;
  bool watches_ = false;
  bool may_have_written_ = false;
};

}  // namespace rlctl
