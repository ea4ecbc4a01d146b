// rlctl schema: the schemas of the published results. That results obey them is checked wherever a
// test reads a result (cli/support/published_json.h).
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/support/process.h"
#include "tools/golden.h"

TEST_CASE("schema lists the results that have one, and prints each as JSON Schema") {
  const Outcome names = run_rlctl({"schema"});
  CHECK(names.exit == 0);
  CHECK(names.out == "bench\ncompare\nexplore\nplan\nrun\nsimulate\nverify\n");
  const std::string listed = "`--json` of bench, compare, explore, plan, run, simulate or verify;";
  CHECK(contains(rlctl::test::read_golden(RLCTL_SOURCE_DIR "/README.md"), listed));
  const auto schema = nlohmann::json::parse(run_rlctl({"schema", "verify"}).out);
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(schema["additionalProperties"] == false);
  CHECK(schema["properties"]["schema"]["enum"] == nlohmann::json({"rlctl.verify/1"}));
  CHECK(schema["properties"]["verdict"]["enum"].size() == 3);
  CHECK(schema["$defs"]["figures"]["properties"]["slack_us"]["type"] == "integer");
}

TEST_CASE("schema refuses a name that it does not know") {
  const Outcome wrong = run_rlctl({"schema", "benhc"});
  CHECK(wrong.exit == 2);
  CHECK(contains(wrong.err, "bench"));
}
