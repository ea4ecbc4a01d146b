// The keys that the objects of a scenario file may have. The parser rejects all others. A test
// compares them with scenarios/scenario.schema.json. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace rlctl {

enum class ScenarioObject : std::uint8_t {
  scenario,
  policy,
  target,
  route,
  login,
  identity,
  phase,
  stage,
  burst,
  share,
  range,
  fault,
  expectation,
  budget,
};

std::span<const std::string> keys_of(ScenarioObject object);

// The name in messages and in the schema's $defs: "policy".
const char* name_of(ScenarioObject object);

}  // namespace rlctl
