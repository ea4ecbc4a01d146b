// KeyReading: what the state of a key means. Told by the manifests' `state`, `used` and `frees_us`
// lines, and for keys that are not ours by their type and the magnitude of their numbers; no
// algorithm is named here. Pure but for the Lua of the manifests. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/words.h"
#include "inspect/key_state.h"
#include "limiter/expression.h"
#include "limiter/registry.h"
#include "policy/policy.h"

namespace rlctl {

enum class Shape : std::uint8_t {
  none,     // nothing that a limiter would keep
  log,      // the times of admissions
  counter,  // a whole number
  time,     // a time in a string: GCRA, the end of something
  bucket,   // a hash of numbers
};
inline constexpr Word<Shape> kShapeWords[] = {{"log", Shape::log},
                                              {"counter", Shape::counter},
                                              {"time", Shape::time},
                                              {"bucket", Shape::bucket},
                                              {"other", Shape::none}};
constexpr std::span<const Word<Shape>> words_of(Shape) { return kShapeWords; }

struct KeyReading {
  Shape shape = Shape::none;
  std::vector<std::string> algorithms;   // whose state looks like this; empty: not ours
  std::string words;                     // the first one's words on its state
  std::optional<ContractKind> contract;  // empty when the algorithms differ in it
  std::optional<double> used;            // of the limit; empty when it can't be known
  std::optional<std::int64_t> frees_us;  // until more is admitted
};

// What is known beside the state: the policy only if the user gave one (limit 0: he did not).
struct KeyContext {
  Policy policy;
  std::int64_t now_us = 0;
  std::optional<LiveEntries> live;  // logs, with a window
};

class KeyReader {
 public:
  // `algorithm`: only this one's manifest; empty: all that have no flaw.
  KeyReader(const Registry& registry, const std::string& algorithm);

  KeyReading read(const KeyState& state, const KeyContext& context);

 private:
  struct Candidate {
    std::string name;
    Manifest manifest;
    std::unique_ptr<Expressions> expressions;  // used, frees_us
  };
  struct Match {
    const Candidate* candidate = nullptr;
    std::optional<double> used;
    std::optional<std::int64_t> frees_us;
    std::size_t missing = 0;  // names of the state that the value has no number for
  };
  static std::optional<Match> match(const Candidate& candidate, const KeyState& state,
                                    const KeyContext& context, const std::vector<double>& numbers);
  static void take_matches(const std::vector<Match>& matches, const KeyContext& context,
                           KeyReading& reading);

  std::vector<Candidate> candidates_;
};

}  // namespace rlctl
