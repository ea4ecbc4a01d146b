#include "limiter/registry.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/error.h"
#include "io/redis/script_sha1.h"
#include "tools/contains.h"
#include "tools/folder.h"

using namespace rlctl;
using test::contains;

namespace {

std::string message(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what() + (" | " + error.hint());
  }
  return {};
}

}  // namespace

TEST_CASE("every embedded script has all values that the list of algorithms shows") {
  const Registry registry;
  CHECK(registry.scripts().size() >= 2);
  for (const auto& [name, script] : registry.scripts()) {
    CAPTURE(name);
    CHECK(name == script.name);
    CHECK(script.sha1 == script_sha1(script.text));
    CHECK(script.manifest.summary.ends_with('.'));
    CHECK_FALSE(script.manifest.cost.empty());
    CHECK(script.manifest.state.type != StateType::none);
  }
}

TEST_CASE("an algorithm is found by its name") {
  const Script script = Registry().find("sliding-list");
  CHECK(script.origin == "lua/sliding-list.lua");
  CHECK(script.manifest.counts_by() == RuleKind::sliding);
}

TEST_CASE("each kind of rule has a shipped algorithm that keeps it") {
  for (const RuleRow& row : kRuleRows) {
    CAPTURE(row.name);
    CHECK(Registry().find(row.algorithm).manifest.counts_by() == row.meaning);
  }
}

TEST_CASE("specimens come after the sound ones, and each names its flaw") {
  const Registry registry;
  std::vector<std::string> both = registry.sound_names();
  for (const std::string& name : registry.specimen_names()) {
    CAPTURE(name);
    const Script script = registry.find(name);
    CHECK(script.origin == "lua/specimens/" + name + ".lua");
    CHECK(script.text.find("-- Specimen ") != std::string::npos);
    both.push_back(name);
  }
  CHECK(registry.names() == both);
  CHECK(both.size() == registry.scripts().size());
}

TEST_CASE("an unknown name is refused with a list of the known names") {
  const std::string text = message([] { Registry().find("slidin-list"); });
  CHECK(contains(text, "there is no algorithm 'slidin-list'"));
  CHECK(contains(text, "sliding-list"));
}

TEST_CASE("a file is found by its path, with the manifest beside it") {
  const test::Folder directory;
  const std::string file = directory.write("mine.lua", "return 1");
  CHECK(contains(message([&] { Registry().find(file); }), "does not say what the reply means"));
  directory.write("mine.lua.manifest", "reply = allowed\n");
  const Script script = Registry().find(file);
  CHECK(script.name == "mine");
  CHECK(script.text == "return 1");
  CHECK(script.origin == file);
  CHECK(Registry().find(file, "contract = 5/1s fixed").manifest.contract == "5/1s fixed");
}

TEST_CASE("a finish is read beside its script, and is no algorithm") {
  const test::Folder directory;
  const std::string file = directory.write(
      "mine.lua", "-- rlctl: reply = allowed\n-- rlctl: finish = end.lua\nreturn 1");
  CHECK(contains(message([&] { Registry().find(file); }), "can't read '"));
  directory.write("end.lua", "-- rlctl: reply = allowed\nreturn 1");
  CHECK(contains(message([&] { Registry().find(file); }),
                 "a script for setup or finish has no reply"));
  directory.write("end.lua", "-- rlctl: args = uuid, actual_cost\nreturn 1");
  const Script script = Registry().find(file);
  REQUIRE(script.finish);
  CHECK(script.finish->is_companion);
  CHECK(script.finish->manifest.takes(ArgumentKind::actual_cost));
  CHECK(contains(message([] { Registry().find("fixed", "args = actual_cost"); }),
                 "the actual cost is known only at the finish"));
  CHECK(Registry().find("lease").finish);
  CHECK_FALSE(Registry().scripts().contains("finishes/lease"));
}

TEST_CASE("a set-up or a finish may be a command") {
  const std::string text =
      "-- rlctl: reply = allowed\n-- rlctl: setup = HSET <key> rate <limit>\n"
      "-- rlctl: finish = DECR <key>\nreturn 1";
  const test::Folder directory;
  const Script script = Registry().find(directory.write("mine.lua", text));
  REQUIRE(script.setup);
  CHECK(script.setup->is_companion);
  CHECK(script.setup->manifest.is_command());
  CHECK(script.setup->text.empty());
  CHECK(script.finish->name == "DECR <key> (finish)");
  CHECK(contains(message([] { Registry().find("fixed", "finish = DECR <key> <rat>"); }),
                 "finish:1: '<rat>' is not known"));
}

TEST_CASE("a file that does not exist is refused with its path") {
  CHECK(contains(message([] { Registry().find("./nowhere.lua"); }), "can't read './nowhere.lua'"));
  CHECK(contains(message([] { Registry().find("/"); }), "can't read '/'"));
}

TEST_CASE("--lua-dir adds scripts and replaces those of the same name") {
  const test::Folder directory;
  directory.write("fixed.lua", "-- Mine.\n-- rlctl: reply = allowed\nreturn 1");
  directory.write("other.lua",
                  "-- rlctl: reply = allowed\n-- rlctl: flaw = lets all pass\nreturn 1");
  directory.write("words.txt", "not a script");
  Registry registry;
  const auto before = registry.scripts().size();
  registry.add_directory(directory.path());
  CHECK(registry.scripts().size() == before + 1);
  CHECK(registry.find("fixed").manifest.summary == "Mine.");
  CHECK(std::ranges::count(registry.specimen_names(), "other") == 1);
  CHECK(std::ranges::count(registry.sound_names(), "other") == 0);
}

TEST_CASE("a --lua-dir that does not exist is refused") {
  Registry registry;
  CHECK(contains(message([&] { registry.add_directory("/nowhere"); }), "the directory '/nowhere'"));
}

TEST_CASE("manifest lines on the command line apply to a shipped script too") {
  CHECK(Registry().find("fixed", "contract = 1/1s").manifest.contract == "1/1s");
}

TEST_CASE("a script that counts on Redis's own expiry is not for the virtual clock") {
  const auto reason = [](const std::string& manifest, const std::string& body) {
    return needs_real_time(make_script("mine.lua", body, {}, {"--manifest", manifest}));
  };
  const std::string told = "args = limit, now_ms\nreply = allowed\n";
  CHECK(reason(told, "redis.call('PEXPIRE', KEYS[1], 5) return 1").empty());
  CHECK(reason(told, "redis.call('pexpireat', KEYS[1], 5) return 1") ==
        "it gives keys a date of expiry (PEXPIREAT)");
  CHECK(reason(told, "redis.call(\"SET\", KEYS[1], 1, \"PXAT\", 5) return 1") ==
        "it gives keys a date of expiry (PXAT)");
  CHECK(reason(told + "clock = expiry\n", "return 1") == "its keys expire in real time");
  CHECK(reason("reply = allowed\n", "return 1") == "its keys expire in real time");
}

TEST_CASE("a script's name can't control the terminal") {
  const test::Folder directory;
  const std::string file = directory.write(
      "mine.lua", "-- rlctl: name = x\x1b]0;y\n-- rlctl: reply = allowed\nreturn 1");
  Registry registry;
  CHECK(registry.find(file, "").name == "x\\x1b]0;y");
  CHECK(registry.find(directory.write("caf\xe9.lua", "-- rlctl: reply = allowed\nreturn 1"), "")
            .name == "caf\\xe9");
}
