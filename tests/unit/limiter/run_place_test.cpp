#include <doctest/doctest.h>

#include "base/error.h"
#include "limiter/script_call.h"
#include "limiter/wrapper.h"

using namespace rlctl;

namespace {

Script manifest_script(const std::string& manifest) {
  return make_script("mine.lua", "return 1", {}, {"--manifest", manifest});
}

const std::string kClientReply = "reply = allowed, remaining, decided_us";
const std::string kByExpression = "reply = allowed = reply[1] > 0, decided_us = reply[3]";

}  // namespace

TEST_CASE("an atomic script that is run step by step no longer reports its decision time") {
  for (const std::string& manifest : {kClientReply, kByExpression}) {
    CAPTURE(manifest);
    const Script moved = run_at(manifest_script(manifest), RunPlace::client);
    CHECK(moved.manifest.run == RunPlace::client);
    CHECK_FALSE(moved.manifest.reports(ReplyField::decided));
    CHECK(moved.manifest.reports(ReplyField::allowed));
  }
  const Script by_position = run_at(manifest_script(kClientReply), RunPlace::client);
  CHECK(by_position.manifest.reply[1].field == ReplyField::remaining);
  CHECK(by_position.manifest.reply.size() == 3);
}

TEST_CASE("a script that was written for its place keeps its reply") {
  const Script client = manifest_script(kClientReply + "\nrun = client");
  CHECK(run_at(client, RunPlace::client).manifest.reports(ReplyField::decided));
  CHECK(run_at(client, RunPlace::server).manifest.run == RunPlace::server);
  CHECK(run_at(manifest_script(kClientReply), RunPlace::server)
            .manifest.reports(ReplyField::decided));
}

TEST_CASE("a stamp is added only to scripts that Redis runs") {
  CHECK(with_stamps(manifest_script("reply = allowed")).manifest.reports(ReplyField::decided));
  const Script client = manifest_script("reply = allowed\nrun = client");
  CHECK(with_stamps(client).text == client.text);
  CHECK_FALSE(with_stamps(client).manifest.reports(ReplyField::decided));
}

TEST_CASE("a block flag adds no stamp to a client's script, and keeps the script's own") {
  CHECK(with_block(manifest_script("reply = allowed")).manifest.reports(ReplyField::decided));
  const Script client = with_block(manifest_script("reply = allowed\nrun = client"));
  CHECK(client.manifest.run == RunPlace::client);
  CHECK_FALSE(client.manifest.reports(ReplyField::decided));
  CHECK(client.manifest.keys.back() == "<block_key>");
  CHECK(with_block(manifest_script(kClientReply + "\nrun = client"))
            .manifest.reports(ReplyField::decided));
}

TEST_CASE("only scripts that run on the client are compiled here, and they must compile") {
  Policy policy;
  policy = policy_of({Rule{.limit = 1, .window_us = 1'000'000}});
  CHECK(ScriptCall(manifest_script("reply = allowed"), policy).client_script() == nullptr);
  CHECK(ScriptCall(manifest_script("reply = allowed\nrun = client"), policy).client_script() !=
        nullptr);
  Script broken = manifest_script("reply = allowed\nrun = client");
  broken.text = "return (";
  CHECK_THROWS_AS(ScriptCall(broken, policy), Error);
}
