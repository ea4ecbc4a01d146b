// What the threads of a run have played, as one.
#include "scenario/part_merge.h"

#include <doctest/doctest.h>

using namespace rlctl;

TEST_CASE("merge: the decisions of a part follow, with their finishes and names") {
  Log log, part;
  log.shard = "1/2";
  log.keys = part.keys = {"k"};
  log.records = {Record{.sent_us = 1}};
  part.records = {Record{.sent_us = 2}, Record{.sent_us = 3}};
  part.set_finish(1, {.sent_us = 4});
  part.unfinished = {0};
  log.names = part.names = {{.name = "user", .values = {"", "anna"}, .of_record = {}}};
  part.names[0].set(1, 1);
  append_part(log, part);
  REQUIRE(log.records.size() == 3);
  CHECK(log.records[2].sent_us == 3);
  CHECK(log.finish_of(2).sent_us == 4);
  CHECK(log.finish_of(0) == Finish());
  CHECK(log.unfinished == std::set<std::size_t>{1});
  CHECK(log.names[0].of(2) == "anna");
  CHECK(log.names[0].of(1).empty());
  CHECK(log.shard == kWholeRun);
}

TEST_CASE("merge: a phase lasts from its first part to its last, without those that never began") {
  const PhaseResult played{.phase = 0, .started_us = 100, .ended_us = 200, .allowed = 3};
  const PhaseResult longer{.phase = 0, .started_us = 100, .ended_us = 300, .allowed = 4};
  for (PhaseResult phase : {played, PhaseResult()}) {
    add_part(phase, PhaseResult());
    add_part(phase, longer);
    CHECK(phase.started_us == 100);
    CHECK(phase.ended_us == 300);
  }
  PhaseResult both = played;
  add_part(both, longer);
  CHECK(both.allowed == 7);
}
