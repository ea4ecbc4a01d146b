#include "limiter/command_trail.h"

#include <doctest/doctest.h>

#include <vector>

#include "limiter/lua/lua_value.h"

using namespace rlctl;

namespace {

Reply status(const char* text) {
  Reply reply;
  reply.type = Reply::Type::status;
  reply.text = text;
  return reply;
}

Reply empty_array() {
  Reply reply;
  reply.type = Reply::Type::array;
  return reply;
}

struct Sent {
  std::vector<std::string> command;
  Reply reply;
};

CommandTrail trail_of(const std::vector<Sent>& commands) {
  CommandTrail trail;
  for (const Sent& sent : commands) trail.add(sent.command, sent.reply);
  return trail;
}

const Reply kOk = status("OK"), kQueued = status("QUEUED"), kError = error_reply("ERR no"), kNil;

}  // namespace

TEST_CASE("read commands count as not written, unknown commands as perhaps written") {
  CHECK_FALSE(trail_of({}).may_have_written());
  CHECK_FALSE(trail_of({{{"get", "k"}, kNil}, {{"TIME"}, empty_array()}}).may_have_written());
  CHECK(trail_of({{{"GET", "k"}, kNil}, {{"set", "k", "v"}, kOk}}).may_have_written());
  CHECK(trail_of({{{"SOME.MODULE", "k"}, kOk}}).may_have_written());
}

TEST_CASE("a refused command has written nothing, unless it is a script or a transaction") {
  CHECK_FALSE(trail_of({{{"LPUSH", "k", "v"}, kError}}).may_have_written());
  CHECK(trail_of({{{"EVAL", "…", "0"}, kError}}).may_have_written());
}

TEST_CASE("queued commands are written by EXEC, if EXEC answers") {
  const Sent multi{{"MULTI"}, kOk}, incr{{"INCR", "k"}, kQueued};
  CHECK_FALSE(trail_of({multi, incr}).may_have_written());
  CHECK(trail_of({multi, incr, {{"EXEC"}, empty_array()}}).may_have_written());
  CHECK_FALSE(trail_of({multi, incr, {{"EXEC"}, kNil}}).may_have_written());
  CHECK_FALSE(trail_of({multi, incr, {{"EXEC"}, kError}}).may_have_written());
  CHECK_FALSE(trail_of({multi, incr, {{"DISCARD"}, kOk}}).may_have_written());
  CHECK(trail_of({multi, incr, {{"DISCARD"}, kOk}, {{"INCR", "k"}, kOk}}).may_have_written());
}

TEST_CASE("an open WATCH or MULTI is closed by the matching command") {
  const Sent multi{{"multi"}, kOk}, watch{{"watch", "k"}, kOk};
  CHECK(trail_of({}).closing_command() == "");
  CHECK(trail_of({multi}).closing_command() == "DISCARD");
  CHECK(trail_of({watch}).closing_command() == "UNWATCH");
  CHECK(trail_of({watch, multi}).closing_command() == "DISCARD");
  CHECK(trail_of({watch, multi, {{"EXEC"}, kNil}}).closing_command() == "");
  CHECK(trail_of({watch, {{"UNWATCH"}, kOk}}).closing_command() == "");
  CHECK(trail_of({watch, multi, {{"discard"}, kOk}}).closing_command() == "");
  CHECK(trail_of({{{"MULTI"}, kError}}).closing_command() == "");
}
