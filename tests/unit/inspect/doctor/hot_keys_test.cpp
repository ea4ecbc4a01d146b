#include "inspect/doctor/hot_keys.h"

#include <doctest/doctest.h>

#include "inspect/doctor/memory_exam.h"

using namespace rlctl;

namespace {

std::vector<std::string> seen(const std::vector<Growth>& growths) {
  HealthFindings findings;
  examine(growths, findings);
  std::vector<std::string> words;
  for (const HealthFinding& finding : findings) words.push_back(finding.seen);
  return words;
}

}  // namespace

TEST_CASE("a hot key grows fast, and makes up much of what all grow") {
  CHECK(seen({}).empty());
  CHECK(seen({{"rl:1", 0, 250'000}, {"rl:2", 0, 250'000}}).empty());
  CHECK(seen({{"rl:1", 240, 250'000}}).empty());  // no load for a server
  CHECK(seen({{"rl:1", 400, 250'000}, {"rl:2", 3, 250'000}}) ==
        std::vector<std::string>{
            "'rl:1' grew by 400 in 250 ms (1,600/s), 99 % of what 2 counters grew, read twice"});
  CHECK(seen(std::vector<Growth>(6, {"rl:1", 400, 250'000})).empty());  // each is a sixth
}

TEST_CASE("a key that is used much more than the others is hot, on a server under load") {
  const auto seen = [](const std::vector<std::int64_t>& frequencies, std::int64_t commands_per_s,
                       const std::set<std::string>& told = {}) {
    UsedKeys used;
    for (std::size_t i = 0; i < frequencies.size(); ++i)
      used.add("rl:" + std::to_string(i), frequencies[i]);
    HealthFindings findings;
    used.examine(commands_per_s, told, findings);
    std::vector<std::string> words;
    for (const HealthFinding& finding : findings) words.push_back(finding.seen);
    return words;
  };
  CHECK(seen({5, 230, 7}, 20'000) ==
        std::vector<std::string>{"'rl:1' is used so often that its OBJECT FREQ is 230 of 255, at "
                                 "20,000 commands/s of all clients"});
  CHECK(seen({5, 230, 7}, 999).empty());  // no load for a server
  CHECK(seen({5, 199, 7}, 20'000).empty());
  CHECK(seen({5, 230, 7}, 20'000, {"rl:1"}).empty());  // it grew, which was told
  CHECK(seen({250, 250, 250, 250, 3}, 20'000).empty());
}

TEST_CASE("what a client costs, and how many more fit") {
  const auto findings = [](const ClientMemory& memory) {
    HealthFindings told;
    examine(memory, told);
    return told.size();
  };
  CHECK(ClientMemory{.keys = 1}.in_words() == "1 key looks like those of limiters\n");
  const ClientMemory memory{.keys = 20, .clients = 10, .bytes_per_key = 100};
  CHECK(memory.in_words() ==
        "20 keys look like those of limiters of 10 clients\n"
        "a client takes 200 B, 1,000,000 take 191 MiB\n");
  CHECK(findings(memory) == 0);
  ClientMemory bounded = memory;
  bounded.room_bytes = 2'000;
  CHECK(bounded.in_words().ends_with("191 MiB; 10 more fit\n"));
  CHECK(findings(bounded) == 0);
  bounded.room_bytes = 1'999;
  CHECK(findings(bounded) == 1);
}
